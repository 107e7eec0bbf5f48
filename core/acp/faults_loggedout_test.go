//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// loggedOut tells the client that all of its user is deleted, in whatever page.
func (s *sim) loggedOut() {
	s.Store.Drop()
	s.do("logged out", func(c *acp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonClosed) })
}

// fails checks that a request has ended so.
func (s *sim) fails(id engine.CallID, code engine.Code) {
	s.t.Helper()
	failure := s.settled(id).Failure
	s.expect(failure != nil && failure.Code == code, "it ends as %v, want %s", failure, code)
}

// idle reports whether the client has said that nothing is under way.
func (s *sim) idle() bool {
	return len(s.find(func(e engine.Effect) bool {
		return e.Kind == engine.State && string(e.Data) == `{"state":"leaving","idle":true}`
	})) == 1
}

// Fault 718: a prompt that has not left when its user logs out ends unsent, whatever it waits for. Nothing
// begins behind that: the host's contract has it so.
func TestFault718_WhateverAPromptWaitsFor(t *testing.T) {
	for name, until := range map[string]func(t *testing.T) (*sim, uint32, engine.CallID){
		"a commit": func(t *testing.T) (*sim, uint32, engine.CallID) {
			s, handle, _ := opened(t, quiet())
			s.settle(0)
			s.slow = true
			return s, handle, s.prompt(handle, "hi")
		},
		"a token": func(t *testing.T) (*sim, uint32, engine.CallID) {
			s, handle, _ := withTokens(t, quiet())
			call := s.prompt(handle, "hi")
			s.settle(1_000)
			return s, handle, call
		},
		"a connection": func(t *testing.T) (*sim, uint32, engine.CallID) {
			m := quiet()
			s, handle, _ := opened(t, m)
			s.settle(0)
			s.deaf = neverLeft
			for _, x := range m.streams() {
				s.cut(x, 0)
			}
			call := s.prompt(handle, "hi")
			s.settle(0)
			return s, handle, call
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, handle, call := until(t)
			s.loggedOut()
			s.fails(call, engine.CodeUnsent)
			again := s.prompt(handle, "more")
			s.fails(again, engine.CodeUnsent)
			s.do("online", (*acp.Client).Online)
			s.do("visited", (*acp.Client).Visited)
			s.token("t9", nil)
			s.settle(600_000)
		})
	}
}

// Fault 718: a turn under way is read to the end of its open stream; once that is cut nobody reads on, and
// nobody knows how it ends. The app may still cancel it.
func TestFault718_TurnUnderWay(t *testing.T) {
	for _, way := range []string{"ends", "cut", "cancelled"} {
		t.Run(way, func(t *testing.T) {
			m := quiet()
			s, handle, a := opened(t, m)
			call := s.prompt(handle, "hi")
			s.settle(0)
			a.is(`"state":"running"`)
			s.settle(0)
			s.expect(s.settled(call).Outcome == engine.OutcomeResult, "it is not accepted")
			s.loggedOut()
			s.expect(!s.idle(), "the turn goes on")
			switch way {
			case "ends":
				a.is(`"state":"idle","stopReason":"end_turn"`)
				s.settle(0)
				s.expect(s.ended() == 1, "nobody hears of its end")
			case "cut":
				for _, x := range m.streams() {
					s.cut(x, 0)
				}
				s.settle(0)
				s.expect(len(s.events(engine.EventStatus, `"unknown":true`)) == 1,
					"nobody hears that its end is unknown")
			case "cancelled":
				s.cancel(handle)
				s.settle(0)
				a.is(`"state":"idle","stopReason":"cancelled"`)
				s.settle(0)
			}
			s.expect(s.idle(), "the client is not idle")
			s.do("online", (*acp.Client).Online)
			s.settle(600_000)
		})
	}
}

// Fault 718: the user logs out in this page: what has not left is unsent.
func TestFault718_AgentLoggedOutHere(t *testing.T) {
	s, handle, _ := opened(t, quiet())
	s.settle(0)
	s.slow = true
	call := s.prompt(handle, "hi")
	s.do("log out", (*acp.Client).LogOut)
	s.do("close", (*acp.Client).Close)
	s.fails(call, engine.CodeUnsent)
}
