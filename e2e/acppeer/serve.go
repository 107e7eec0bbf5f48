//go:build !js

package acppeer

import (
	"io"
	"net/http"
	"strings"
)

// serve is the HTTP surface (RFD streamable-http-websocket-transport). A request is logged, may be
// refused or delayed by a rule, and only then means what the specification says.
func (p *Peer) serve(w http.ResponseWriter, r *http.Request) {
	p.work.Add(1)
	defer p.work.Done()
	if r.URL.Path != "/acp" {
		http.NotFound(w, r)
		return
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		p.upgrade(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m := parse(body)
	entry := &Request{
		HTTPMethod: r.Method, Header: r.Header.Clone(), Method: m.Method, ID: string(m.ID),
		Body:       string(body),
		Connection: r.Header.Get("Acp-Connection-Id"), Session: r.Header.Get("Acp-Session-Id"),
		LastEventID: r.Header.Get("Last-Event-Id"),
	}
	p.change(func() { p.requests = append(p.requests, entry) })
	w = &recorder{ResponseWriter: w, p: p, entry: entry}
	if r.Method == http.MethodOptions {
		p.opts.CORS.preflight(w, r)
		return
	}
	rule := p.ruleFor(entry)
	if rule.Gate != "" && !p.pass(r.Context(), rule.Gate) {
		return
	}
	p.opts.CORS.decorate(w, r)
	if !rule.After && rule.answer(w, r) {
		return
	}
	if rule.After && (rule.Cut != None || rule.Status != 0) {
		p.route(discarding{http.Header{}}, r, m, entry)
		rule.answer(w, r)
		return
	}
	p.route(w, r, m, entry)
}

// discarding takes an answer that nobody shall get.
type discarding struct{ header http.Header }

func (d discarding) Header() http.Header         { return d.header }
func (d discarding) Write(b []byte) (int, error) { return len(b), nil }
func (d discarding) WriteHeader(int)             {}

func (p *Peer) route(w http.ResponseWriter, r *http.Request, m message, entry *Request) {
	if r.Method == http.MethodPost && m.bad {
		http.Error(w, "Invalid JSON", http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodPost && m.Method == "initialize" {
		p.initializeHTTP(w, m, entry)
		return
	}
	if entry.Connection == "" {
		http.Error(w, "Missing Acp-Connection-Id", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	c := p.connections[entry.Connection]
	p.mu.Unlock()
	if c == nil {
		http.Error(w, "Unknown Acp-Connection-Id", http.StatusNotFound)
		return
	}
	switch r.Method {
	case http.MethodGet:
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			http.Error(w, "Not Acceptable", http.StatusNotAcceptable)
			return
		}
		p.get(w, r, c, entry)
	case http.MethodDelete:
		p.Forget(c.id)
		w.WriteHeader(http.StatusAccepted)
	case http.MethodPost:
		if status, why := p.misplaced(m, entry.Session); status != 0 {
			http.Error(w, why, status)
			return
		}
		p.receive(c, m, entry.Session)
		w.WriteHeader(http.StatusAccepted)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (p *Peer) initializeHTTP(w http.ResponseWriter, m message, entry *Request) {
	if entry.Connection != "" {
		http.Error(w, "Initialize not allowed on existing connection", http.StatusBadRequest)
		return
	}
	c := p.connect(nil)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Acp-Connection-Id", c.id)
	io.WriteString(w, p.initialize(c, m))
}

// misplaced checks the session header: session-scoped messages and the answers to
// what came on a session's stream must name the session (RFD streamable-http-websocket-transport).
func (p *Peer) misplaced(m message, header string) (status int, why string) {
	want := m.session()
	if m.Method == "" {
		p.mu.Lock()
		if q := p.questions[string(m.ID)]; q != nil {
			want = q.session
		}
		p.mu.Unlock()
	}
	switch {
	case want != "" && header == "":
		return http.StatusBadRequest, "Missing Acp-Session-Id"
	case want != "" && header != want:
		return http.StatusBadRequest, "Mismatched Acp-Session-Id"
	}
	return 0, ""
}
