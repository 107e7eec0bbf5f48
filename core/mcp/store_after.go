package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// continuation is what a call goes on with once what was written of it is stored. It is
// data and no closure: a trace shows what is waited for (store_after_trace.go).
type continuation interface {
	goOn(c *Client, call *call, now engine.Time)
}

// afterStored waits for a commit (durable.Waiter).
type afterStored struct {
	c     *Client
	t     *call
	next  continuation
	epoch uint32 // under which it was written; 0 for what goes on whoever has the call
}

// Stored goes on, unless the call has changed hands since: what was written lies behind the
// seal then and counts for nothing, also where this page has the call again.
func (w *afterStored) Stored(now engine.Time) {
	if r := w.t.record; w.epoch != 0 && r != nil && r.Epoch != w.epoch {
		return
	}
	w.c.reschedule(w.t)
	w.next.goOn(w.c, w.t, now)
}
