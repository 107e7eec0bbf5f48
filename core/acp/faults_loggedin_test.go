//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault678_LoggedInAfterARestart: an agent is restarted, and wants somebody to log in before it takes a session up. Once that is done the
// session is taken up, and prompts go there: on a new connection it would know nothing of it.
func TestFault678_LoggedInAfterARestart(t *testing.T) {
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			m := newModel()
			resume, login := "session/resume", "auth/login"
			m.answers = `"info":{"name":"m","version":"1"},"capabilities":{"session":{}},"authMethods":[{"methodId":"x","type":"agent"}]`
			if m.version = version; version == 1 {
				resume, login = "session/load", "authenticate"
				m.answers = `"agentCapabilities":{"loadSession":true},"authMethods":[{"id":"x"}]`
			}
			s, handle, a := opened(t, m)
			a.update(`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text","text":"old"}}`)
			s.settle(0)
			m.silent[resume], m.silent[login] = true, true
			m.forget(s)
			s.settle(1_000)
			asked := m.of(resume)
			s.expect(len(asked) == 1, "%d requests for the history", len(asked))
			on := map[int]string{1: "", 2: a.id}[version]
			m.connections["c2"].say(on, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"log in"}}`, asked[0].ID)
			s.settle(1_000)
			s.expect(len(s.events(engine.EventResumed, `"gap"`)) == 1, "the app is not told")
			delete(m.silent, resume)
			call := s.request(0, login, `{"methodId":"x"}`)
			s.settle(0)
			m.connections["c2"].say("", `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.of(login)[0].ID)
			s.settle(1_000)
			s.expect(s.settled(call).Outcome == engine.OutcomeResult && len(m.of(resume)) == 2, "it is asked for %d times", len(m.of(resume)))
			s.expect(strings.Contains(s.shows(handle), "old"), "shown %s", s.shows(handle))
			m.onPrompt = func(a *modelSession, r modelRequest) { a.accept(r, "u1") }
			prompt := s.prompt(handle, "new")
			s.settle(1_000)
			s.expect(s.settled(prompt).Outcome == engine.OutcomeResult, "the prompt ends with %s", s.settled(prompt).Data)
			again := s.request(0, login, `{"methodId":"x"}`)
			s.settle(0)
			m.connections["c2"].say("", `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.of(login)[1].ID)
			s.settle(1_000)
			s.expect(s.settled(again).Outcome == engine.OutcomeResult && len(m.of(resume)) == 2, "it is asked for again")
		})
	}
}
