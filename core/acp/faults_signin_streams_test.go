//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 747: the agent's sessions wait until somebody has signed in. Their client wants no connection
// meanwhile, which other tabs may need; the apps of the sessions hear that they wait for a sign-in, and not
// for a connection. Behind the sign-in each is read again.
func TestFault747_AgentAwaitsWithoutAConnection(t *testing.T) {
	m := atWork()
	s := newSim(t, acp.Config{HasTokenProvider: true, SignIn: true}, m)
	s.do("token", func(c *acp.Client, now engine.Time) { c.Token(now, "t1", nil) })
	s.sockets = 6
	var sessions []*modelSession
	var handles []uint32
	for range 2 {
		handle, id := s.session()
		sessions, handles = append(sessions, m.sessions[id]), append(handles, handle)
	}
	wants := func() string {
		var last string
		for _, e := range s.events(engine.EventStreams, "") {
			last = string(e.Data)
		}
		return last
	}
	s.streamsOf(3)
	s.prompt(handles[0], "work")
	s.settle(1_000)
	s.expect(wants() == `{"wanted":2,"needed":1}`, "signed in it wants %s", wants())

	m.unauthorized = "GET"
	for _, x := range m.streams() {
		s.end(x, engine.EndNetwork)
	}
	s.pump()
	s.settle(10_000)
	s.expect(wants() == `{"wanted":0,"needed":0}`, "while it waits for a sign-in it wants %s", wants())
	s.expect(s.streamsOf(1) <= 1 && s.streamsOf(0) == 0, "it keeps %d", s.share)
	s.settle(10_000)
	s.expect(wants() == `{"wanted":0,"needed":0}`, "without connections it wants %s", wants())
	for _, handle := range handles {
		heard := ""
		for _, e := range s.events(engine.EventStatus, "") {
			if e.C == engine.SubjectID(handle) {
				heard = string(e.Data)
			}
		}
		s.expect(strings.Contains(heard, "awaiting_authorization"), "session %d hears %s", handle, heard)
	}

	m.unauthorized = ""
	s.do("token", func(c *acp.Client, now engine.Time) { c.Token(now, "t2", nil) })
	s.settle(1_000)
	s.expect(wants() == `{"wanted":2,"needed":1}`, "signed in again it wants %s", wants())
	s.streamsOf(3)
	s.settle(10_000)
	s.expect(reads(m, sessions) == 2, "%d sessions are read", reads(m, sessions))
}
