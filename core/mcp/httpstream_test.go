package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// The timeouts of MCP clients in use: 120 s for an answer, 180 s of silence on a stream.

// Silence ends a stream after 180 s and a comment starts them again, at
// whatever interval a server sends them; nothing of it reaches the app.
func TestSeed_HeartbeatsKeepAStreamAlive(t *testing.T) {
	for _, every := range []int64{1_000, 15_000, 60_000, 179_999} {
		for _, beat := range []string{":\r\n\r\n", ": ping\r\n\r\n", ":\n", "\r\n"} {
			o := newRig(t, mcp.Config{}).connect("2025-06-18").stream("tools/call")
			for began := o.Now; o.Now.Since(began) < hour; {
				o.Advance(every)
				o.wantPending()
				o.say(beat)
			}
			if n := len(o.call(o.c).events); n != 1 { // the status: open
				o.fatal("%q every %d ms: the app got %d events", beat, every, n)
			}
			o.say("data: " + coretest.Result(o.id, `{}`) + "\r\n\r\n")
			o.wantResult()
		}
	}
	o := newRig(t, mcp.Config{}).connect("2025-06-18").stream("tools/call")
	o.Advance(179_999)
	o.wantPending()
	o.Advance(1)
	o.wantFailure(engine.CodeOutcomeUnknown) // there are no event ids to resume from
}

// A request has 120 s to be answered in, whatever happens on other streams.
func TestSeed_AnswerWithin120Seconds(t *testing.T) {
	r := newRig(t, mcp.Config{}).connect("2025-06-18")
	other := r.stream("tools/call")
	o := r.post("tools/list")
	o.Advance(119_999)
	other.say(":\r\n\r\n")
	o.wantPending()
	o.Advance(1)
	o.wantFailure(engine.CodeTimeout)
	if s := o.call(o.c).settled; !s.Failure.Retryable {
		t.Error("asking again for a list is safe")
	}
	other.wantPending()

	late := r.post("tools/call")
	late.Advance(119_999)
	late.Head(late.x, 200, "content-type", coretest.Stream) // the stream has a clock of its own
	late.Advance(100_000)
	late.result("")
	late.wantResult()
}
