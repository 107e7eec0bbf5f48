package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// A resume token belongs to its request and to no session (SEP-975). So a session
// that is gone does not end a call that has one: the next session is asked for it,
// before the call is called lost.

// hasToken reports whether the call has a token to resume its request with.
func (t *call) hasToken() bool { return t.policy != nil && t.policy.carries() }

// takesTokens reports whether requests/resume can be sent on the connection at
// hand: it has no meaning in 2026-07-28, nor on HTTP+SSE (resumePolicy).
func (c *Client) takesTokens() bool {
	return c.revision != nil && !c.revision.SelfDescribing && c.channel.state == channelClosed
}

// resumeInNextSession takes the word that the session of a resume is gone. With a
// token the next one is asked, once: it was the session's fault, or else the
// server says so of every request that it does not know.
func (t *call) resumeInNextSession(c *Client, now engine.Time) {
	if !t.hasToken() || !t.inSession || t.policy.gone {
		t.answerLost(c, now, engine.Lost, lostError(t.method, t.exchange.Status()))
	} else {
		t.policy.gone = true
		t.breakStream(c, now, engine.EndNetwork, cutRefused, 0)
	}
	c.sessionLost(now, t.generation)
}

// waitsForSession reports whether the call has waited for the session that is open
// now, to be resumed in it.
func (t *call) waitsForSession(c *Client) bool {
	return c.state == stateOpen && t.state == callStreaming && t.parked == 0 && t.hasToken() &&
		t.generation != c.session.generation && t.stream.Phase() == link.PhaseWaiting
}

// joinSession brings a call that is to be resumed into the session at hand, which
// is not the one of its request. False: it waits for that to open, or is lost.
func (t *call) joinSession(c *Client, now engine.Time) bool {
	switch {
	case !t.hasToken() || c.state == stateOpen && !c.takesTokens():
		t.answerLost(c, now, engine.Lost, lostError(t.method, 0))
		return false
	case t.policy.expired(now):
		return true // resumeRequest says so
	case c.state != stateOpen:
		t.stream.Park()
		t.stream.Due(t.policy.expiry())
		return false
	}
	t.generation, t.inSession = c.session.generation, c.session.id != ""
	// What a session that is gone has asked, this one asks under ids of its own.
	t.outbox, t.questions = nil, nil
	return true
}
