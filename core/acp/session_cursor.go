package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Some agents' servers give the frames of an event stream ids, and tell what came
// after the one that Last-Event-ID names. The id of the last frame is kept with what
// the frames have brought, sealed as a connection's id is; it goes back from every
// page, on the connection that it came on. The history is asked for all the same
// where the agent has one: ids are opaque, and prove nothing.

// place is where a session's stream was left.
type place struct {
	conn     *connection
	id, seen []byte // of the last frame; marks of those before it
}

// keepPlace keeps where the stream stands, for the next one of the session.
func (es *stream) keepPlace() {
	if es.session == nil || !es.link.Cursor.Resumable() {
		return
	}
	es.link.UnstoreSeen()
	es.session.place = place{conn: es.conn, id: bytes.Clone(es.link.Cursor.ID), seen: es.link.AppendSeen(nil)}
	es.link.UnstoreSeen() // what is stored of them is not known here
}

// resume puts a new stream where the one before it was left, on the same connection.
func (es *stream) resume(c *Client, now engine.Time) {
	if p := es.session.place; p.conn == es.conn && len(p.id) > 0 {
		es.link.Restored(now, p.id, p.seen, -1)
		es.link.Reconnecting(now, c.cfg.Timeouts.Answer)
	}
}

// appendCursor appends the place of the session's stream to its row, which holds what
// came before it. While a replay is under way nothing of it is written yet.
func (r *record) appendCursor() {
	s := r.s
	if s.stream == nil || s.replay != nil || r.Unsealed() || r.conn != s.stream.conn.id {
		return
	}
	t := &s.stream.link
	if bytes.Equal(t.Cursor.ID, r.cursor) {
		return
	}
	r.cursor = append(r.cursor[:0], t.Cursor.ID...)
	r.WriteSecret(journal.Entry{Kind: journal.Cursor, Data: r.cursor})
	if seen := t.AppendSeen(nil); len(seen) > 0 {
		r.WriteSecret(journal.Entry{Kind: journal.Seen, Data: seen})
	}
}
