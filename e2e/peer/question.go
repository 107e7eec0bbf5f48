//go:build !js

package peer

import (
	"context"
	"net/http"
	"time"
)

// Question is one request of the server's own within a call, and what came back.
type Question struct {
	ID      string // raw
	Asked   int    // how often a script asked it: more than one is the server's doing
	Written int    // how often it was put on a connection: replays show here
	Answers []Answer
}

// Answer is one response that the client POSTed to a question.
type Answer struct {
	Time    time.Time
	Session string
	Outcome string // the result or the error, JSON
	Cut     bool   // it was taken, but the connection died before the 202
}

// asks notes that a script asks the client something.
func (o *Oracle) asks(r *run, id string) {
	e := o.find(r.session, r.id)
	e.note(func() {
		for _, q := range e.questions {
			if q.ID == id {
				q.Asked++
				return
			}
		}
		e.questions = append(e.questions, &Question{ID: id, Asked: 1})
		o.ask[place{r.session, id}] = e
	})
}

// answered notes a response of the client.
func (o *Oracle) answered(s *session, m envelope) {
	o.mu.Lock()
	e := o.ask[place{s, m.id}]
	o.mu.Unlock()
	e.note(func() {
		now := time.Now()
		e.heard = append(e.heard, Seen{Time: now, HTTPMethod: http.MethodPost, ID: m.id, Session: s.id})
		for _, q := range e.questions {
			if q.ID == m.id {
				q.Answers = append(q.Answers, Answer{Time: now, Session: s.id, Outcome: string(m.outcome)})
			}
		}
	})
}

// Questions lists what a call asked its client, and the answers.
func (o *Oracle) Questions(label string) []Question {
	all := gather(o, label, func(e *execution) []Question {
		var all []Question
		for _, q := range e.questions {
			one := *q
			one.Answers = append([]Answer(nil), q.Answers...)
			all = append(all, one)
		}
		return all
	})
	for _, m := range o.Messages(label) {
		for i := range all {
			if all[i].ID == m.ID {
				all[i].Written += m.Written
			}
		}
	}
	return all
}

// waitsForInput reports whether a question is open: "Whether the server has
// requested additional input from the client".
func (e *execution) waitsForInput() bool {
	open := false
	e.note(func() {
		for _, q := range e.questions {
			open = open || len(q.Answers) == 0
		}
	})
	return open
}

// CutReplies makes the Peer take the next responses that clients POST, and end
// each connection in the given way in place of saying 202 (fault 55): the client
// cannot know that its answer has arrived, and may send it again. On a reused
// connection browsers do that by themselves: see Options.NoReuse.
func (p *Peer) CutReplies(how ...Cutting) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	p.rules.replies = append(p.rules.replies, how...)
}

func (r *rules) replyCut() Cutting {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.replies) == 0 {
		return None
	}
	how := r.replies[0]
	r.replies = r.replies[1:]
	return how
}

// swallow takes a response without saying so. That it comes again is no
// violation then.
func (p *Peer) swallow(w http.ResponseWriter, r *http.Request, s *session, m envelope, how Cutting) {
	p.replied(s, m)
	s.mu.Lock()
	s.unsure[m.id] = true
	s.mu.Unlock()
	p.oracle.cut(s, m.id)
	c := p.newCarrier(w, r)
	if how == Clean {
		c.respond(Response{Status: http.StatusInternalServerError}, nil)
	}
	c.cut(how)
	c.wait(context.WithoutCancel(r.Context()))
}

func (o *Oracle) cut(s *session, id string) {
	o.mu.Lock()
	e := o.ask[place{s, id}]
	o.mu.Unlock()
	e.note(func() {
		for _, q := range e.questions {
			if n := len(q.Answers); q.ID == id && n > 0 {
				q.Answers[n-1].Cut = true
			}
		}
	})
}
