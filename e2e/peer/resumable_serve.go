//go:build !js

package peer

import (
	"net/http"
	"time"
)

// resumes reports whether a message is one of SEP-975's two requests, to a
// server that has tools of the kind.
func (p *Peer) resumes(m envelope) bool {
	if m.method != "requests/resume" && m.method != "requests/getStatus" || !m.request() {
		return false
	}
	p.tools.mu.Lock()
	defer p.tools.mu.Unlock()
	for _, t := range p.tools.all {
		if t.policy != nil {
			return true
		}
	}
	return false
}

func (p *Peer) serveResumption(w http.ResponseWriter, r *http.Request, s *session, m envelope) {
	if m.method == "requests/getStatus" {
		p.judgeRequest(s, m)
		p.getStatus(w, r, s, m)
		return
	}
	p.resumeRequest(w, r, s, m)
}

// resumption finds what a request is about, and why it is refused: "If this
// value does not match the token issued by the server, the server MUST respond
// with an error."
func (p *Peer) resumption(s *session, id, token string) (res *resumption, refused string) {
	s.mu.Lock()
	res = s.resumptions[id]
	s.mu.Unlock()
	if res == nil {
		res = p.adopt(s, id, token)
	}
	switch {
	case res == nil:
		return nil, "no resumable request has this id"
	case !res.valid(token):
		return res, "the resumeToken does not belong to this request"
	}
	return res, res.ended()
}

func refuseResumption(w http.ResponseWriter, m envelope, why string) {
	refusal{status: http.StatusOK, code: -32602, message: "Invalid params: " + why}.write(w, m)
}

// resumeRequest gives the client what it has not got, and then the rest, "as if
// it were handling the original request".
func (p *Peer) resumeRequest(w http.ResponseWriter, r *http.Request, s *session, m envelope) {
	token, cursor := text(m.params, "resumeToken"), r.Header.Get("Last-Event-Id")
	res, refused := p.resumption(s, m.id, token)
	owner := p.oracle.find(s, m.id)
	owner.hears(r, m)
	if res == nil && !p.oracle.issued(token, m.id) { // by a session that is gone: the client may try
		p.log.violation("requests/resume: id %s is not that of a resumable request", m.id)
	}
	at := -1
	owner.note(func() {
		at = len(owner.resumes)
		owner.resumes = append(owner.resumes, Resume{
			Time: time.Now(), Token: token, LastEventID: cursor, From: -1,
			Waited: owner.waited(p.clock.now()), Refused: refused,
		})
	})
	refuse := func(why string) {
		owner.note(func() { owner.resumes[at].Refused = why })
		refuseResumption(w, m, why)
	}
	if refused != "" {
		refuse(refused)
		return
	}
	res.arm() // "the server SHOULD reset policy-related timers"
	f := p.rules.postFault()
	if f.Gate != "" && !p.gates.pass(r.Context(), f.Gate) {
		return
	}
	owner.settle(r.Context())
	st := res.job.stream
	if res.policy.Second == RefuseSecond && p.oracle.carried(owner) {
		refuse("another connection carries this request")
		return
	}
	if res.policy.Keeps == Unwritten && st.spent() {
		refuse("the response was delivered")
		return
	}
	c := p.newCarrier(w, r)
	c.posted = true
	c.place = func() int {
		from := res.from(cursor)
		owner.note(func() { owner.resumes[at].From = from })
		return from
	}
	if res.policy.NewTokens {
		c.greet = func() {
			// Without an id: the cursor stays that of the messages.
			c.send(res.issue(m.id))
		}
	}
	p.carryOn(r, c, st, f)
}

// from is the first event that a resume gets; what is before is deleted. The
// stream is locked.
func (res *resumption) from(cursor string) int {
	st := res.job.stream
	s := st.session // whose cursors it has, wherever it is resumed
	from := 0
	switch res.policy.Keeps {
	case Everything:
		return 0
	case Unwritten:
		from = st.written
	case Unconfirmed:
		s.mu.Lock()
		if at, ok := s.cursors[cursor]; ok && at.stream == st {
			from = at.index + 1
		}
		s.mu.Unlock()
	}
	st.deleted = max(st.deleted, from)
	return st.deleted
}

// spent reports whether the stream has ended and everything was written.
func (st *stream) spent() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.ended && st.written == len(st.events)
}

// carried reports whether a connection of the client carries the run.
func (o *Oracle) carried(e *execution) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	live, _ := e.count()
	return live > 0
}

// getStatus tells how a request is doing "without having to fetch undelivered
// messages".
func (p *Peer) getStatus(w http.ResponseWriter, r *http.Request, s *session, m envelope) {
	id, token := string(field(m.params, "requestId")), text(m.params, "resumeToken")
	res, refused := p.resumption(s, id, token)
	owner := p.oracle.find(s, id)
	owner.hears(r, m)
	if res == nil {
		p.log.violation("requests/getStatus: %s is not the id of a resumable request", id)
	}
	seen := Status{Time: time.Now(), Token: token, Refused: refused}
	if refused == "" {
		seen.Status, seen.Pending, seen.Input = res.status()
		res.arm()
	}
	owner.note(func() {
		seen.Waited = owner.waited(p.clock.now())
		owner.statuses = append(owner.statuses, seen)
	})
	if refused != "" {
		refuseResumption(w, m, refused)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write([]byte(response(m.id, "result", `{"requestId":`+id+`,`+quote(map[string]any{
		"status": seen.Status, "hasPendingMessage": seen.Pending, "hasInputRequest": seen.Input,
	})[1:])))
}

// status reads the answer to getStatus off the store.
func (res *resumption) status() (status string, pending, input bool) {
	st, status := res.job.stream, "processing"
	st.mu.Lock()
	got := st.written
	if res.policy.Keeps == Unconfirmed {
		got = st.deleted
	}
	for i, e := range st.events {
		switch e.what() {
		case "result":
			status = "completed"
		case "error":
			status = "failed"
		}
		pending = pending || i >= got && !e.prime && e.policy == nil
	}
	st.mu.Unlock()
	return status, pending, res.owner.waitsForInput()
}
