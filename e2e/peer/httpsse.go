//go:build !js

package peer

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// HTTPSSE is how a server of revision 2024-11-05 opens its stream (2024-11-05
// basic/transports, HTTP with SSE). The zero value is well-behaved: the first
// event is "endpoint" with the path to POST to.
type HTTPSSE struct {
	// Endpoint is the data of the endpoint event, $SESSION standing for the id
	// of the session; "" means /messages?sessionId=$SESSION. An address on
	// another origin is one that a client must not follow.
	Endpoint string
	// NoEndpoint leaves the event out.
	NoEndpoint bool
	// First is text that leaves before the event, as it is.
	First string
	// Gate holds the event back, with the headers gone.
	Gate string
}

// messagesPath is where messages are POSTed to.
const messagesPath = "/messages"

// httpSSE reports whether the Peer is an HTTP+SSE server.
func (p *Peer) httpSSE() bool { return p.opts.Revision == Revision20241105 }

// serveHTTPSSE is the HTTP surface of revision 2024-11-05: GET opens a session,
// which lasts as long as its stream; POST to where the stream said.
func (p *Peer) serveHTTPSSE(w http.ResponseWriter, r *http.Request, m envelope) {
	switch {
	case r.URL.Path == p.opts.Path && r.Method == http.MethodGet:
		p.openSession(w, r)
	case r.URL.Path == messagesPath && r.Method == http.MethodPost:
		p.postMessage(w, r, m)
	case r.URL.Path == messagesPath:
		notAllowed(w, "POST")
	default:
		// What a client of newer revisions meets, and falls back from.
		notAllowed(w, "GET")
	}
}

func (p *Peer) openSession(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		p.log.violation("GET: Accept %q", r.Header.Get("Accept"))
		fail(w, http.StatusNotAcceptable, -32000, "Accept must name text/event-stream")
		return
	}
	s := p.newSession(Revision20241105)
	defer p.home.remove(s.id)
	s.standalone.noIDs, s.standalone.label = true, "message"
	c := p.newCarrier(w, r)
	c.openStream()
	how := p.opts.HTTPSSE
	c.write(how.First)
	if how.Gate != "" && !p.gates.pass(r.Context(), how.Gate) {
		return
	}
	if !how.NoEndpoint {
		endpoint := how.Endpoint
		if endpoint == "" {
			endpoint = messagesPath + "?sessionId=$SESSION"
		}
		c.write("event: endpoint\ndata: " + strings.ReplaceAll(endpoint, "$SESSION", s.id) + "\n\n")
	}
	s.standalone.attach(c, Fault{})
	c.wait(r.Context())
}

// postMessage takes one message; what it leads to comes on the stream.
func (p *Peer) postMessage(w http.ResponseWriter, r *http.Request, m envelope) {
	s := p.home.get(r.URL.Query().Get("sessionId"))
	if s == nil {
		fail(w, http.StatusNotFound, -32000, "no such session")
		return
	}
	switch {
	case m.request():
		p.runOnStream(s, m)
	case m.response():
		p.replied(s, m)
	default:
		p.notified(r, s, m)
	}
	w.WriteHeader(http.StatusAccepted)
	io.WriteString(w, "Accepted")
}

// runOnStream starts a script that writes to the session's one stream.
func (p *Peer) runOnStream(s *session, m envelope) {
	p.judgeRequest(s, m)
	script, _ := p.scriptFor(s, m)
	if script == nil {
		script = Script{Error(-32601, "method not found: "+m.method)}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	spent := &carrier{p: p, done: make(chan struct{})} // the POST is answered already
	spent.dead.Store(true)
	p.play(&run{
		p: p, ctx: ctx, stop: cancel, session: s, stream: s.standalone, shared: true, post: spent,
		id: m.id, method: m.method, params: m.params, level: s.logLevel(),
		token: string(field(m.params, "_meta", "progressToken")),
	}, script)
}
