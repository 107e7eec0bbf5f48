//go:build !js

package peer

import (
	"net/http"
	"strings"
)

// get opens the standalone stream, or resumes the stream that Last-Event-ID
// belongs to (2025-11-25 basic/transports, resumability and redelivery).
func (p *Peer) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		p.log.violation("GET: Accept %q", r.Header.Get("Accept"))
		fail(w, http.StatusNotAcceptable, -32000, "Accept must name text/event-stream")
		return
	}
	cursor := r.Header.Get("Last-Event-Id")
	if p.opts.NoResume || cursor == "" && p.opts.NoStandalone {
		notAllowed(w, "POST, DELETE")
		return
	}
	s := p.session(w, r)
	if s == nil {
		return
	}
	p.judge(r, s, "GET")
	if cursor != "" {
		p.resume(w, r, s, cursor)
		return
	}
	st := s.standalone
	st.mu.Lock()
	from := len(st.events) // what came before is not for a new stream
	st.mu.Unlock()
	if p.conflict(w, st) {
		return
	}
	c := p.newCarrier(w, r)
	c.from = from
	c.openStream()
	st.attach(c, Fault{})
	c.wait(r.Context())
	st.drop(c)
}

func (p *Peer) resume(w http.ResponseWriter, r *http.Request, s *session, cursor string) {
	s.mu.Lock()
	at, ok := s.cursors[cursor]
	s.mu.Unlock()
	if !ok {
		p.log.violation("GET: unknown Last-Event-ID %q", cursor)
		fail(w, http.StatusBadRequest, -32000, "unknown Last-Event-ID")
		return
	}
	f := p.rules.fault()
	if f.Gate != "" && !p.gates.pass(r.Context(), f.Gate) {
		return
	}
	owner := at.stream.owner
	owner.hears(r, envelope{})
	if at.stream.forgot(at.index + 1) {
		fail(w, http.StatusBadRequest, -32000, "what came after this Last-Event-ID is gone")
		return
	}
	owner.settle(r.Context())
	if p.conflict(w, at.stream) {
		return
	}
	c := p.newCarrier(w, r)
	c.from = at.index + 1
	p.carryOn(r, c, at.stream, f)
}

// carryOn makes a connection carry a stream again, with the fault that was asked
// for: the second half of a GET with Last-Event-ID and of requests/resume.
func (p *Peer) carryOn(r *http.Request, c *carrier, st *stream, f Fault) {
	defer st.owner.enter(r.Context(), c, st)()
	if r.Context().Err() != nil {
		return // gone while it waited for the end of the one before
	}
	switch {
	case f.NoAnswer:
		if f.Cut == None || f.Cut == Clean {
			f.Cut = FIN
		}
		c.cut(f.Cut)
	case f.Answer != nil:
		if f.Answer.Gate != "" && !p.gates.pass(r.Context(), f.Answer.Gate) {
			return
		}
		c.respond(*f.Answer, strings.NewReplacer("$SESSION", st.session.id))
	case f.Cut != None && f.After == 0:
		c.openStream()
		c.cut(f.Cut)
	default:
		c.noIDs, c.limit, c.how = f.NoIDs, f.After, f.Cut
		if f.Other {
			st.session.other(st).replay(c)
			break
		}
		c.openStream()
		st.attach(c, f)
	}
	c.wait(r.Context())
	st.drop(c)
}

func (p *Peer) conflict(w http.ResponseWriter, st *stream) bool {
	if !p.opts.Conflict || st.now.Load() == nil {
		return false
	}
	fail(w, http.StatusConflict, -32000, "Conflict: another connection carries this stream")
	return true
}
