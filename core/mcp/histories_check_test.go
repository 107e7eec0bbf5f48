package mcp_test

import (
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// checkOrder: at every moment a call has had progress 1, 2, ... without a hole,
// and no more than the server has said.
func (h *history) checkOrder() {
	h.t.Helper()
	for _, j := range h.jobs {
		got := h.call(j.c).numbers()
		if len(got) > j.done {
			h.fatal("call %d has had progress %v of %d", j.c, got, j.done)
		}
		for i, n := range got {
			if n != i+1 {
				h.fatal("call %d has had progress %v", j.c, got)
			}
		}
	}
}

// heal lets everything go well from here on, until every call has settled.
func (h *history) heal() {
	h.t.Helper()
	h.kind = true
	h.online()
	for _, j := range h.jobs {
		h.pause(j.c, false)
	}
	for range 2_000 {
		h.serve()
		busy := false
		for _, j := range h.jobs {
			busy = busy || h.call(j.c).settled == nil
			j.work(h.rng)
		}
		for _, k := range slices.Clone(h.connections) {
			h.deliver(k)
		}
		h.serve()
		h.checkOrder()
		if !busy && len(h.connections) == 0 {
			return
		}
		if d := h.NextDeadline(); d >= 0 && h.rng.IntN(2) == 0 {
			h.Advance(d)
		}
	}
	h.fatal("a call has not settled, or connections %v are left", h.UnderWay())
}

// checkOutcomes: a call has its result and all its progress, unless the app
// cancelled it, or the client truly could not know.
func (h *history) checkOutcomes() {
	h.t.Helper()
	for _, j := range h.jobs {
		s := h.call(j.c).settled
		switch {
		case s.Outcome == engine.OutcomeResult:
			if n := len(h.call(j.c).progress); n != j.total {
				h.fatal("call %d has its result and %d of %d progress events", j.c, n, j.total)
			}
		case s.Failure != nil && s.Failure.Code == engine.CodeCancelled && j.cancelled:
		// it waited for an answer to a ping
		case s.Failure != nil && s.Failure.Code == engine.CodeUnsent && j.runs == 0:
		case s.Failure != nil && s.Failure.Code == engine.CodeOutcomeUnknown && (j.unheard || !j.sawID):
		case s.Failure != nil && s.Failure.Code == engine.CodeOutcomeUnknown &&
			strings.Contains(s.Failure.Message, "Last-Event-ID"):
			// The network has failed all requests with the field and no other, which is
			// what CORS rules look like that refuse it.
			h.misled++
		case s.Failure != nil && s.Failure.Code == engine.CodeReconnectLoop && j.retry == "retry: 0\n":
			h.fatal("call %d is given up as a loop, which the server never made", j.c)
		default:
			h.fatal("call %d ends with %s (job %+v)", j.c, coretest.Describe(*s), *j)
		}
	}
}
