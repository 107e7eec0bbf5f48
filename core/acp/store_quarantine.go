package acp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// readable reads the head of a session as it was stored, if its log can be read, too.
func readable(op journal.Op, log []journal.Op) (journal.Head, error) {
	return durable.Open(op, log, func(h journal.Head) bool {
		id, _ := jsonrpc.Member(h.Params, "sessionId")
		_, ok := jsonrpc.String(id)
		return ok
	})
}

// quarantined tells the app that a record was left aside.
func (c *Client) quarantined() {
	c.counters.QuarantinedRecords++
	c.integrity(nil, "quarantined_record")
}

// unreadable tells the host as well: it is that of a session. One that this build has
// read so far is closed here.
func (c *Client) unreadable(now engine.Time, record uint64) {
	c.quarantined()
	c.effects.Add(durable.Quarantined(record))
	if s := c.sessionOfRecord(record); s != nil {
		c.letGo(now, s)
	}
}

// letGo closes a session in this page, and leaves what is stored of it to others. What
// has left it may be at work, and nothing here will tell.
func (c *Client) letGo(now engine.Time, s *session) {
	if s.state == sessionOwned {
		c.yieldRequests(s)
	}
	for _, r := range c.allRequests() {
		if r.session == s && r.forwarded.state >= forwardTaken {
			r.fail(c, now, &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method,
				Message: "another page carries the session, and this one cannot read what that has stored"})
		}
	}
	s.record.Disown()
	s.record = nil
	s.enter(c, sessionFollowed)
	c.drop(now, s, engine.StreamClosed)
}
