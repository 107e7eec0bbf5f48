package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// readable reads the head of a call as it was stored, if its log can be read, too.
func (c *Client) readable(head journal.Op, log []journal.Op) (journal.Head, error) {
	return durable.Open(head, log,
		func(h journal.Head) bool { return c.storedObject(h.Params) && c.storedObject(h.Meta) })
}

// quarantined tells the app that a record was left aside.
func (c *Client) quarantined(err error) {
	if err == nil {
		err = journal.ErrCorrupt
	}
	c.counters.QuarantinedRecords++
	c.integrity("quarantined_record", err)
}

// unreadable tells the host as well: it is that of a call.
func (c *Client) unreadable(record uint64, err error) {
	c.quarantined(err)
	c.effects.Add(durable.Quarantined(record))
}

// letGo ends a call whose record this build has read so far, and cannot any more.
// It is not over: it may be under way in a page that can read it. So the app is told
// that it is elsewhere, which is no reason to make it again.
func (c *Client) letGo(now engine.Time, call *call, err error) {
	c.unreadable(call.record.ID, err)
	c.part(now, call, &engine.Error{Code: engine.CodeElsewhere, Op: call.method, Cause: err,
		Message: "what is stored of the call cannot be read by this page: a page of the build that wrote it " +
			"carries it on"})
}

// besides are the flags of the server's row, where one is there that this build cannot
// read: the session in it is another build's, for its calls to go on in.
func (s *session) besides() journal.OpFlags {
	if s.unreadable {
		return journal.OpBeside
	}
	return 0
}
