//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault485_AcceptedThenLoaded: the agent has accepted a prompt that it holds, and pages are
// loaded before it repeats it: in other words, or not at all. It is in the history then, and
// not told as unsent: a person would send it once more.
func TestFault485_AcceptedThenLoaded(t *testing.T) {
	for _, test := range []struct{ name, answer, echo string }{
		{"in other words", `{"messageId":"u9"}`, `{"sessionUpdate":"user_message","messageId":"u9",` +
			`"content":[{"type":"text","text":"hi, as the agent has it"}]}`},
		{"not at all", `{}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newModel()
			s, handle, a := opened(t, m)
			m.onPrompt = func(a *modelSession, r modelRequest) {
				a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, test.answer)
			}
			a.is(`"state":"running"`)
			s.prompt(handle, "hi")
			s.settle(0)
			l := s.look(77)
			for again := range 3 {
				s.load()
				s.settle(60_000)
				if again == 1 {
					s.storedAgain()
				}
			}
			a.is(`"state":"idle","stopReason":"end_turn"`)
			if test.echo != "" {
				a.update(test.echo)
			}
			a.is(`"state":"running"`)
			a.is(`"state":"idle","stopReason":"end_turn"`)
			s.settle(60_000)
			l.hear(4)
			var last string
			for _, e := range s.events(engine.EventItem, `,"prompt":`) {
				last = string(e.Data)
			}
			s.expect(strings.HasPrefix(last, `{"op":"placed"`), "told %s", last)
			s.load()
			s.settle(60_000)
			s.expect(len(s.events(engine.EventItem, `,"prompt":`)) == 0, "the next page hears of it")
		})
	}
}
