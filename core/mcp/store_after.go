package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// continuation is what a call goes on with once what was written of it is stored. It is
// data and no closure: a trace shows what is waited for (store_after_trace.go).
type continuation interface {
	goOn(c *Client, call *call, now engine.Time)
}

// afterStored waits for a commit (durable.Waiter).
type afterStored struct {
	c    *Client
	t    *call
	next continuation
}

// Stored goes on.
func (w *afterStored) Stored(now engine.Time) {
	w.c.reschedule(w.t)
	w.next.goOn(w.c, w.t, now)
}
