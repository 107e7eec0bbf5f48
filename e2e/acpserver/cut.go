//go:build !js

package acpserver

import "encoding/json"

// The ways for a stream to end before its session does.
const (
	// Clean ends the body properly, as a proxy's idle timeout does; a WebSocket
	// closes with 1001. Nothing is lost.
	Clean = "clean"
	// FIN closes the connection without the terminating chunk, behind everything
	// that was sent.
	FIN = "fin"
	// Reset closes with RST: the client loses what it had not read.
	Reset = "reset"
	// Within sends half of a message and RST. (RandomCuts only.)
	Within = "within"
	// Unsent sends RST in place of a message, which the server takes for sent.
	// (RandomCuts only.)
	Unsent = "unsent"
)

// A Cut says which streams end, and how. Without Session and All it is the
// connection's own stream, or the WebSocket.
type Cut struct {
	Connection string // "" is any
	Session    string
	All        bool
	How        string
}

// Cut ends streams and returns how many there were.
func (s *Server) Cut(c Cut) int {
	s.t.Helper()
	var n int
	s.do("cut", map[string]any{"connection": c.Connection, "session": c.Session, "all": c.All, "how": c.How},
		&n)
	return n
}

// RandomCuts decide by a seed where streams end: by what a message says and how
// often it was said, so that the same seed cuts the same messages, whatever comes
// between them.
type RandomCuts struct {
	Seed uint32
	// Chance of a cut at each message, from 0 to 1.
	Chance float64
	// Most is the most cuts; 0 means no limit.
	Most int
	// Ways are the ways to cut, of which one is drawn; nil means all five.
	Ways []string
	// Session is the only session whose stream is cut; "" means every stream.
	Session string
	// AfterPrompt: nothing is cut before the agent has the next prompt.
	AfterPrompt bool
}

// CutAtRandom cuts streams from now on; the zero RandomCuts ends it.
func (s *Server) CutAtRandom(c RandomCuts) {
	s.t.Helper()
	plan := map[string]any{"seed": c.Seed, "chance": c.Chance, "session": c.Session,
		"afterPrompt": c.AfterPrompt}
	if c.Most > 0 {
		plan["most"] = c.Most
	}
	if c.Ways != nil {
		plan["ways"] = c.Ways
	}
	s.do("cuts", map[string]any{"plan": plan}, nil)
}

// RandomCutsMade is how many cuts CutAtRandom has made since it was last called.
func (s *Server) RandomCutsMade() int {
	s.t.Helper()
	var n int
	s.do("made", nil, &n)
	return n
}

// A Stream is an event stream or a WebSocket that is open.
type Stream struct {
	Number     int    `json:"number"`
	Kind       string `json:"kind"` // sse or websocket
	Connection string `json:"connection"`
	Session    string `json:"session"` // "" is the connection's own
}

// Streams lists what is open.
func (s *Server) Streams() []Stream {
	s.t.Helper()
	var all []Stream
	s.do("streams", nil, &all)
	return all
}

// Forget gives up on a connection, as a server with an idle timeout does: what
// comes for it gets 404. Its sessions live on.
func (s *Server) Forget(connection string) {
	s.t.Helper()
	var status int
	if s.do("forget", map[string]any{"connection": connection}, &status); status != 202 {
		s.t.Fatalf("acpserver: nothing known of connection %q: %d", connection, status)
	}
}

// Updates is a session's history: every update that was sent and is replayed, in
// the terms of v2, states and notices excepted.
func (s *Server) Updates(session string) []json.RawMessage {
	s.t.Helper()
	var all []json.RawMessage
	s.do("history", map[string]any{"session": session}, &all)
	return all
}

// State is a session's state_update of the moment, as JSON.
func (s *Server) State(session string) json.RawMessage {
	s.t.Helper()
	var state json.RawMessage
	s.do("state", map[string]any{"session": session}, &state)
	return state
}
