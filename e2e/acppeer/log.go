//go:build !js

package acppeer

import (
	"encoding/json"
	"net/http"
	"slices"
)

// A Request is one HTTP request, preflights included, or one message that came
// over a WebSocket, as it came.
type Request struct {
	HTTPMethod string // "WS" for a message over a WebSocket
	Header     http.Header
	// Method is the JSON-RPC method; "" for a response and for what has no body.
	Method string
	// ID is the JSON-RPC id as it was written.
	ID string
	// Body as received.
	Body        string
	Connection  string
	Session     string
	LastEventID string
	// Status is the HTTP status sent; 0 while none has been, and for ever if the
	// connection died before.
	Status int
}

// kind is the key under which rules look a request up.
func (r Request) kind() string {
	switch {
	case r.HTTPMethod != http.MethodPost && r.HTTPMethod != "WS":
		return r.HTTPMethod
	case r.Method == "":
		return "RESPONSE"
	}
	return r.Method
}

// Requests returns the log so far, oldest first.
func (p *Peer) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Request, len(p.requests))
	for i, r := range p.requests {
		all[i] = *r
	}
	return all
}

// Of lists the requests of one kind: a JSON-RPC method, "RESPONSE", or an HTTP
// method.
func (p *Peer) Of(kind string) []Request {
	return slices.DeleteFunc(p.Requests(), func(r Request) bool { return r.kind() != kind })
}

// AwaitRequests waits until there are n requests of a kind and returns them.
func (p *Peer) AwaitRequests(kind string, n int) []Request {
	p.t.Helper()
	p.Await(kind, func() bool { return len(p.Of(kind)) >= n })
	return p.Of(kind)
}

// Deletes is how often a connection was given up with DELETE.
func (p *Peer) Deletes() int { return len(p.Of(http.MethodDelete)) }

// Prompts are the texts of the prompts that came in, whatever became of them: one
// that is there twice was sent twice.
func (p *Peer) Prompts() []string {
	var all []string
	for _, r := range p.Of("session/prompt") {
		var m struct{ Params promptParams }
		json.Unmarshal([]byte(r.Body), &m)
		all = append(all, m.Params.text())
	}
	return all
}

// recorder notes the status that leaves.
type recorder struct {
	http.ResponseWriter
	p     *Peer
	entry *Request
}

func (w *recorder) WriteHeader(status int) {
	w.p.change(func() { w.entry.Status = status })
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController flush and hijack.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
