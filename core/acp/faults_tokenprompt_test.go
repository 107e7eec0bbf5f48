//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// token gives the page's client its token, or says why there is none.
func (s *sim) token(value string, failure *engine.Error) {
	s.do("token", func(c *acp.Client, now engine.Time) { c.Token(now, value, failure) })
}

// signedIn is a page with a token, and a session of it.
func signedIn(t *testing.T, m *model) (s *sim, handle uint32, a *modelSession) {
	s = unloaded(t, acp.Config{HasTokenProvider: true}, m)
	s.load()
	s.token("t1", nil)
	handle, id := s.session()
	return s, handle, m.sessions[id]
}

// withTokens is a page whose session has a token, and whose client asks for the next one.
func withTokens(t *testing.T, m *model) (s *sim, handle uint32, a *modelSession) {
	s, handle, a = signedIn(t, m)
	m.unauthorized = "session/list"
	s.request(0, "session/list", `{}`)
	return s, handle, a
}

// TestFault617_Version1WaitsForAToken: version 1: a prompt waits for a token. It has not left: the next page
// shows it as one that has not, and hands it back; where there is no token it fails, and where there is one
// it leaves.
func TestFault617_Version1WaitsForAToken(t *testing.T) {
	refused := &engine.Error{Code: engine.CodeUnauthorized, Op: "token", Message: "no"}
	for _, way := range []string{"a reload", "a token", "no token"} {
		t.Run(way, func(t *testing.T) {
			m, asked := v1agent()
			s, handle, a := withTokens(t, m)
			call := s.prompt(handle, "hi")
			s.settle(1_000)
			s.expect(len(*asked) == 0, "it left without a token")
			s.expect(s.lastTurn() == "", "the agent is told to be at work: %s", s.lastTurn())
			m.unauthorized = ""
			switch way {
			case "a reload":
				s.load()
				s.token("t2", nil)
				s.settle(0)
				s.expect(len(s.events(engine.EventItem, `{"op":"pending"`)) > 0,
					"it is not shown as one that waits: %s", s.shows(s.handle(a.id)))
				s.settle(60_000)
				s.expect(len(s.events(engine.EventItem, `{"op":"unsent"`)) == 1,
					"it is not handed back")
				s.expect(len(*asked) == 0, "it was sent by another page")
			case "a token":
				s.token("t2", nil)
				s.settle(0)
				s.expect(len(*asked) == 1, "%d prompts", len(*asked))
				v1ends(s, a, (*asked)[0], "end_turn")
				s.expect(s.settled(call).Outcome == engine.OutcomeResult, "it is not answered")
			default:
				s.token("", refused)
				s.settle(0)
				s.expect(s.settled(call).Failure != nil && len(*asked) == 0, "it goes on waiting")
			}
		})
	}
}

// TestFault617_Version1IsRefused: version 1: the agent's server refuses a prompt for want of authorization,
// and a token is asked for. It has not left, and the agent is not at work.
func TestFault617_Version1IsRefused(t *testing.T) {
	refused := &engine.Error{Code: engine.CodeUnauthorized, Op: "token", Message: "no"}
	for _, way := range []string{"a reload", "a token", "no token", "refused again and again"} {
		t.Run(way, func(t *testing.T) {
			m, asked := v1agent()
			s, handle, a := signedIn(t, m)
			s.prompt(handle, "earlier")
			s.settle(0)
			v1ends(s, a, (*asked)[0], "end_turn")
			m.unauthorized = "session/prompt"
			call := s.prompt(handle, "hi")
			s.settle(1_000)
			if way != "refused again and again" {
				m.unauthorized = ""
			}
			switch way {
			case "a reload":
				s.load()
				s.token("t2", nil)
				s.settle(0)
				s.expect(len(s.events(engine.EventItem, `{"op":"pending"`)) > 0,
					"it is not shown as one that waits: %s", s.shows(s.handle(a.id)))
				s.settle(60_000)
				s.expect(len(s.events(engine.EventItem, `{"op":"unsent"`)) == 1,
					"it is not handed back")
				s.expect(len(*asked) == 1, "it was sent by another page")
				s.prompt(s.handle(a.id), "next")
				s.settle(0)
				s.expect(len(*asked) == 2, "the next one does not leave")
			case "a token":
				s.token("t2", nil)
				s.settle(0)
				s.expect(len(*asked) == 2, "%d prompts", len(*asked))
				s.load()
				s.settle(60_000)
				s.expect(len(s.events(engine.EventItem, `"unsent"`)) == 0,
					"it is told as unsent, and was sent")
			case "no token":
				s.token("", refused)
				s.settle(0)
				s.expect(s.settled(call).Failure != nil && len(*asked) == 1, "it goes on waiting")
			default:
				for range 10 {
					s.token("t3", nil)
					s.settle(0)
				}
				s.expect(s.settled(call).Failure != nil && len(m.of("session/prompt")) < 8,
					"it goes on waiting, sent %d times", len(m.of("session/prompt")))
			}
		})
	}
}
