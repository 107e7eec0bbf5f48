package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// A resume token belongs to its request and to no session (SEP-975). So a session
// that is gone does not end a call that has one: the next session is asked for it,
// before the call is called lost.

// hasToken reports whether the call has a token to resume its request with.
func (call *call) hasToken() bool { return call.policy != nil && call.policy.carries() }

// takesTokens reports whether requests/resume can be sent on the connection at
// hand: it has no meaning in 2026-07-28, nor on HTTP+SSE (resumePolicy).
func (c *Client) takesTokens() bool {
	return c.revision != nil && !c.revision.SelfDescribing && c.channel.state == channelClosed
}

// resumeInNextSession takes the word that the session of a resume is gone. With a
// token the next one is asked, once: it was the session's fault, or else the
// server says so of every request that it does not know.
func (call *call) resumeInNextSession(c *Client, now engine.Time) {
	if !call.hasToken() || !call.inSession || call.policy.gone {
		call.answerLost(c, now, engine.Lost, lostError(call.method, call.exchange.Status()))
	} else {
		call.policy.gone = true
		call.breakStream(c, now, engine.EndNetwork, cutRefused, 0)
	}
	c.sessionLost(now, call.generation)
}

// waitsForSession reports whether the call has waited for the session that is open
// now, to be resumed in it.
func (call *call) waitsForSession(c *Client) bool {
	return c.state == stateOpen && call.state == callStreaming && call.parked == 0 && call.hasToken() &&
		call.generation != c.session.generation && call.stream.State() == link.StateWaiting
}

// joinSession brings a call that is to be resumed into the session at hand, which
// is not the one of its request. False: it waits for that to open, or is lost.
func (call *call) joinSession(c *Client, now engine.Time) bool {
	switch {
	case !call.hasToken() || c.state == stateOpen && !c.takesTokens():
		call.answerLost(c, now, engine.Lost, lostError(call.method, 0))
		return false
	case call.policy.expired(now):
		return true // resumeRequest says so
	case c.state != stateOpen:
		call.stream.Park()
		call.stream.Due(call.policy.expiry())
		return false
	}
	call.inSession = c.session.id != ""
	call.joins(c)
	return true
}

// strandCalls lets the streams of sessions that are gone run for as long as they last: nothing
// can follow them, so nothing cuts them, and a reload would lose their calls (fault 526).
func (c *Client) strandCalls() {
	for _, call := range c.calls {
		if call.state == callStreaming && call.role != roleTask && call.generation != c.session.generation &&
			!call.hasToken() {
			c.reschedule(call)
			call.stream.Strand()
			c.lowerGuarantee(call)
		}
	}
}

// joins has the call go on in the session at hand, and a page that finds it knows of that:
// what a session that is gone has asked, this one asks under ids of its own.
func (call *call) joins(c *Client) {
	for _, id := range call.questions {
		if !c.isOpen(call, id) {
			call.replayed = append(call.replayed, id)
		}
	}
	call.generation, call.outbox, call.questions = c.session.generation, nil, nil
	if call.task != nil && call.record != nil {
		call.record.cursor = call.record.cursor[:0] // of a stream of that session
	}
	c.write(call, journal.Entry{Kind: journal.Joined, N: [3]uint64{uint64(call.generation)}})
}
