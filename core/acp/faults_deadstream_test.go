//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 240: an agent's server takes a stream for alive that is dead, as a page that
// was reloaded leaves it, and writes an answer to it. What may be asked once only
// waits until the next stream is there; what may be asked twice is asked again.
func TestFault240_AnsweredOnADeadStream(t *testing.T) {
	for _, broken := range []struct {
		name string
		cut  func(s *sim)
	}{
		{"the stream of the page before", func(s *sim) { s.load() }},
		{"a stream of this page", func(s *sim) { s.cut(s.agent.connections["c1"].box("").x, 0) }},
	} {
		for _, method := range []string{"session/new", "session/list", "_extension"} {
			t.Run(broken.name+", "+method, func(t *testing.T) {
				m := newModel()
				s := newSim(t, acp.Config{}, m)
				s.session()
				before := len(m.of(method))
				m.taken = 3 // GETs that get a 409, as long as the dead stream stands
				broken.cut(s)
				call := s.request(0, method, `{"cwd":"/w","mcpServers":[]}`)
				m.connections["c1"].box("").frames = nil // written to the dead stream
				s.settle(60_000)
				end := s.settled(call)
				s.expect(end.Outcome == engine.OutcomeResult || method != "session/new" &&
					end.Outcome == engine.OutcomeRPCError,
					"it ended with %+v", end)
				asked := len(m.of(method)) - before
				s.expect(asked == 1 || method == "session/list" && asked == 2, "it was asked %d times", asked)
			})
		}
	}
}

// Servers exist that answer no GET before they have something to say: what waits for
// a stream does so for a moment only.
func TestFault240_NoHeadBeforeNews(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{}, m)
	s.session()
	m.silent["GET"] = true
	s.load()
	s.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	s.settle(4_900)
	s.expect(len(m.of("session/new")) == 1, "it does not wait")
	s.settle(200)
	s.expect(len(m.of("session/new")) == 2, "it waits for a stream that says nothing")
}

// A request that never left is no request whose outcome is unknown, and may be made again.
func TestFault240_NeverSent(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{}, m)
	s.session()
	s.load()
	m.taken = 1 << 30
	s.cut(m.connections["c1"].box("").x, 0)
	call := s.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	s.settle(121_000)
	end := s.settled(call)
	s.expect(end.Failure != nil && end.Failure.Code == engine.CodeTimeout && end.Failure.Retryable,
		"it ended with %+v", end.Failure)
	s.expect(len(m.of("session/new")) == 1, "it left")
}

// A login takes its time, and the stream may be refused until it is done: it waits for
// no stream.
func TestFault240_LoginIsNotHeld(t *testing.T) {
	for _, method := range []string{"authenticate", "auth/login"} {
		m := newModel()
		m.answers = `"info":{"name":"m","version":"1"},"capabilities":{"session":{}},` +
			`"authMethods":[{"methodId":"x","name":"x","type":"agent"}]`
		s := newSim(t, acp.Config{}, m)
		s.session()
		m.taken = 1 << 30
		s.load()
		s.request(0, method, `{"methodId":"x"}`)
		s.settle(1_000)
		s.expect(len(m.of(method)) == 1, "%s waits for a stream", method)
	}
}

// A session that is loaded while the stream comes back may take the agent long: it is
// asked for once, and its history is there once.
func TestFault240_SlowLoadIsAskedOnce(t *testing.T) {
	m, _ := version1()
	s := newSim(t, acp.Config{}, m)
	s.session()
	m.sessions["old"] = &modelSession{m: m, id: "old", history: []string{
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"an answer"}}`,
	}}
	s.settle(20_000)
	m.silent["session/load"] = true
	m.taken = 1
	s.load()
	call := s.request(0, "session/load", `{"sessionId":"old","cwd":"/w","mcpServers":[]}`)
	s.settle(6_000)
	delete(m.silent, "session/load")
	asked := 0
	for _, q := range m.of("session/load") {
		if q.Session == "old" {
			asked++
			m.handle(m.connections["c1"], q)
		}
	}
	s.settle(20_000)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "it ended with %+v", s.settled(call).Failure)
	s.expect(asked == 1, "it was asked for %d times", asked)
}
