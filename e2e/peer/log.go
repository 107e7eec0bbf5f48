//go:build !js

package peer

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// A Request is one entry of the Peer's log: a request as it came in, preflights
// included, and the status it got. Entries are copies; Header and Body are not
// to be changed.
type Request struct {
	// Time of arrival, with the monotonic clock: use Sub for distances.
	Time time.Time
	// HTTPMethod is POST, GET, DELETE or OPTIONS.
	HTTPMethod string
	// URL as received: the path, and the query where there is one.
	URL string
	// Header as received.
	Header http.Header
	// Method is the JSON-RPC method; "" for a JSON-RPC response and for
	// anything but a POST.
	Method string
	// ID is the JSON-RPC id as it was written (1, "1", null); "" if there is
	// none.
	ID string
	// Body as received.
	Body []byte
	// Session is the Mcp-Session-Id that came along.
	Session string
	// LastEventID is the cursor that came along.
	LastEventID string
	// Status is the HTTP status sent; 0 while no header has left, and for
	// ever if the connection died before.
	Status int
}

type requestLog struct {
	changed *changes
	mu      sync.Mutex
	all     []*Request
	wrong   []string
}

func (l *requestLog) add(r *Request) {
	l.mu.Lock()
	l.all = append(l.all, r)
	l.mu.Unlock()
	l.changed.signal()
}

func (l *requestLog) status(r *Request, status int) {
	l.mu.Lock()
	r.Status = status
	l.mu.Unlock()
	l.changed.signal()
}

// Requests returns the log so far, oldest first.
func (p *Peer) Requests() []Request {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	out := make([]Request, len(p.log.all))
	for i, r := range p.log.all {
		out[i] = *r
	}
	return out
}

// WaitRequests returns true once ok accepts the log, false when ctx ends
// first. ok runs again after every arrival and every status.
func (p *Peer) WaitRequests(ctx context.Context, ok func([]Request) bool) bool {
	return p.changed.await(ctx, func() bool { return ok(p.Requests()) })
}

// Of returns the logged requests of one kind: a JSON-RPC method, an HTTP
// method, "RESUME" (a GET with Last-Event-ID) or "RESPONSE" (a POSTed JSON-RPC
// response).
func (p *Peer) Of(kind string) []Request {
	var out []Request
	for _, r := range p.Requests() {
		if r.Method == kind || r.HTTPMethod == kind || r.kind() == kind {
			out = append(out, r)
		}
	}
	return out
}

// kind is the key under which rules (Answer, Delay) look a request up.
func (r Request) kind() string {
	switch {
	case r.HTTPMethod == http.MethodGet && r.LastEventID != "":
		return "RESUME"
	case r.HTTPMethod == http.MethodPost && r.Method == "":
		return "RESPONSE"
	case r.HTTPMethod == http.MethodPost:
		return r.Method
	}
	return r.HTTPMethod
}

// recorder notes the status that leaves.
type recorder struct {
	http.ResponseWriter
	log   *requestLog
	entry *Request
	wrote bool
}

func (w *recorder) WriteHeader(status int) {
	if !w.wrote && status >= 200 {
		w.wrote = true
		w.log.status(w.entry, status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush and hijack.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
