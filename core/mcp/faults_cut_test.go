package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

var cuts = []engine.Ending{engine.EndClean, engine.EndNetwork}

// Fault 36: the cursor is the id of the last event that was dispatched. What
// of the next one had arrived, its id line included, does not count.
func TestFault36_ResumesFromTheLastDispatchedID(t *testing.T) {
	event := func(id, text string) string { return "id: " + id + "\ndata: " + text + "\n" }
	for _, c := range []struct{ sent, from string }{
		{"", "p"},
		{"id: e1", "p"},
		{"id: e1\n", "p"},
		{"id: e1\ndata: x", "p"},
		{event("e1", "PROGRESS"), "p"},
		{event("e1", "PROGRESS") + "\r", "e1"}, // a CR ends the blank line at once
		{event("e1", "PROGRESS") + "\n", "e1"},
		{event("e1", "PROGRESS") + "\nid: e2\n", "e1"},
		{event("e1", "PROGRESS") + "\n" + event("e2", "PROGRESS"), "e1"},
		{event("e1", "PROGRESS") + "\nid: e2\n\n", "e2"},
		{event("e1", "PROGRESS") + "\ndata: PROGRESS\n\n", "e1"}, // without an id: the cursor stays
		{event("e1", "PROGRESS") + "\nid: e\x002\ndata:\n\n", "e1"},
	} {
		for _, how := range cuts {
			o := connected(t, mcp.Config{}).primed("p")
			if c.sent != "" {
				o.say(strings.ReplaceAll(c.sent, "PROGRESS", coretest.Progress(o.id, 1)))
			}
			o.cut(how)
			if from, _ := o.resume(); from != c.from {
				t.Errorf("after %q: resumed from %q, want %q", c.sent, from, c.from)
			}
			o.wantPending()
		}
	}
}

// Fault 37: a reconnect that dies before it brings an id changes nothing but
// the wait, which grows: the token must not be forgotten (TypeScript SDK #2499). The
// server is there, so that the second and the third are quick (fault 270).
func TestFault37_ResumeCutBeforeAnyID(t *testing.T) {
	least := []int64{0, 0, 400, 5_000, 10_000, 20_000}
	for name, die := range map[string]func(o *onStream){
		"accepted, then nothing":      func(o *onStream) { o.cut(engine.EndNetwork) },
		"accepted, then a clean end":  func(o *onStream) { o.cut(engine.EndClean) },
		"accepted, then half an id":   func(o *onStream) { o.say("id: e9\nda"); o.cut(engine.EndNetwork) },
		"accepted, then a keep-alive": func(o *onStream) { o.say(": hello\n\n"); o.cut(engine.EndNetwork) },
	} {
		o := connected(t, mcp.Config{}).primed("p")
		o.progress(1)
		o.cut(engine.EndNetwork)
		for i := range 15 {
			from, waited := o.resume()
			if from != "e1" {
				t.Fatalf("%s: attempt %d resumes from %q", name, i+1, from)
			}
			if low := least[min(i, len(least)-1)]; waited < low || waited > 30_000 ||
				i == 0 && waited >= 250 {
				t.Fatalf("%s: attempt %d came after %d ms", name, i+1, waited)
			}
			die(o)
		}
		o.resume()
		o.progress(2)
		o.wantProgress(1, 2)
		o.cut(engine.EndNetwork)
		if _, waited := o.resume(); waited >= 250 {
			t.Errorf("%s: after progress the first attempt came after %d ms", name, waited)
		}
	}
}

// Fault 38: once the response is there, the end of its stream, of any kind and
// at any time, means nothing any more.
func TestFault38_CutAfterTheResponse(t *testing.T) {
	for name, end := range map[string]func(o *onStream){
		"clean":       func(o *onStream) { o.cut(engine.EndClean) },
		"broken":      func(o *onStream) { o.cut(engine.EndNetwork) },
		"in an event": func(o *onStream) { o.say("id: e3\nda"); o.cut(engine.EndNetwork) },
		"never":       func(*onStream) {},
	} {
		o := connected(t, mcp.Config{}).primed("p")
		o.progress(1)
		o.result("e2")
		o.wantResult()
		end(o)
		if x, _ := o.nextFetch(3_600_000); x != 0 {
			t.Errorf("%s: exchange %d follows", name, x)
		}
		o.wantProgress(1)
		o.wantIdle()
	}
}

// Fault 39: a server that closes after each event wants to be polled
// (SEP-1699). That is no failure: each poll comes at its pace, never before, and a pace that would be
// a storm becomes one a second (fault 739).
func TestFault39_ThousandCleanCloses(t *testing.T) {
	for _, c := range []struct {
		retry       string
		least, most int64
	}{{"retry: 50\n", 50, 1100}, {"", 0, 1100}, {"retry: 3000\n", 3000, 3100}} {
		o := connected(t, mcp.Config{Timeouts: mcp.Timeouts{Idle: -1}}).stream("tools/call")
		var want []int
		for i := 1; i <= 1000; i++ {
			o.say(c.retry)
			o.progress(i)
			want = append(want, i)
			o.cut(engine.EndClean)
			if status := o.lastStatus(); !strings.HasPrefix(status,
				`{"state":"cut","why":"end","attempt":1,`) || strings.Contains(status, "code") {
				t.Fatalf("%q: close %d is reported as %s", c.retry, i, status)
			}
			if _, waited := o.resume(); waited < c.least || waited > c.most {
				t.Fatalf("%q: poll %d came after %d ms", c.retry, i, waited)
			}
		}
		o.wantProgress(want...)
		o.result("end")
		o.wantResult()
	}
}

// Fault 41: a replay may be cut itself, more than once, and may begin before
// the cursor. What was delivered is not delivered again, and is counted.
func TestFault41_ReplayIsCutAndRepeats(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	for n := 1; n <= 5; n++ {
		o.progress(n)
	}
	o.cut(engine.EndNetwork)
	if from, _ := o.resume(); from != "e5" {
		t.Errorf("resumed from %q", from)
	}
	for n := 3; n <= 7; n++ {
		o.progress(n)
	}
	o.cut(engine.EndNetwork)
	o.resume()
	o.progress(2) // the second replay dies among what is known
	o.progress(3)
	o.cut(engine.EndClean)
	if from, _ := o.resume(); from != "e7" {
		t.Errorf("resumed from %q: a repeated event moved the cursor back", from)
	}
	o.say("id: p\ndata:\n\n")
	for n := 1; n <= 9; n++ {
		o.progress(n)
	}
	o.result("e10")
	o.wantProgress(1, 2, 3, 4, 5, 6, 7, 8, 9)
	o.wantResult()
	if n := o.Client.Counters().DuplicateEvents; n != 3+2+8 {
		t.Errorf("%d repeated events counted, want 13", n)
	}
}

// Fault 41: a response that is replayed is one response.
func TestFault41_ReplayedResponse(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.progress(1)
	o.cut(engine.EndNetwork)
	o.resume()
	o.progress(1)
	o.say(coretest.Message("e2", coretest.Result(o.id, `{}`)) +
		coretest.Message("e2", coretest.Result(o.id, `{}`)))
	o.wantResult()
	o.wantProgress(1)
	if n := o.Client.Counters(); n.DuplicateResponses != 1 || n.DuplicateEvents != 1 {
		t.Errorf("counters %+v", n)
	}
}
