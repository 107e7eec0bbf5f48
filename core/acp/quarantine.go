package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// What cannot be read: a record that is damaged, or that another build has written in
// a way that this one would misread. What a page cannot read it does not own: the host
// gives it up where this page has it, and it belongs to nobody until a page comes that
// can read it (RELIABILITY fault 135).

// readable reads the head of a session as it was stored, if its log can be read, too.
func readable(op journal.Op, log []journal.Op) (journal.Head, error) {
	head, err := journal.ParseHead(op.Plain)
	if err != nil {
		return head, err
	}
	id, _ := jsonrpc.Member(head.Params, "sessionId")
	if _, ok := jsonrpc.String(id); !ok {
		return head, journal.ErrCorrupt
	}
	_, err = journal.Fold(head, len(op.Plain), log)
	return head, err
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
	c.deliver(nil, engine.EventQuarantined, 0, journal.AppendQuarantined(nil, record))
	if s := c.sessionOfRecord(record); s != nil {
		c.letGo(now, s)
	}
}

// letGo closes a session in this page, and leaves what is stored of it to others. What
// has left it may be at work, and nothing here will tell.
func (c *Client) letGo(now engine.Time, s *session) {
	if s.owned {
		c.relieve(s)
	}
	for _, r := range append([]*request(nil), c.requests...) {
		if r.session == s && r.away.taken {
			r.fail(c, now, &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method, Message: "another page carries the session, and this one cannot read what that has stored"})
		}
	}
	if s.record.waits {
		c.writer.Untouch(s.record, len(s.record.plain)+len(s.record.secret))
	}
	c.writer.Held -= s.record.bytes
	s.owned, s.record = false, nil
	c.drop(now, s, "closed")
}
