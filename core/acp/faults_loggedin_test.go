//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault678_LoggedInAfterARestart: an agent is restarted, and wants somebody to log in before it takes a
// session up. Once that is done the session is taken up, and prompts go there: on a new connection it would
// know nothing of it.
func TestFault678_LoggedInAfterARestart(t *testing.T) {
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			m := newModel()
			resume, login := "session/resume", "auth/login"
			m.answers = `"info":{"name":"m","version":"1"},"capabilities":{"session":{}},` +
				`"authMethods":[{"methodId":"x","type":"agent"}]`
			if m.version = version; version == 1 {
				resume, login = "session/load", "authenticate"
				m.answers = `"agentCapabilities":{"loadSession":true},"authMethods":[{"id":"x"}]`
			}
			s, handle, a := opened(t, m)
			a.update(`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text",` +
				`"text":"old"}}`)
			s.settle(0)
			m.silent[resume], m.silent[login] = true, true
			wantsLogin(m, s, resume, map[int]string{1: "", 2: a.id}[version])
			s.expect(len(s.events(engine.EventResumed, `"gap"`)) == 1, "the app is not told")
			delete(m.silent, resume)
			call := s.request(0, login, `{"methodId":"x"}`)
			s.settle(0)
			m.connections["c2"].say("", `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.of(login)[0].ID)
			s.settle(1_000)
			s.expect(s.settled(call).Outcome == engine.OutcomeResult && len(m.of(resume)) == 2,
				"it is asked for %d times", len(m.of(resume)))
			s.expect(strings.Contains(s.shows(handle), "old"), "shown %s", s.shows(handle))
			m.onPrompt = func(a *modelSession, r modelRequest) { a.accept(r, "u1") }
			prompt := s.prompt(handle, "new")
			s.settle(1_000)
			s.expect(s.settled(prompt).Outcome == engine.OutcomeResult, "the prompt ends with %s",
				s.settled(prompt).Data)
			again := s.request(0, login, `{"methodId":"x"}`)
			s.settle(0)
			m.connections["c2"].say("", `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.of(login)[1].ID)
			s.settle(1_000)
			s.expect(s.settled(again).Outcome == engine.OutcomeResult && len(m.of(resume)) == 2,
				"it is asked for again")
		})
	}
}

// TestFault703_TakenUpBeforeTheLogin: the agent has refused a session, and takes it up on the next
// connection, or as the app loads it. A login after that is none for which it has to be taken up once more.
func TestFault703_TakenUpBeforeTheLogin(t *testing.T) {
	for _, byTheApp := range []bool{false, true} {
		t.Run(fmt.Sprint("by the app ", byTheApp), func(t *testing.T) {
			m := newModel()
			m.answers = `"info":{"name":"m","version":"1"},"capabilities":{"session":{}},` +
				`"authMethods":[{"methodId":"x","type":"agent"}]`
			s, handle, a := opened(t, m)
			a.chunk("a1", "x")
			s.settle(0)
			m.silent["session/resume"], m.silent["auth/login"] = true, true
			wantsLogin(m, s, "session/resume", a.id)
			delete(m.silent, "session/resume")
			if byTheApp {
				s.request(handle, "session/resume",
					`{"sessionId":"s1","cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`)
			} else {
				m.forget(s)
			}
			s.settle(30_000)
			before, told := len(m.of("session/resume")), len(s.events(engine.EventResumed, ""))
			s.request(0, "auth/login", `{"methodId":"x"}`)
			a.conn.say("", `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.of("auth/login")[0].ID)
			s.settle(1_000)
			s.expect(len(m.of("session/resume")) == before && len(s.events(engine.EventResumed, "")) == told,
				"it is asked for %d times more", len(m.of("session/resume"))-before)
		})
	}
}

// TestFault703_CutAsSomebodyLogsIn: version 1: an agent that can tell no history has refused a session on a
// new connection. The session's stream is cut as somebody logs in: the agent is asked to take the session up
// once it is there again.
func TestFault703_CutAsSomebodyLogsIn(t *testing.T) {
	m := newModel()
	m.version, m.answers = 1,
		`"agentCapabilities":{"sessionCapabilities":{"resume":{}}},"authMethods":[{"id":"x"}]`
	s, _, a := opened(t, m)
	a.chunk("a1", "x")
	s.settle(0)
	m.silent["session/resume"], m.silent["authenticate"] = true, true
	wantsLogin(m, s, "session/resume", a.id)
	s.request(0, "authenticate", `{"methodId":"x"}`)
	s.end(m.reading(a.id), engine.EndNetwork)
	m.connections["c2"].say("", `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.of("authenticate")[0].ID)
	s.settle(30_000)
	s.expect(len(m.of("session/resume")) == 2, "it is asked %d times", len(m.of("session/resume")))
}

// wantsLogin has an agent that was restarted refuse what asks it to take a session up, on that stream of the
// next connection: somebody has to log in.
func wantsLogin(m *model, s *sim, resume, stream string) {
	m.forget(s)
	s.settle(1_000)
	asked := m.of(resume)
	s.expect(len(asked) == 1, "%d requests for the session", len(asked))
	m.connections["c2"].say(stream, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"log in"}}`,
		asked[0].ID)
	s.settle(1_000)
}
