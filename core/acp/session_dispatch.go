package acp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// release lets go what waits for the session: on a new connection only once the
// agent has taken the session up there.
func (s *session) release(c *Client, now engine.Time) {
	for _, r := range c.allRequests() {
		if r.session == s && r.state == requestQueued && r.role == roleApp && !r.storing && s.takes(c, r) {
			r.send(c, now)
		}
	}
}

// dispatch lets go the prompts that a request on its way has held back.
func (s *session) dispatch(c *Client, now engine.Time) {
	if now < s.dispatchAt {
		return
	}
	s.dispatchAt = engine.Never
	for _, r := range c.allRequests() {
		if r.session == s && r.state == requestQueued && r.role == roleApp && !r.storing {
			r.dispatch(c, now)
		}
	}
}

// takes reports whether a request may leave: the agent would know which session it
// is of, and a prompt's turn would not be taken to have ended with a history that
// the agent has sent without it. Nor does a prompt overtake what was asked of the
// session before it: the browser may give the two requests different connections.
func (s *session) takes(c *Client, r *request) bool {
	if r.method == "session/prompt" && (s.trailing.by != engine.Never || s.replay != nil && (s.replay.state < replayOfApp || s.version() == 1)) {
		return false
	}
	if r.awaitsToken(c) {
		c.tellAwaiting(s)
		return false
	}
	if slices.ContainsFunc(c.posts, func(p *post) bool { return p.holdsBack(r) }) {
		return false
	}
	return s.history != historyUnbound || methods[r.method].joins || s.passing // of which no history is asked for
}

// awaitsToken reports whether the request is a prompt for an agent of version 1 that would have to wait for a
// token: it would be in the log as one that has left, and the next page has nobody to ask (fault 617).
func (r *request) awaitsToken(c *Client) bool {
	return r.method == "session/prompt" && r.state == requestQueued && r.session.version() == 1 && c.cfg.Transport == TransportHTTP && c.token.Asking()
}

// writesAhead reports whether the request is a prompt for an agent of version 1 of which the log has to say
// first that it leaves: nothing that the agent says would tell the next page that it has it (fault 673).
func (r *request) writesAhead(c *Client, now engine.Time) bool {
	if r.method != "session/prompt" || r.session.version() != 1 || r.leaves {
		return false
	}
	c.writeLeaving(r)
	r.stored(c, now)
	return true
}

// stays notes that such a prompt has not left, where the log says so. Where the agent is at work on another
// one the log says so behind that (fault 647).
func (r *request) stays(c *Client, now engine.Time) {
	if !r.leaves {
		return
	}
	r.leaves = false
	c.writeBack(r)
	r.session.works(c, now)
	r.session.lately = withoutID(r.session.lately, r.id)
}

// takeBack takes a prompt for an agent of version 1 back that was refused for want of authorization; false
// where the message is none. It is in the log as one that has left, and the next page hands it back (fault
// 617).
func (p *post) takeBack(c *Client, now engine.Time) bool {
	r := p.request
	if r == nil || r.method != "session/prompt" || r.state != requestSent || r.session.version() != 1 {
		return false
	}
	r.refusals = p.Refusals
	r.unsend(c, now)
	return true
}

// holdsBack reports whether r is a prompt that must not leave while p is on its way: a request of
// the session's, or the word to cancel, which would end the prompt's turn.
func (p *post) holdsBack(r *request) bool {
	if r.method != "session/prompt" || r.state != requestQueued || r.session != p.session {
		return false
	}
	return p.op == "session/cancel" || p.request != nil && p.request.role == roleApp && p.request != r
}
