//go:build !js

package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 435: a host that shows the head of a stream with the first byte behind it. A tool that
// works in silence is given as long as on a stream that is known to be open, and what
// continues the stream as well: a head in good time says nothing of the next one.
func TestFault435_AnEventStreamWithoutAHead(t *testing.T) {
	for _, limits := range []struct{ answer, idle, want int64 }{
		{0, 0, 180_000}, {10_000, 60_000, 60_000}, {60_000, 10_000, 60_000}, {10_000, -1, 0}, {-1, 10_000, 0},
	} {
		cfg := mcp.Config{LateHeads: true, Timeouts: mcp.Timeouts{Answer: limits.answer, Idle: limits.idle}}
		o := connected(t, cfg).post("tools/call")
		if after := o.silent(); after != limits.want {
			o.fatal("%+v: the call is given up after %d ms", limits, after)
		}
		o = connected(t, cfg).post("tools/call")
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.say("id: p\ndata:\n\n")
		o.cut(engine.EndNetwork)
		for range 2 {
			o.resumeStarts()
			if after := o.silent(); after != limits.want {
				o.fatal("%+v: the resume is given up after %d ms", limits, after)
			}
			o.wantPending()
			if limits.want == 0 {
				break
			}
		}
	}
}

// Fault 435: any other host sees heads, and a server that sends none is given
// timeouts.answer. A handshake is, in either.
func TestFault435_AnswersAreStillDue(t *testing.T) {
	o := connected(t, mcp.Config{Timeouts: mcp.Timeouts{Answer: 10_000}}).post("tools/call")
	if after := o.silent(); after != 10_000 {
		o.fatal("given up after %d ms", after)
	}
	w := coretest.NewMCP(t, mcp.Config{LateHeads: true, Timeouts: mcp.Timeouts{Answer: 10_000}})
	w.Start()
	w.Advance(10_000)
	if !w.Exchange(1).Over {
		t.Fatal("a server that does not answer is waited for")
	}
}
