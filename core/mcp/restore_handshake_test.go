package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestHandshakeThatIsNotTakenUp: of what an earlier page has stored of the server only
// a whole handshake of a revision that may be spoken saves a new one.
func TestHandshakeThatIsNotTakenUp(t *testing.T) {
	whole := journal.Server{Handshake: 3, Revision: "2025-11-25",
		Result: []byte(`{"protocolVersion":"2025-11-25","capabilities":{}}`),
		Client: []byte("{\"name\":\"rig\"}\n{}"), HasSession: true, Session: "s1"}
	for name, test := range map[string]struct {
		pinned string
		change func(s *journal.Server)
		saved  bool
	}{
		"whole":              {"", func(*journal.Server) {}, true},
		"whole, and pinned":  {"2025-11-25", func(*journal.Server) {}, true},
		"without a session":  {"", func(s *journal.Server) { s.HasSession, s.Session = false, "" }, true},
		"sealed":             {"", func(s *journal.Server) { s.Session = "" }, false},
		"of no revision":     {"", func(s *journal.Server) { s.Revision = "2099-01-01" }, false},
		"of another one":     {"2025-06-18", func(*journal.Server) {}, false},
		"of HTTP+SSE":        {"", func(s *journal.Server) { s.Revision = "2024-11-05" }, false},
		"without a result":   {"", func(s *journal.Server) { s.Result = nil }, false},
		"its result a list":  {"", func(s *journal.Server) { s.Result = []byte("[]") }, false},
		"its result cut off": {"", func(s *journal.Server) { s.Result = s.Result[:9] }, false},
	} {
		s := whole
		test.change(&s)
		plain, secret := journal.AppendServer(&s)
		c := mcp.New(mcp.Config{URL: "https://server.test/mcp", ClientInfo: []byte(`{"name":"rig"}`),
			Capabilities: []byte("{}"), Revision: test.pinned, NoListen: true, Journal: true, Epoch: 2,
			Seed: 1})
		c.Restore(1, journal.AppendOp(nil, journal.Op{Kind: journal.OpServer, Plain: plain, Secret: secret}))
		c.Start(1)
		made := false
		for e, ok := c.Next(); ok; e, ok = c.Next() {
			made = made || e.Kind == engine.Fetch
		}
		if made == test.saved {
			t.Errorf("%s: a handshake is made: %v", name, made)
		}
	}
}
