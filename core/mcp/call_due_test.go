package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestManyCallsAreDueInTime: of many calls every one may be the first that is due, by
// what its own answer has begun.
func TestManyCallsAreDueInTime(t *testing.T) {
	for _, kept := range []bool{false, true} {
		h := newTally(t, kept).connect(t)
		due := func(want engine.Time, what string) {
			t.Helper()
			if at, ok := h.Client.Deadline(); !ok || at > want || !h.Client.DueHolds() {
				t.Errorf("%s: looked at again at %d, due at %d", what, at, want)
			}
		}
		const calls = 100
		for range calls {
			h.Client.Call(h.Now, "tools/call", []byte(`{"name":"work"}`),
				mcp.CallOptions{Durable: true, Timeouts: mcp.Timeouts{Answer: 60_000, Idle: 5_000}})
			h.Drain()
			h.Store()
		}
		if len(h.Sent) != calls {
			t.Fatalf("%d requests left", len(h.Sent))
		}
		due(h.Now.After(60_000), "all are asked")
		h.Now += 10
		for n, e := range h.Sent[:50] {
			h.Client.Head(h.Now, e.X, engine.Head{Status: 200,
				Header: []engine.Field{{Name: "content-type", Value: coretest.Stream}}})
			h.Drain()
			due(h.Now.After(5_000), "a stream is open")
			if n == 0 {
				h.Now += 10
			}
		}
		e := h.Sent[0]
		h.Now += 10
		h.Client.Chunk(h.Now, e.X,
			[]byte("data: "+coretest.Result(coretest.RequestID(e.Request), `{"content":[]}`)+"\n\n"))
		h.Drain()
		due(h.Now.After(1_000), "one has ended, and its stream has not")
		h.Client.End(h.Now, e.X, engine.EndClean, "")
		h.Drain()
		h.Store()
		h.Client.Advance(h.Now.After(4_000))
		h.Drain()
		due(h.Now.After(5_000), "after a look that was early")
		if h.Settled != 1 {
			t.Errorf("%d calls have ended", h.Settled)
		}
	}
}

// TestOneCallLooksAtNoOther: what comes for one call of many costs no look at the
// others. A thousand streams would make every event cost a thousand looks.
func TestOneCallLooksAtNoOther(t *testing.T) {
	for _, kept := range []bool{false, true} {
		h := newTally(t, kept).connect(t)
		var calls []streamed
		for range 40 {
			calls = append(calls, h.open())
		}
		chunk := func(text string) func(*mcp.Client, streamed) {
			return func(c *mcp.Client, s streamed) { c.Chunk(h.Now, s.x, []byte(text)) }
		}
		one := calls[7]
		for _, step := range []struct {
			name  string
			input func(*mcp.Client, streamed)
		}{
			{"a comment", chunk(": beat\n\n")},
			{"a part of an event", chunk("data: {")},
			{"the rest of it", chunk("}\n\n")},
			{"progress", chunk(coretest.Message("e1", coretest.Progress(one.request, 1)))},
			{"its result", chunk(coretest.Message("", coretest.Result(one.request, `{"content":[]}`)))},
			{"the end of its stream",
				func(c *mcp.Client, s streamed) { c.End(h.Now, s.x, engine.EndClean, "") }},
		} {
			step.input(h.Client, one)
			if n := h.Client.Rescheduled(); n != 1 {
				t.Errorf("kept %v: for %s %d calls are looked at", kept, step.name, n)
			}
			h.Drain()
			h.Store()
		}
		h.Client.Call(h.Now, "tools/call", []byte(`{"name":"work"}`), mcp.CallOptions{Durable: kept})
		if n := h.Client.Rescheduled(); n != 1 {
			t.Errorf("kept %v: for a new call %d are looked at", kept, n)
		}
		h.Drain()
		h.Store()
		h.Client.Head(h.Now, h.Sent[0].X,
			engine.Head{Status: 200, Header: []engine.Field{{Name: "content-type", Value: coretest.Stream}}})
		if n := h.Client.Rescheduled(); n != 1 {
			t.Errorf("kept %v: for the head of its answer %d are looked at", kept, n)
		}
	}
}
