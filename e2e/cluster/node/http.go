package node

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

const (
	headerSession  = "Mcp-Session-Id"
	headerRevision = "Mcp-Protocol-Version"
	headerCursor   = "Last-Event-ID"

	// maxBody is what a request may have, in bytes; the Go SDK's own limit.
	maxBody = 4 << 20
	// modern is the first revision without sessions. Revisions are dates.
	modern = "2026-07-28"
)

// ServeHTTP serves the endpoint.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if n.ctx.Err() != nil || !n.leased() {
		unavailable(w) // the load balancer, or the client, tries another node
		return
	}
	if r.Header.Get(headerRevision) >= modern {
		if n.cfg.Modern == nil {
			http.Error(w, "this server does not speak "+modern, http.StatusBadRequest)
			return
		}
		n.cfg.Modern.ServeHTTP(w, r)
		return
	}
	switch r.Method {
	case http.MethodPost:
		n.post(w, r)
	case http.MethodGet:
		n.get(w, r)
	case http.MethodDelete:
		if s := n.sessionOf(w, r); s != nil {
			if err := n.endSession(r.Context(), s); err != nil {
				fail(w, err)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "the store is away", http.StatusServiceUnavailable)
}

// fail answers with what went wrong, before anything was sent. What is lost is 400, as the Go SDK has it: 404
// would say that the session is gone.
func fail(w http.ResponseWriter, err error) {
	var told *store.Error
	switch {
	case errors.Is(err, errNoSession):
		http.Error(w, errNoSession.Error(), http.StatusNotFound)
	case errors.As(err, &told) && told.Lost():
		http.Error(w, "this stream cannot be resumed from there: "+string(told.Code), http.StatusBadRequest)
	default:
		unavailable(w)
	}
}

// sessionOf returns the session of a request; nil where there is none, which is answered.
func (n *Node) sessionOf(w http.ResponseWriter, r *http.Request) *Session {
	id := r.Header.Get(headerSession)
	if id == "" {
		http.Error(w, "Mcp-Session-Id is missing", http.StatusBadRequest)
		return nil
	}
	s, err := n.session(r.Context(), id, n.cfg.User(r))
	if err != nil {
		fail(w, err)
		return nil
	}
	return s
}

func (n *Node) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read, or is too large", http.StatusRequestEntityTooLarge)
		return
	}
	message, what := sort(body)
	var session *Session
	switch {
	case what == notMessage:
		http.Error(w, "one JSON-RPC message is expected", http.StatusBadRequest)
		return
	case what == request && message.Method == "initialize" && r.Header.Get(headerSession) == "":
		session = &Session{ID: rand.Text(), User: n.cfg.User(r), Initialize: body}
		if err := n.Keep(r.Context(), session); err != nil {
			fail(w, err)
			return
		}
		w.Header().Set(headerSession, session.ID)
		var said struct {
			Params struct{ ProtocolVersion string }
		}
		_ = json.Unmarshal(body, &said)
		r.Header.Set(headerRevision, said.Params.ProtocolVersion)
	default:
		if session = n.sessionOf(w, r); session == nil {
			return
		}
	}
	if what != request {
		if err := n.said(r.Context(), session, body); err != nil {
			fail(w, err)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	// What a client that has gone has asked for is done all the same: nothing here ends with its connection.
	c, err := n.keepNew(context.WithoutCancel(r.Context()), session, body,
		http.Header{headerRevision: r.Header[headerRevision]})
	if err == nil {
		if err = n.begin(c); err != nil && err != errBegun {
			// It may have begun, and then another node runs it: the client has to know that nobody knows.
			panic(http.ErrAbortHandler)
		}
	}
	switch {
	case err == nil:
		n.work.Go(func() { n.run(c) })
	case err != errBegun:
		fail(w, err)
		return
	}
	n.stream(w, r, c.stream, c.stream.Start())
}

func (n *Node) get(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(headerCursor) == "" {
		// What a server says outside of a call is not kept.
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "there is no stream but those of calls", http.StatusMethodNotAllowed)
		return
	}
	session := n.sessionOf(w, r)
	if session == nil {
		return
	}
	name, text, _ := strings.Cut(r.Header.Get(headerCursor), "_")
	at, ok := store.ParsePosition(text)
	if !ok || name == "" {
		http.Error(w, "Last-Event-ID is none of this server's", http.StatusBadRequest)
		return
	}
	n.stream(w, r, store.Stream{Session: session.ID, Name: name}, at)
}
