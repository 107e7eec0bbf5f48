//go:build !js

package acpserver

import "context"

// JSON is a value as it was written.
type JSON string

// UnmarshalJSON keeps the value as it is.
func (j *JSON) UnmarshalJSON(b []byte) error {
	*j = JSON(b)
	return nil
}

// An Entry is one thing that happened. What is not in it is empty.
type Entry struct {
	Kind string `json:"kind"`
	// Method and Status are those of an HTTP request, RPC and ID those of the
	// message that it brought.
	Method string `json:"method"`
	RPC    string `json:"rpc"`
	ID     JSON   `json:"id"`
	Status int    `json:"status"`
	// Connection is the Acp-Connection-Id; Peer numbers the agent's connections,
	// WebSockets included.
	Connection string `json:"connection"`
	Peer       int    `json:"peer"`
	Session    string `json:"session"`
	// Text is the prompt's text, the stopReason, the replay asked for, the method
	// of a question, or how a stream ended.
	Text string `json:"text"`
	// Message is the id of the user message that a prompt became.
	Message string `json:"message"`
	// Data is the answer to a question, a setting's value, the client's info.
	Data JSON `json:"data"`
}

// Log lists what has happened so far.
func (s *Server) Log() []Entry {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience) // a Cleanup may ask too
	defer cancel()
	b, err := read(ctx, s.control, 0, -1)
	if err != nil {
		s.t.Fatalf("acpserver: the log: %v", err)
	}
	return b.Log
}

// Of lists the entries of one kind so far.
func (s *Server) Of(kind string) []Entry {
	s.t.Helper()
	return Of(s.Log(), kind)
}

// Of picks the entries of one kind.
func Of(log []Entry, kind string) []Entry {
	var all []Entry
	for _, e := range log {
		if e.Kind == kind {
			all = append(all, e)
		}
	}
	return all
}

// Requests picks the HTTP requests that brought a method, or came with an HTTP
// method other than POST.
func Requests(log []Entry, method string) []Entry {
	var all []Entry
	for _, e := range Of(log, "http") {
		if e.RPC == method || e.Method == method {
			all = append(all, e)
		}
	}
	return all
}

// WaitLog returns true once ok accepts the log, false when ctx ends first. ok
// runs again after everything that happens.
func (s *Server) WaitLog(ctx context.Context, ok func([]Entry) bool) bool {
	return s.news.await(ctx, func(n *news) bool { return ok(n.log) })
}

// Await is WaitLog with a patience of its own: the test fails if ok never
// accepts, and says what was waited for.
func (s *Server) Await(what string, ok func([]Entry) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	if !s.WaitLog(ctx, ok) {
		s.t.Fatalf("acpserver: no %s within %v; the log: %+v", what, patience, s.Log())
	}
}

// AwaitKind waits until there are n entries of a kind and returns them.
func (s *Server) AwaitKind(kind string, n int) []Entry {
	s.t.Helper()
	s.Await(kind, func(log []Entry) bool { return len(Of(log, kind)) >= n })
	return s.Of(kind)
}
