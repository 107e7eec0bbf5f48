//go:build !js

package peer

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
)

// postModern takes one self-describing request (2026-07-28
// basic/transports/streamable-http, sending messages).
func (p *Peer) postModern(w http.ResponseWriter, r *http.Request, m envelope) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		p.log.violation("%s: Content-Type %q", m.method, r.Header.Get("Content-Type"))
		fail(w, http.StatusUnsupportedMediaType, -32600, "Content-Type must be application/json")
		return
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		p.log.violation("%s: Accept %q", m.method, r.Header.Get("Accept"))
		fail(w, http.StatusNotAcceptable, -32600, "Accept must name application/json and text/event-stream")
		return
	}
	switch {
	case m.response():
		p.log.violation("a JSON-RPC response was sent (id %s)", m.id)
		fail(w, http.StatusBadRequest, -32600, "this revision has no responses from clients")
		return
	case !m.request():
		// "This revision of the core protocol defines no client-to-server
		// notifications over Streamable HTTP."
		p.log.violation("%s: a notification was sent", m.method)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if bad := p.checkModern(r, m); bad != nil {
		if bad.violation {
			p.log.violation("%s: %s", m.method, bad.message)
		}
		bad.write(w, m)
		return
	}
	p.judgeModern(r, m)
	p.requestModern(w, r, m)
}

// requestModern starts the script of a request. Unlike a legacy one it ends with
// the connection that asked for it: "Closing the SSE response stream MUST be
// treated by the server as cancellation of that request."
func (p *Peer) requestModern(w http.ResponseWriter, r *http.Request, m envelope) {
	// Nobody else ever refers to this request, so it is a session of its own.
	s := &session{
		revision: Revision20260728, ready: true,
		cursors: make(map[string]position), replies: make(map[string]envelope),
	}
	s.ctx, s.end = context.WithCancel(p.ctx)
	w.Header().Set("X-Accel-Buffering", "no")
	job := &run{
		p: p, ctx: s.ctx, session: s, post: p.newCarrier(w, r), modern: true,
		id: m.id, method: m.method, params: m.params,
		token: string(field(m.params, "_meta", "progressToken")),
		level: text(m.params, "_meta", metaLogLevel),
	}
	script, asJSON := p.scriptFor(s, m)
	if script == nil {
		s.end()
		refusal{status: http.StatusNotFound, code: -32601, message: "method not found: " + m.method}.write(
			w, m)
		return
	}
	if job.json = asJSON; !asJSON {
		job.stream = p.newStream(s)
		job.stream.noIDs = true // "Resumable SSE streams are not supported."
		job.stream.now.Store(job.post)
	}
	p.modern.add(job)
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		defer p.modern.remove(job)
		defer s.end()
		job.play(script)
		job.finish()
	}()
	job.post.wait(r.Context())
	if job.stream != nil {
		job.stream.drop(job.post)
	}
	left, answered := p.left(r, job.post), job.answered.Load()
	switch {
	case left && !answered:
		p.modern.count(job.key())
		if !p.opts.IgnoreCancel {
			s.end()
		}
	case left:
		s.end()
	case !answered:
		// The server's own cut: what the tool began, it finishes.
		p.modern.lose(m)
	}
	p.changed.signal()
}

// left reports whether the client closed the response, and not the Peer.
func (p *Peer) left(r *http.Request, c *carrier) bool {
	if r.Context().Err() == nil || c.ours.Load() || p.ctx.Err() != nil {
		return false
	}
	p.lifeMu.Lock()
	defer p.lifeMu.Unlock()
	return p.server != nil && p.server == r.Context().Value(http.ServerContextKey)
}

// key names a request in Cancelled.
func (r *run) key() string {
	if r.method == "tools/call" {
		return text(r.params, "name")
	}
	return r.method
}

// A refusal is a JSON-RPC error under an HTTP status of its own.
type refusal struct {
	status, code int
	message      string
	data         string
	violation    bool // the client should have known better
}

func (e refusal) body(id string) string {
	if id == "" {
		id = "null"
	}
	failure := map[string]any{"code": e.code, "message": e.message}
	if e.data != "" {
		failure["data"] = json.RawMessage(e.data)
	}
	return response(id, "error", quote(failure))
}

func (e refusal) write(w http.ResponseWriter, m envelope) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	w.Write([]byte(e.body(m.id)))
}
