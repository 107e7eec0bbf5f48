//go:build !js

package peer

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// serve is the HTTP surface. A request is logged, may be refused, delayed or
// answered by a rule, and only then means what the specification says.
func (p *Peer) serve(w http.ResponseWriter, r *http.Request) {
	p.work.Add(1)
	defer p.work.Done()
	if r.URL.Path != p.opts.Path && !(p.httpSSE() && r.URL.Path == messagesPath) {
		if p.opts.Site != nil {
			p.opts.Site.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m, bad := envelope{}, error(nil)
	if r.Method == http.MethodPost {
		m, bad = parseEnvelope(body)
	}
	entry := &Request{
		Time: time.Now(), HTTPMethod: r.Method, URL: r.URL.String(), Header: r.Header.Clone(),
		Method: m.method, ID: m.id,
		Body: body, Session: r.Header.Get("Mcp-Session-Id"), LastEventID: r.Header.Get("Last-Event-Id"),
	}
	kind := entry.kind()
	seen := *entry
	p.log.add(entry)
	w = &recorder{ResponseWriter: w, log: &p.log, entry: entry}
	if r.Method == http.MethodOptions {
		p.opts.CORS.preflight(w, r)
		return
	}
	p.opts.CORS.decorate(w.Header())
	if token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); p.refused(w, token) {
		return
	}
	if gate := p.rules.gateOf(kind, body); gate != "" && !p.gates.pass(r.Context(), gate) {
		return
	}
	if a := p.rules.answerTo(kind, seen); a != nil {
		p.override(w, r, *a, m)
		return
	}
	if bad != nil {
		p.log.violation("POST: %v", bad)
		code := -32600
		if !json.Valid(body) {
			code = -32700
		}
		fail(w, http.StatusBadRequest, code, bad.Error())
		return
	}
	switch {
	case p.seed != nil:
		p.serveSeed(w, r, m)
	case p.httpSSE():
		p.serveHTTPSSE(w, r, m)
	case r.Method == http.MethodPost && p.describesItself(r, m):
		p.postModern(w, r, m)
	case p.modernOnly():
		p.log.violation("%s: not a way to talk to this revision", r.Method)
		notAllowed(w, "POST")
	case r.Method == http.MethodPost:
		p.post(w, r, m)
	case r.Method == http.MethodGet:
		p.get(w, r)
	case r.Method == http.MethodDelete:
		p.delete(w, r)
	default:
		notAllowed(w, "GET, POST, DELETE")
	}
}

func notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	w.WriteHeader(http.StatusMethodNotAllowed)
}

// override writes an answer of the test. An initialize still gets its session,
// so that $SESSION and $RESULT mean something.
func (p *Peer) override(w http.ResponseWriter, r *http.Request, a Response, m envelope) {
	c := p.newCarrier(w, r)
	if a.Gate != "" && !p.gates.pass(r.Context(), a.Gate) {
		return
	}
	session, result := r.Header.Get("Mcp-Session-Id"), "{}"
	if strings.Contains(a.Body+a.Wire, "$RESULT") {
		switch m.method {
		case "initialize":
			s := p.newSession(p.negotiate(m))
			s.declare(m)
			session, result = s.id, p.initializeResult(s)
		case "server/discover":
			result = completed(p.discoverResult(), p.hintFor("server/discover"))
		}
	}
	c.respond(a, strings.NewReplacer("$ID", m.id, "$SESSION", session, "$RESULT", result))
	c.wait(r.Context())
}

// session finds the session a request belongs to, or answers 400 or 404.
func (p *Peer) session(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" && !p.opts.Sessionless {
		fail(w, http.StatusBadRequest, -32000, "Bad Request: Mcp-Session-Id header is required")
		return nil
	}
	s := p.home.get(id)
	if s == nil {
		fail(w, http.StatusNotFound, -32001, "Session not found")
	}
	return s
}

func (p *Peer) delete(w http.ResponseWriter, r *http.Request) {
	s := p.session(w, r)
	if s == nil {
		return
	}
	p.judge(r, s, "DELETE")
	p.home.remove(s.id)
	w.WriteHeader(http.StatusNoContent)
}
