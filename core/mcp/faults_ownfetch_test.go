package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 345: the server answered, and the app's own fetch keeps the answer to itself. What
// may have run is said to be so, once, and the hint says what is to be mended.
func TestFault345_AnswerKeptByTheAppsFetch(t *testing.T) {
	for method, code := range map[string]engine.Code{"tools/list": engine.CodeNetwork,
		"tools/call": engine.CodeOutcomeUnknown} {
		o := connected(t, mcp.Config{}).post(method)
		o.cut(engine.EndUnreadable)
		o.wantFailure(code)
		if e := o.call(o.c).settled.Failure; e.Hint == "" || e.Retryable || e.Unanswered() {
			t.Errorf("%s: %+v", method, e)
		}
		o.wantQuiet()
		o.wantIdle()
	}
}

// Fault 345: a client that is connecting hears of it at once, whatever it asks first.
func TestFault345_ConnectingThroughTheAppsFetch(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		r := newRig(t, mcp.Config{Revision: revision})
		r.Start()
		r.End(r.Newest(), engine.EndUnreadable)
		r.wantUnreadable(revision)
	}
	r := newRig(t, mcp.Config{})
	r.Start()
	r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
		`{"protocolVersion":"2025-11-25","capabilities":{}}`))
	r.End(r.Newest(), engine.EndUnreadable)
	r.wantUnreadable("notifications/initialized")
}

// wantUnreadable checks that the client has failed with the hint.
func (r *rig) wantUnreadable(what string) {
	r.t.Helper()
	if e := r.call(r.Call("tools/list", "", mcp.CallOptions{})).settled; e == nil ||
		e.Failure.Code != engine.CodeNetwork || e.Failure.Hint == "" {
		r.fatal("%s: the client has failed with %+v", what, e)
	}
	r.wantQuiet()
}

// Fault 345: a stream that had begun keeps its cursor: what the app's fetch gave in place of
// the rest is a cut, and what it gives the next time may be the stream.
func TestFault345_StreamResumesOnceItCanBeRead(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.cut(engine.EndUnreadable)
	if from, _ := o.resume(); from != "p" {
		t.Errorf("resumed from %q", from)
	}
	o.result("r")
	o.wantResult()
}

// Fault 345: a call that may run twice is run again, a few times, and then ends.
func TestFault345_RepeatableCallEndsAllTheSame(t *testing.T) {
	r := connected(t, mcp.Config{})
	c := r.Call("tools/call", `{"name":"t"}`, mcp.CallOptions{Flags: journal.Idempotent})
	r.End(r.Newest(), engine.EndUnreadable)
	for n := 1; r.call(c).settled == nil; n++ {
		x, _ := r.nextFetch(hour)
		if x == 0 || n > 10 {
			r.fatal("after %d answers the call has no end", n)
		}
		r.End(x, engine.EndUnreadable)
	}
	if e := r.call(c).settled.Failure; e.Code != engine.CodeOutcomeUnknown || e.Hint == "" {
		t.Errorf("it ends with %+v", e)
	}
}
