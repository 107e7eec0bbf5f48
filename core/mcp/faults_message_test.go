package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 7: a priming event moves the cursor and sets the pace, and is no
// message: an empty text given to a JSON parser would be counted as unreadable.
func TestFault07_PrimingIsNoMessage(t *testing.T) {
	for id, text := range map[string]string{
		"a": "id: a\nretry: 700\ndata:\n\n",
		"b": "id: b\nretry: 700\ndata: \n\n",
		"c": "id: c\nretry: 700\n\n",
		"d": "retry: 700\nid: d\ndata\n\n",
		"e": "event: prime\nid: e\nretry: 700\ndata:\n\n", // the Go SDK's
	} {
		o := connected(t, mcp.Config{}).stream("tools/call")
		o.say(text)
		if n := o.Client.Counters(); n != (mcp.Counters{}) || len(o.integrity) > 0 {
			t.Errorf("%q is counted: %+v %v", text, n, o.integrity)
		}
		o.cut(engine.EndClean)
		o.wantPending()
		if from, waited := o.resume(); from != id || waited < 700 || waited >= 900 {
			t.Errorf("%q: resumed from %q after %d ms", text, from, waited)
		}
	}
}

// Fault 10: only events of type message, or of none, are messages. The others
// may hold what looks like one; they are counted and still move the cursor.
func TestFault10_OtherEventTypesAreIgnored(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	others := []string{"error", "open", "__proto__", "ping", "prime", "close", "Message", "message2",
		"endpoint"}
	for i, name := range others {
		o.say(fmt.Sprintf("event: %s\nid: e%d\ndata: %s\n\n", name, i, coretest.Result(o.id, `{}`)))
		o.say(fmt.Sprintf("event: %s\ndata: not JSON\n\n", name))
	}
	o.wantPending()
	want := mcp.Counters{IgnoredEvents: uint32(2 * len(others))}
	if n := o.Client.Counters(); n != want {
		t.Errorf("counters %+v, want %+v", n, want)
	}
	o.cut(engine.EndNetwork)
	if from, _ := o.resume(); from != fmt.Sprintf("e%d", len(others)-1) {
		t.Errorf("resumed from %q", from)
	}
	o.say("event: message\ndata: " + coretest.Progress(o.id, 1) + "\n\n")
	o.say("event\ndata: " + coretest.Progress(o.id, 2) + "\n\n")
	o.wantProgress(1, 2)
}

// Fault 13: a text that cannot be read costs only itself. What it was is told
// and counted, the stream and the call go on.
func TestFault13_BadMessageCostsOnlyItself(t *testing.T) {
	bad := []string{
		"{", "nul", "[1,]", `{"a":1}`, `"x"`, "1", "null", "{}}", "\xef\xbb\xbf{}",
		`{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"1.0","method":"x"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":01}}`,
		`{"jsonrpc":"2.0","method":"x","params":{"a":"` + "\x01" + `"}}`, `{"jsonrpc":"2.0","method":1}`,
	}
	o := connected(t, mcp.Config{}).stream("tools/call")
	var want []int
	for i, text := range bad {
		o.event("", text)
		if len(o.integrity) != i+1 || !strings.HasPrefix(o.integrity[i],
			`{"what":"unreadable_message","cause":"jsonrpc: `) {
			t.Fatalf("%q: integrity events %q", text, o.integrity)
		}
		o.progress(i + 1)
		want = append(want, i+1)
	}
	o.wantProgress(want...)
	if n := o.Client.Counters().UnreadableMessages; n != uint32(len(bad)) {
		t.Errorf("%d of %d counted", n, len(bad))
	}
	o.result("end")
	o.wantResult()
}

// Fault 14: nesting that no browser could store is refused, at any depth, and
// costs only its own message. The limit itself is fine.
func TestFault14_DeepNestingIsRefused(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	nested := func(levels int) string { // the message and its params are two more
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + o.id +
			`,"progress":1,"x":` +
			strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}}`
	}
	for i, levels := range []int{511, 100_000} {
		o.event("", nested(levels))
		if len(o.integrity) != i+1 || !strings.Contains(o.integrity[i], "depth") {
			t.Fatalf("%d levels: integrity %q", levels, o.integrity)
		}
	}
	o.event("", nested(510))
	o.wantProgress(1)
	o.result("")
	o.wantResult()

	low := connected(t, mcp.Config{Limits: mcp.Limits{Depth: 8}}).post("tools/call")
	low.Head(low.x, 200, "content-type", coretest.JSON)
	low.say(coretest.Result(low.id, strings.Repeat("[", 8)+strings.Repeat("]", 8)))
	low.cut(engine.EndClean)
	low.wantFailure(engine.CodeProtocol)
}

// Fault 15: of a member that is there twice nobody can say which one counts,
// so the message counts for nothing; a name in other letters is another name.
func TestFault15_DuplicateMembersAreRefused(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	twice := []string{
		`{"jsonrpc":"2.0","id":%s,"result":{},"id":99}`,
		`{"jsonrpc":"2.0","id":99,"id":%s,"result":{}}`,
		`{"jsonrpc":"2.0","id":%s,"result":{"a":1},"result":{"a":2}}`,
		`{"jsonrpc":"2.0","id":%s,"result":{},"re\u0073ult":{}}`,
		`{"jsonrpc":"2.0","jsonrpc":"2.0","id":%s,"result":{}}`,
	}
	for _, text := range twice {
		o.event("", fmt.Sprintf(text, o.id))
		o.wantPending()
	}
	if n := o.Client.Counters().UnreadableMessages; n != uint32(len(twice)) {
		t.Errorf("%d of %d counted", n, len(twice))
	}
	o.event("", `{"jsonrpc":"2.0","JSONRPC":"9","ID":99,"Result":7,"id":`+o.id+
		`,"RESULT":8,"result":{"right":true},"Error":{}}`)
	o.wantResult()
	if got := string(o.call(o.c).settled.Data); got != `{"right":true}` {
		t.Errorf("the result is %s", got)
	}
}

// Fault 16: keys that mean something to JavaScript are data like any other and
// arrive byte for byte, in both directions.
func TestFault16_ProtoKeysPassUntouched(t *testing.T) {
	const hostile = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"__proto__":[1,` +
		`{"__proto__":null}]}}, "toString" : 1}`
	r := connected(t, mcp.Config{})
	c := r.Call("tools/call", hostile, mcp.CallOptions{Meta: []byte(hostile)})
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	inner := hostile[1 : len(hostile)-1]
	want := `"params":{"_meta":{"progressToken":` + o.id + `,` + inner + `},` + inner + `}}`
	if body := string(r.Exchange(o.x).Request.Body); !strings.HasSuffix(body, want) {
		t.Errorf("sent %s, want ...%s", body, want)
	}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	params := `{"progressToken":` + o.id + `,"progress":1,` + inner + `}`
	o.event("",
		`{"__proto__":{"id":1,"result":{}},"jsonrpc":"2.0","method":"notifications/progress","params":`+
			params+`}`)
	if got := o.call(c).progress; len(got) != 1 || got[0] != params {
		t.Errorf("progress %q, want %q", got, params)
	}
	o.event("", coretest.Result(o.id, hostile))
	o.wantResult()
	if got := string(o.call(c).settled.Data); got != hostile {
		t.Errorf("result %s", got)
	}
}
