package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Answers to the server's own requests are bounded: each costs a POST, and a
// server that floods a page with pings must not open a thousand connections. What the app
// has answered goes before what answers itself, and has as much room again (fault 532).
const (
	answersAtOnce  = 8
	answersWaiting = 256
)

// answers holds the responses to the server's requests that wait for a place.
type answers struct {
	underWay int
	waiting  []answer
}

// answer is one of them: reply is set where a call keeps it until it is taken.
type answer struct {
	body       []byte
	call       *call
	reply      *reply
	generation uint32 // the handshake in whose session it was asked
	given      bool   // by the app
}

// answer posts a response that the app has no part in, to a request of the server's in the session
// of that generation: now or when its turn comes. What does not fit is dropped, counted and told.
func (c *Client) answer(now engine.Time, generation uint32, body []byte) {
	c.postAnswer(now, answer{body: body, generation: generation})
}

// answerFor posts the answer to a question on the call's stream.
func (c *Client) answerFor(now engine.Time, call *call, r *reply) {
	c.postAnswer(now, answer{body: r.message, call: call, reply: r, generation: c.session.generation, given: true})
}

// asksIn returns in which session the server asks something on the call's stream, or on the GET
// stream where the call is nil. A stream may outlive its session.
func (c *Client) asksIn(call *call) uint32 {
	if call != nil && call.inSession {
		return call.generation
	}
	return c.session.generation
}

func (c *Client) postAnswer(now engine.Time, a answer) {
	switch {
	case c.answers.underWay < answersAtOnce:
		c.answers.underWay++
		p := &post{role: postAnswer, body: a.body, answer: a}
		c.posts = append(c.posts, p)
		p.send(c, now)
	case c.answers.wait(a):
	case a.reply != nil:
		a.call.replied(c, now, a.reply, timeoutError(a.call.method, "too many answers wait")) // which has it sent later
	default:
		c.counters.RefusedRequests++
		c.integrity("too_many_requests", nil)
	}
}

// wait has an answer wait for its turn; false where there is no room.
func (q *answers) wait(a answer) bool {
	at, room := len(q.waiting), answersWaiting
	if a.given {
		room = 2 * answersWaiting
		if i := slices.IndexFunc(q.waiting, func(other answer) bool { return !other.given }); i >= 0 {
			at = i
		}
	}
	if len(q.waiting) >= room {
		return false
	}
	q.waiting = slices.Insert(q.waiting, at, a)
	return true
}

// nextAnswer posts the next response once another has been taken.
func (c *Client) nextAnswer(now engine.Time) {
	c.answers.underWay--
	if len(c.answers.waiting) == 0 || c.state != stateOpen {
		return
	}
	next := c.answers.waiting[0]
	c.answers.waiting = c.answers.waiting[1:]
	c.postAnswer(now, next)
}
