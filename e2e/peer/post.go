//go:build !js

package peer

import (
	"context"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// post takes one JSON-RPC message (2025-11-25 basic/transports, sending
// messages to the server).
func (p *Peer) post(w http.ResponseWriter, r *http.Request, m envelope) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		p.log.violation("%s: Content-Type %q", m.method, r.Header.Get("Content-Type"))
		fail(w, http.StatusUnsupportedMediaType, -32000, "Content-Type must be application/json")
		return
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		p.log.violation("%s: Accept %q", m.method, r.Header.Get("Accept"))
		fail(w, http.StatusNotAcceptable, -32000, "Accept must name application/json and text/event-stream")
		return
	}
	if m.method == "initialize" && m.request() {
		if r.Header.Get("Mcp-Session-Id") != "" {
			p.log.violation("initialize: with a session id")
		}
		s := p.newSession(p.negotiate(m))
		s.declare(m)
		if s.id != "" {
			w.Header().Set("Mcp-Session-Id", s.id)
		}
		p.request(w, r, s, m)
		return
	}
	if version := r.Header.Get("Mcp-Protocol-Version"); p.opts.Sessionless && version != "" &&
		!slices.Contains(known, version) {
		// How a sessionless server meets a modern probe.
		fail(w, http.StatusBadRequest, -32000, "Bad Request: Unsupported protocol version: "+version+
			" (supported versions: "+strings.Join(known, ", ")+")")
		return
	}
	s := p.session(w, r)
	if s == nil {
		return
	}
	p.judge(r, s, "POST "+m.method)
	switch {
	case p.resumes(m):
		p.serveResumption(w, r, s, m)
	case m.request():
		p.request(w, r, s, m)
	case m.response():
		if how := p.rules.replyCut(); how != None {
			p.swallow(w, r, s, m, how)
			return
		}
		p.replied(s, m)
		w.WriteHeader(http.StatusAccepted)
	default:
		p.notified(r, s, m)
		w.WriteHeader(http.StatusAccepted)
	}
}

func (p *Peer) replied(s *session, m envelope) {
	p.oracle.answered(s, m)
	p.tasks.replied(s, m)
	s.mu.Lock()
	if _, twice := s.replies[m.id]; twice && !s.unsure[m.id] {
		p.log.violation("the server's request %s was answered twice", m.id)
	}
	s.replies[m.id] = m
	delete(s.unsure, m.id)
	s.mu.Unlock()
	p.changed.signal()
}

func (p *Peer) notified(r *http.Request, s *session, m envelope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.method {
	case "notifications/initialized":
		s.ready = true
	case "notifications/cancelled":
		id := string(field(m.params, "requestId"))
		p.oracle.find(s, id).hears(r, m)
		if res := s.resumptions[id]; res != nil && !p.opts.IgnoreCancel {
			res.end("cancelled by the client")
		}
		if job := s.calls[id]; job != nil {
			if p.oracle.isTask(s, id) {
				p.log.violation("notifications/cancelled: request %s is a task: tasks/cancel", id)
			}
			if !job.answered.Load() && job.ctx.Err() == nil {
				p.modern.count(job.key())
			}
			if !p.opts.IgnoreCancel {
				job.stop()
			}
		}
	}
}

// request starts the script for a request and keeps the POST open until the
// script or a cut lets it go. The script outlives the connection.
func (p *Peer) request(w http.ResponseWriter, r *http.Request, s *session, m envelope) {
	p.judgeRequest(s, m)
	script, asJSON := p.scriptFor(s, m)
	if m.method == "tools/call" {
		p.oracle.find(s, m.id).hears(r, m)
	}
	if script == nil {
		script = Script{Error(-32601, "method not found: "+m.method)}
	}
	ctx, cancel := context.WithCancel(p.lifeOf(s, m))
	job := &run{
		p: p, ctx: ctx, stop: cancel, session: s, post: p.newCarrier(w, r), json: asJSON,
		id: m.id, method: m.method, params: m.params, level: s.logLevel(),
		token: string(field(m.params, "_meta", "progressToken")),
	}
	if !asJSON {
		job.stream = p.newStream(s)
		job.stream.label, job.post.status = p.seedLabel(), p.seedStatus(m.method)
		if m.method == "tools/call" {
			script = p.witness(job, script)
		}
		job.stream.now.Store(job.post)
		defer job.stream.owner.enter(r.Context(), job.post, job.stream)()
	}
	p.play(job, script)
	job.post.wait(r.Context())
	if job.stream != nil {
		job.stream.drop(job.post)
	}
}

// play runs a script in a session, where notifications/cancelled finds it.
func (p *Peer) play(job *run, script Script) {
	s := job.session
	s.mu.Lock()
	s.calls[job.id] = job
	s.mu.Unlock()
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		defer job.stop()
		job.play(script)
		job.finish()
		s.mu.Lock()
		delete(s.calls, job.id)
		s.mu.Unlock()
	}()
}
