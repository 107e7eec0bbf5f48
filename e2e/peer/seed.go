//go:build !js

package peer

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// SeedOptions are the choices that servers in the wild make in different ways.
// The zero value takes the one farthest from the specification.
type SeedOptions struct {
	// InitializeAsJSON answers initialize with 200 and JSON instead of 202 and
	// an event stream.
	InitializeAsJSON bool
	// InitializeOnGET answers initialize with 202 and no body; the result comes
	// on a GET with the session's id.
	InitializeOnGET bool
	// Notified is the status that notifications get: 204 (also for 0) or 200.
	Notified int
	// Gone is the status for a session that is missing or unknown: 404 (also
	// for 0) or 410.
	Gone int
	// NameEvents puts the optional "event: message" before data.
	NameEvents bool
	// Heartbeat is the interval of comments on open streams.
	Heartbeat time.Duration
}

// Seed starts a server that behaves as many servers in the wild do,
// whatever the specification says: revision 2025-06-18, initialize answered by 202 and an
// event stream with the session id in that answer's headers, notifications by
// 204, tools/list as one event, CRLF line ends, no event ids, 200 and JSON to a
// GET without parameters, an event stream to one with; and to browsers exactly
// the CORS headers of CORS2025, no more. It knows four methods only: initialize,
// notifications/initialized, tools/list and tools/call. Statuses on demand are FailNext's, lost sessions
// Expire's.
func Seed(t testing.TB, with ...SeedOptions) *Peer {
	t.Helper()
	o := SeedOptions{}
	if len(with) > 0 {
		o = with[0]
	}
	if o.Notified == 0 {
		o.Notified = http.StatusNoContent
	}
	if o.Gone == 0 {
		o.Gone = http.StatusNotFound
	}
	p := start(t, &Peer{t: t, seed: &o, opts: Options{
		Revision: Revision20250618, Path: "/mcp", NoEventIDs: true, CORS: CORS2025(),
		KeepAlive: o.Heartbeat, CRLF: true, Capabilities: `{"tools":{}}`,
	}})
	p.Form("tools/list", SSE)
	if !o.InitializeAsJSON {
		p.Form("initialize", SSE)
	}
	return p
}

func (p *Peer) serveSeed(w http.ResponseWriter, r *http.Request, m envelope) {
	switch r.Method {
	case http.MethodPost:
		p.postSeed(w, r, m)
	case http.MethodGet:
		p.getSeed(w, r)
	default:
		notAllowed(w, "GET, POST, OPTIONS")
	}
}

func (p *Peer) postSeed(w http.ResponseWriter, r *http.Request, m envelope) {
	if m.method == "initialize" && m.request() {
		p.openSeed(w, r, m)
		return
	}
	s := p.seedSession(w, r)
	if s == nil {
		return
	}
	p.judge(r, s, "POST "+m.method)
	switch {
	case m.response():
		p.replied(s, m)
		w.WriteHeader(p.seed.Notified)
	case !m.request():
		p.notified(r, s, m)
		w.WriteHeader(p.seed.Notified)
	case m.method != "tools/list" && m.method != "tools/call":
		refusal{status: http.StatusOK, code: -32601, message: "method not found: " + m.method}.write(w, m)
	default:
		p.request(w, r, s, m)
	}
}

// openSeed answers initialize; whichever way, "the response headers must carry
// mcp-session-id".
func (p *Peer) openSeed(w http.ResponseWriter, r *http.Request, m envelope) {
	if r.Header.Get("Mcp-Session-Id") != "" {
		p.log.violation("initialize: with a session id")
	}
	s := p.newSession(p.negotiate(m))
	s.standalone.label = p.seedLabel()
	w.Header().Set("Mcp-Session-Id", s.id)
	if p.seed.InitializeOnGET {
		p.judgeRequest(s, m)
		w.WriteHeader(http.StatusAccepted)
		s.standalone.emit(event{retry: -1, data: response(m.id, "result", p.initializeResult(s))})
		return
	}
	p.request(w, r, s, m)
}

// getSeed: "a GET without parameters should get 200 and a short explanation; a
// GET for SSE gets text/event-stream" (sections 3.2 and 6).
func (p *Peer) getSeed(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" && !p.seed.InitializeOnGET {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"name":"seed","transport":"http-stream","protocolVersion":"2025-06-18"}`)
		return
	}
	s := p.seedSession(w, r)
	if s == nil {
		return
	}
	if !p.seed.InitializeOnGET { // else nobody knows the revision yet
		p.judge(r, s, "GET")
	}
	c := p.newCarrier(w, r)
	c.openStream()
	s.standalone.attach(c, Fault{})
	c.wait(r.Context())
	s.standalone.drop(c)
}

func (p *Peer) seedSession(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get("Mcp-Session-Id")
	if s := p.home.get(id); s != nil && id != "" {
		return s
	}
	// The document gives no body; a JSON-RPC one would be easy to mistake.
	http.Error(w, "session not found", p.seed.Gone)
	return nil
}

func (p *Peer) seedLabel() string {
	if p.seed != nil && p.seed.NameEvents {
		return "message"
	}
	return ""
}

// seedStatus is the status of an event stream in answer to a method.
func (p *Peer) seedStatus(method string) int {
	if p.seed != nil && method == "initialize" {
		return http.StatusAccepted
	}
	return http.StatusOK
}

// FailNext answers the next n requests of one kind with a Response, and leaves
// those after to the Peer: FailNext("tools/call", 1, Response{Status: 503}).
func (p *Peer) FailNext(kind string, n int, r Response) {
	p.AnswerFunc(kind, func(i int, _ Request) *Response {
		if i <= n {
			return &r
		}
		return nil
	})
}
