package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 17: a response belongs to a call whose id it names letter for letter.
// Anything else is counted and told, on a stream and in a JSON body.
func TestFault17_OnlyTheExactIDAnswers(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	other := []string{
		`"` + o.id + `"`, o.id + ".0", o.id + "e0", "-" + o.id, "0" + o.id, " null", "true", "[" + o.id + "]",
		"{}", "1", "0",
		"99999999", "9007199254740993", "18446744073709551616", `""`, `"\u0031"`,
	}
	for i, id := range other {
		o.event("", `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
		if id == " null" {
			id = "true" // an error with the id null answers the call of its stream, see below
		}
		o.event("", `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-1,"message":""}}`)
		o.wantPending()
		if len(o.integrity) != 2*(i+1) {
			t.Fatalf("id %s: integrity events %q", id, o.integrity)
		}
	}
	n := o.Client.Counters()
	if int(n.UnknownResponses+n.UnreadableMessages) != 2*len(other) || n.UnknownResponses < 20 {
		t.Errorf("counters %+v", n)
	}
	for _, token := range []string{`"` + o.id + `"`, o.id + ".0", "null", `{}`, "7"} {
		o.event("", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+
			`,"progress":1}}`)
	}
	o.wantProgress()
	if late := o.Client.Counters().LateProgress; late != 5 {
		t.Errorf("%d of 5 progress notifications for nobody counted", late)
	}
	o.result("")
	o.wantResult()

	// The server could not read the id: the stream tells whom it means.
	for _, id := range []string{`"id":null,`, ``} {
		n := connected(t, mcp.Config{}).stream("tools/call")
		n.event("", `{"jsonrpc":"2.0",`+id+`"error":{"code":-32600,"message":""}}`)
		if s := n.call(n.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
			n.fatal("an error with %q does not answer the call of its stream", id)
		}
	}

	j := connected(t, mcp.Config{}).post("tools/call")
	j.Head(j.x, 200, "content-type", coretest.JSON)
	j.say(`{"jsonrpc":"2.0","id":"` + j.id + `","result":{}}`)
	j.cut(engine.EndClean)
	j.wantFailure(engine.CodeProtocol)
	if len(j.integrity) != 1 || !strings.Contains(j.integrity[0], "unknown_response") {
		t.Errorf("integrity %q", j.integrity)
	}
}

// Fault 18: the first response ends a call. A second one changes nothing, on
// the same stream, on another one, and after both have ended.
func TestFault18_SecondResponseIsDropped(t *testing.T) {
	r := connected(t, mcp.Config{})
	b := r.stream("tools/call")
	a := r.stream("tools/call")
	a.say(coretest.Message("", coretest.Result(a.id, `{"n":1}`)) +
		coretest.Message("", coretest.Result(a.id, `{"n":2}`)))
	a.event("", `{"jsonrpc":"2.0","id":`+a.id+`,"error":{"code":1,"message":""}}`)
	b.event("", coretest.Result(a.id, `{"n":3}`))
	if got := string(r.call(a.c).settled.Data); got != `{"n":1}` {
		t.Errorf("settled with %s", got)
	}
	if n := r.Client.Counters(); n.DuplicateResponses != 3 || len(r.integrity) != 3 {
		t.Errorf("counters %+v, integrity %q", n, r.integrity)
	}
	a.cut(engine.EndClean)
	b.event("", coretest.Result(a.id, `{"n":4}`))
	if n := r.Client.Counters(); n.UnknownResponses != 1 || len(r.integrity) != 4 {
		t.Errorf("after the end: counters %+v, integrity %q", n, r.integrity)
	}
	b.wantPending()
	b.result("")
	b.wantResult()
}

// Fault 19: a response with both result and error, or with neither, is none.
func TestFault19_BothResultAndErrorIsNoAnswer(t *testing.T) {
	for _, members := range []string{
		`"result":{},"error":{"code":1,"message":""}`, `"error":{"code":1,"message":""},"result":null`,
		`"params":{}`, `"error":null`, `"error":7`,
		`"method":"m","result":{}`,
	} {
		text := `{"jsonrpc":"2.0","id":%s,` + members + `}`
		o := connected(t, mcp.Config{}).stream("tools/call")
		o.event("", fmt.Sprintf(text, o.id))
		o.wantPending()
		if n := o.Client.Counters().UnreadableMessages; n != 1 {
			t.Errorf("%s: %d counted", members, n)
		}
		o.result("")
		o.wantResult()

		j := connected(t, mcp.Config{}).post("tools/call")
		j.Head(j.x, 200, "content-type", coretest.JSON)
		j.say(fmt.Sprintf(text, j.id))
		j.cut(engine.EndClean)
		j.wantFailure(engine.CodeProtocol)
	}
}

// Fault 19: an array of messages is one where the revision has batches, and
// unreadable where it has none.
func TestFault19_BatchOnlyWhereTheRevisionHasThem(t *testing.T) {
	for revision, batches := range map[string]bool{"2025-03-26": true, "2025-06-18": false,
		"2025-11-25": false} {
		o := newRig(t, mcp.Config{}).connect(revision).stream("tools/call")
		o.event("", "["+coretest.Progress(o.id, 1)+",7,"+coretest.Progress(o.id, 2)+","+
			coretest.Result(o.id, `{}`)+"]")
		if !batches {
			o.wantProgress()
			o.wantPending()
			if len(o.integrity) != 1 || !strings.Contains(o.integrity[0], "batch_refused") {
				t.Errorf("%s: integrity %q", revision, o.integrity)
			}
			continue
		}
		o.wantProgress(1, 2)
		o.wantResult()
		if n := o.Client.Counters().UnreadableMessages; n != 1 {
			t.Errorf("%s: %d bad members counted", revision, n)
		}

		j := o.post("tools/call")
		j.Head(j.x, 200, "content-type", coretest.JSON)
		j.say("[" + coretest.Progress(j.id, 1) + "," + coretest.Result(j.id, `{}`) + "]")
		j.cut(engine.EndClean)
		j.wantProgress(1)
		j.wantResult()
	}
}

// Fault 20: what arrives before the response is delivered in the order of
// arrival, progress that goes backwards too (its order is the server's word);
// what comes after the response is dropped and counted.
func TestFault20_OrderAroundTheResponse(t *testing.T) {
	r := connected(t, mcp.Config{})
	o := r.stream("tools/call")
	other := r.stream("tools/call")
	o.say(coretest.Message("", coretest.Progress(o.id, 1)) +
		coretest.Message("",
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`) +
		coretest.Message("", coretest.Progress(o.id, 5)) + coretest.Message("", coretest.Progress(o.id, 3)) +
		coretest.Message("", coretest.Result(o.id, `{}`)) +
		coretest.Message("", coretest.Progress(o.id, 6)) +
		coretest.Message("", `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`))
	o.wantResult()
	o.wantProgress(1, 5, 3)
	var kinds []engine.EventKind
	for _, e := range o.call(o.c).events {
		if e.Event != engine.EventStatus {
			kinds = append(kinds, e.Event)
		}
	}
	want := []engine.EventKind{engine.EventProgress, engine.EventLog, engine.EventProgress,
		engine.EventProgress}
	if fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("events %v, want %v", kinds, want)
	}
	other.event("", coretest.Progress(o.id, 7))
	o.cut(engine.EndClean)
	other.event("", coretest.Progress(o.id, 8))
	if n := r.Client.Counters(); n.LateProgress != 3 || n.LateNotifications != 1 {
		t.Errorf("counters %+v", n)
	}
	other.wantProgress()
	other.wantPending()
}
