package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// SaveDraft keeps the answer that a person has begun to a request of the agent's,
// JSON: a later page has it, as EventDraft before it is asked. No draft withdraws
// the one before. It is not for the agent, and gone with the answer. Only the tab
// that carries the session keeps any.
func (c *Client) SaveDraft(now engine.Time, handle uint32, draft []byte) {
	c.effects.Begin(now)
	if c.state >= stateClosing {
		return
	}
	for _, q := range c.questions {
		if q.handle == handle && q.isOpen() && q.session != nil && q.session.state == sessionOwned &&
			q.session.drafts.Save(q.id, draft, c.cfg.Limits.Depth, true) {
			q.session.writeDrafts(now)
		}
	}
}

// isOpen reports whether the app was asked, and this tab has no answer yet.
func (q *question) isOpen() bool { return q.state == questionOpen || q.state == questionGiven }

// writeDrafts writes those of a session that are due.
func (s *session) writeDrafts(now engine.Time) {
	if now < s.draftsDue() {
		return
	}
	if s.writes() {
		s.drafts.Write(now, &s.record.Log)
	} else {
		s.drafts.Write(now, nil)
	}
}

// draftsDue returns when writeDrafts is, Never where nothing waits.
func (s *session) draftsDue() engine.Time {
	if s.state != sessionOwned {
		return engine.Never
	}
	return s.drafts.Due()
}

// restoreDraft brings back what is stored of the answer to a question, before it is asked.
func (c *Client) restoreDraft(q *question) {
	q.session.drafts.Restore(q.id, q.session.fold.Draft(q.id), c.cfg.Limits.Depth)
}

// tellDraft hands the draft of an answer to the app, which is asked next.
func (c *Client) tellDraft(q *question) {
	if q.session == nil {
		return
	}
	if draft := q.session.drafts.Of(q.id); draft != nil {
		c.deliver(q.session, engine.EventDraft, q.handle, bytes.Clone(draft))
	}
}
