package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// SaveDraft keeps the answer that a person has begun to a request of the agent's,
// JSON: a later page has it, as EventDraft before it is asked. No draft withdraws
// the one before. It is not for the agent, and gone with the answer. Only the tab
// that carries the session keeps any.
func (c *Client) SaveDraft(now engine.Time, handle uint32, draft []byte) {
	c.effects.Begin(now)
	if c.state >= stateClosing || !durable.IsDraft(draft, c.cfg.Limits.Depth) {
		return
	}
	for _, q := range c.questions {
		if q.handle != handle || q.state == questionUnasked || q.state == questionAnswered || q.session == nil || q.session.state != sessionOwned || bytes.Equal(q.draft, draft) {
			continue
		}
		q.draft, q.unsaved = append([]byte(nil), draft...), true
		c.writeDrafts(now, q.session)
	}
}

// writeDrafts writes those of a session that are due.
func (c *Client) writeDrafts(now engine.Time, s *session) {
	if now < c.draftsDue(s) {
		return
	}
	written := 0
	for _, q := range c.questions {
		if q.session == s && q.unsaved {
			q.unsaved = false
			written += c.writeDraft(q)
		}
	}
	s.draftAt = durable.NextDraft(now, written)
}

// writeDraft puts a draft into the session's next row.
func (c *Client) writeDraft(q *question) int {
	if !q.session.writes() {
		return 0
	}
	return q.session.record.WriteDraft(q.id, q.draft)
}

// draftsDue returns when writeDrafts is, Never where nothing waits.
func (c *Client) draftsDue(s *session) engine.Time {
	for _, q := range c.questions {
		if q.session == s && q.unsaved && q.state != questionAnswered && s.state == sessionOwned {
			return s.draftAt
		}
	}
	return engine.Never
}

// nextDraft returns when the next draft of any session is due.
func (c *Client) nextDraft() engine.Time {
	at := engine.Never
	for _, q := range c.questions {
		if q.unsaved && q.session != nil {
			at = min(at, c.draftsDue(q.session))
		}
	}
	return at
}

// advanceDrafts writes what is due.
func (c *Client) advanceDrafts(now engine.Time) {
	for _, q := range c.questions {
		if q.unsaved && q.session != nil {
			c.writeDrafts(now, q.session)
		}
	}
}

// rewriteDrafts writes the drafts of a session whose log is written again.
func (c *Client) rewriteDrafts(s *session) {
	for _, q := range c.questions {
		if q.session == s && q.state != questionAnswered && len(q.draft) > 0 {
			q.unsaved = false
			c.writeDraft(q)
		}
	}
}

// restoreDraft brings back what is stored of the answer to a question, before it
// is asked. What is no JSON would spoil the page's event.
func (c *Client) restoreDraft(q *question) {
	q.draft, q.unsaved = nil, false
	if draft := q.session.fold.Draft(q.id); jsonrpc.Valid(draft, c.cfg.Limits.Depth) == nil {
		q.draft = draft
	}
}

// tellDraft hands the draft of an answer to the app, which is asked next.
func (c *Client) tellDraft(q *question) {
	if len(q.draft) > 0 {
		c.deliver(q.session, engine.EventDraft, q.handle, bytes.Clone(q.draft))
	}
}
