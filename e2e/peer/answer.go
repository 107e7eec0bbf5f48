//go:build !js

package peer

import (
	"io"
	"net/http"
	"strings"
)

// A Response is an HTTP answer written by the test, hostile or odd. In Body and
// header values $ID stands for the request's JSON-RPC id, $SESSION for a
// session id (for initialize: of a session made for it) and $RESULT for the
// result that the Peer would have sent to initialize.
type Response struct {
	// Status is the HTTP status; 0 means 200.
	Status int
	// Header to set; a body is application/json unless set here. A
	// Content-Length greater than the body makes the body end short.
	Header map[string]string
	// Body of the answer.
	Body string
	// Write produces more body after Body, for what is too large to hold; it
	// must be bounded.
	Write func(io.Writer) error
	// Cut ends the connection after the body; None and Clean end it properly.
	Cut Cutting
	// Wire, if not empty, is all that is sent, status line and headers
	// included; then the connection is closed.
	Wire string
	// Gate holds the answer back until the gate lets it through.
	Gate string
}

type override struct {
	count int
	next  func(n int, r Request) *Response
}

// Answer replaces the Peer's answer to every request of one kind (see Delay), or
// with "*" to every one that has no rule of its own.
// What the request asks for is not done: a tool does not run.
func (p *Peer) Answer(kind string, r Response) {
	p.AnswerFunc(kind, func(int, Request) *Response { return &r })
}

// AnswerFunc asks f about every request of one kind; n counts them from 1. A
// nil Response leaves the request to the Peer, a nil f ends the override.
func (p *Peer) AnswerFunc(kind string, f func(n int, r Request) *Response) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	if p.rules.answer == nil {
		p.rules.answer = make(map[string]*override)
	}
	p.rules.answer[kind] = &override{next: f}
}

func (r *rules) answerTo(kind string, req Request) *Response {
	r.mu.Lock()
	o := r.answer[kind]
	if o == nil || o.next == nil {
		o = r.answer["*"]
	}
	if o == nil || o.next == nil {
		r.mu.Unlock()
		return nil
	}
	o.count++
	n, next := o.count, o.next
	r.mu.Unlock()
	return next(n, req)
}

// respond writes r to the carrier and ends it.
func (c *carrier) respond(r Response, vars *strings.Replacer) {
	if r.Wire != "" {
		c.respondRaw(vars.Replace(r.Wire))
		return
	}
	c.mu.Lock()
	// Of a handler that has returned the head must not even be asked for, over HTTP/2.
	if !c.dead.Load() && !c.opened {
		h := c.w.Header()
		if r.Body != "" || r.Write != nil {
			h.Set("Content-Type", "application/json")
		}
		for k, v := range r.Header {
			h.Set(k, vars.Replace(v))
		}
		c.w.WriteHeader(max(r.Status, http.StatusOK))
		flush := http.NewResponseController(c.w)
		if r.Body != "" {
			c.flushLocked([]byte(vars.Replace(r.Body)))
		}
		if r.Write != nil {
			r.Write(c.w)
		}
		if h.Get("Content-Length") == "" || r.Cut != None {
			flush.Flush()
		}
	}
	c.mu.Unlock()
	if r.Cut == None {
		r.Cut = Clean
	}
	c.cut(r.Cut)
}

func (c *carrier) respondRaw(all string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ours.Store(true)
	c.dead.Store(true)
	if conn, _, err := http.NewResponseController(c.w).Hijack(); err == nil {
		io.WriteString(conn, all)
		conn.Close()
	}
	c.once.Do(func() { close(c.done) })
}

// fail writes a JSON-RPC error without id under an HTTP status, as servers do
// when the request never reached the protocol.
func fail(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, quote(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message},
	}))
}
