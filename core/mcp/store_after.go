package mcp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// continuation is what a call goes on with once what was written of it is stored. It is
// data and no closure: a trace shows what is waited for.
type continuation interface {
	goOn(c *Client, t *call, now engine.Time)
	// after is the word for it in traces.
	after() string
}

// afterStored waits for a commit (durable.Waiter).
type afterStored struct {
	c    *Client
	t    *call
	next continuation
}

// Stored goes on.
func (w afterStored) Stored(now engine.Time) {
	w.c.reschedule(w.t)
	w.next.goOn(w.c, w.t, now)
}

// After names what with: "send c2".
func (w afterStored) After() string {
	return w.next.after() + " c" + strconv.FormatUint(uint64(w.t.id), 10)
}

// After names what goes on once the commit of a ticket is stored, for traces.
func (c *Client) After(ticket uint32) []string { return c.writer.After(ticket) }
