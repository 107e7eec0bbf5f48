package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Answers to the server's own requests are bounded: each costs a POST, and a
// server that floods a page with pings must not open a thousand connections. What the app
// has answered goes before what answers itself, and has its own room (fault 532). What answers
// itself leaves in the order in which it was asked: answersAtOnce, and then one each answerPace
// ms, which is 50 in any second at most. Of more than selfWaiting the oldest is dropped (fault 739).
const (
	answersAtOnce = 8
	givenWaiting  = 512
	selfWaiting   = 1_000
	answerPace    = 24
)

// answers holds the responses to the server's requests that wait for a place.
type answers struct {
	underWay int
	waiting  []answer    // those of the app first
	self     int         // how many of them answer themselves
	paidTo   engine.Time // up to when those that have left are paid off
	dropping bool        // some were dropped since the last time that none waited
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
	q := &c.answers
	if a.given && len(q.waiting)-q.self >= givenWaiting {
		if a.reply != nil {
			a.call.replied(c, now, a.reply, timeoutError(a.call.method, "too many answers wait")) // which has it sent later
			return
		}
		c.counters.RefusedRequests++
		c.integrity("too_many_requests", nil)
		return
	}
	if !a.given && q.self >= selfWaiting {
		oldest := len(q.waiting) - q.self
		q.waiting = slices.Delete(q.waiting, oldest, oldest+1)
		q.self--
		c.counters.RefusedRequests++
		if !q.dropping {
			q.dropping = true
			c.integrity("too_many_requests", nil)
		}
	}
	if a.given {
		q.waiting = slices.Insert(q.waiting, len(q.waiting)-q.self, a)
	} else {
		q.waiting = append(q.waiting, a)
		q.self++
	}
	c.postAnswers(now)
}

// postAnswers posts those whose turn has come.
func (c *Client) postAnswers(now engine.Time) {
	q := &c.answers
	for q.underWay < answersAtOnce && len(q.waiting) > 0 {
		a := q.waiting[0]
		if !a.given {
			if now < q.next() {
				return
			}
			q.paidTo = max(q.paidTo, now).After(answerPace)
			q.self--
		}
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.dropping = q.dropping && q.self > 0
		q.underWay++
		p := c.newPost(postAnswer, a.body)
		p.answer = a
		p.send(c, now)
	}
}

// answersDue returns when postAnswers has something to do.
func (c *Client) answersDue() engine.Time {
	if q := &c.answers; c.state == stateOpen && q.underWay < answersAtOnce && len(q.waiting) > 0 {
		return q.next()
	}
	return engine.Never
}

// next returns when the next of those that answer themselves may leave.
func (q *answers) next() engine.Time { return q.paidTo - (answersAtOnce-1)*answerPace }

// nextAnswer posts the next response once another has been taken.
func (c *Client) nextAnswer(now engine.Time) {
	c.answers.underWay--
	if c.state == stateOpen {
		c.postAnswers(now)
	}
}
