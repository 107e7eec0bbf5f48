//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// An orphan is a prompt that is stored, as one that may have left, and whose page
// has ended. Nobody sends it; it must not be shown as pending for ever either.

// pending says how many prompts an app shows as pending, after these effects.
func pending(effects []engine.Effect) int {
	open := map[engine.CallID]map[string]bool{} // by session
	for _, e := range effects {
		text := string(e.Data)
		if e.Kind != engine.Deliver || e.Event != engine.EventItem {
			continue
		}
		op, rest, _ := strings.Cut(strings.TrimPrefix(text, `{"op":"`), `"`)
		id, _, _ := strings.Cut(strings.TrimPrefix(rest, `,"prompt":`), ",")
		id = strings.TrimSuffix(id, "}")
		switch op {
		case "pending":
			if open[e.C] == nil {
				open[e.C] = map[string]bool{}
			}
			open[e.C][id] = true
		case "placed", "unsent":
			delete(open[e.C], id)
		case "reset":
			delete(open, e.C)
		}
	}
	n := 0
	for _, prompts := range open {
		n += len(prompts)
	}
	return n
}

// orphaned is a page whose prompt is stored and does not leave.
func orphaned(t *testing.T, m *model) (*sim, *modelSession) {
	t.Helper()
	s, handle, a := opened(t, m)
	m.silent["POST"] = true
	s.prompt(handle, "hi")
	s.settle(0)
	s.expect(len(m.of("session/prompt")) == 0 && pending(s.effects) == 1, "it has left")
	m.silent["POST"] = false
	return s, a
}

// TestOrphanedPrompt: the next page shows it, and gives it up once the agent has had
// nothing to do for a while and has not said a word of it.
func TestOrphanedPrompt(t *testing.T) {
	s, _ := orphaned(t, newModel())
	s.load()
	s.settle(14_000)
	s.expect(pending(s.effects) == 1, "%d are pending", pending(s.effects))
	s.settle(2_000)
	s.expect(pending(s.effects) == 0, "it is pending for ever")
	s.load()
	s.settle(0)
	s.expect(pending(s.effects) == 0, "it is pending again")
	s.expect(len(s.agent.of("session/prompt")) == 0, "it was sent")
}

// TestOrphanedPromptIsHeld: an agent at work may hold it until it is done, and one
// that nobody hears may have it.
func TestOrphanedPromptIsHeld(t *testing.T) {
	s, a := orphaned(t, newModel())
	a.is(`"state":"running"`)
	s.load()
	s.settle(60_000)
	s.expect(pending(s.effects) == 1, "given up while the agent is at work")
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(14_000)
	s.expect(pending(s.effects) == 1, "given up at once")
	s.deaf = neverLeft
	s.cut(a.m.reading(a.id), 0)
	s.settle(120_000)
	s.expect(pending(s.effects) == 1, "given up while the agent is not heard")
	s.deaf = arrives
	a.update(`{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"hi"}]}`)
	s.settle(60_000)
	s.expect(pending(s.effects) == 0 && len(s.events(engine.EventItem, `"unsent"`)) == 0,
		"it has come, and was given up")
}

// TestOrphanedPromptOfAnotherTab: of three tabs the one that carries the session dies
// with a prompt of the second's, and the third takes it over. It gives the prompt up;
// the one that asked hears of that, and knows no more than that nobody can say.
func TestOrphanedPromptOfAnotherTab(t *testing.T) {
	s, _, a := opened(t, newModel())
	asks := s.look(77)
	id := asks.request("session/prompt", hello)
	a.m.silent["POST"] = true
	s.ask(asks.forwarded()[0])
	s.settle(0)
	a.m.silent["POST"] = false
	s.load()
	asks.hear(2)
	s.expect(pending(asks.told) == 1 && asks.outcome(id) == "", "%d are pending, settled with %q",
		pending(asks.told), asks.outcome(id))
	s.settle(20_000)
	s.expect(pending(s.effects) == 0, "it is pending for ever in the tab that carries the session")
	asks.hear(2)
	s.expect(pending(asks.told) == 0, "it is pending for ever in the tab that asked")
	s.expect(asks.outcome(id) == "outcome_unknown", "settled with %q", asks.outcome(id))
	s.expect(len(a.m.of("session/prompt")) == 0, "it was sent")
}

// TestOrphanedPromptOfAParkedSession: more sessions than may have a stream, and all
// but the orphan's are at work. It is heard in its turn, and that is enough.
func TestOrphanedPromptOfAParkedSession(t *testing.T) {
	for _, work := range []int{0, 4} {
		m := atWork()
		s, handles, _ := crowded(t, m, 6)
		for i, handle := range handles[:work] {
			s.prompt(handle, fmt.Sprint("work ", i))
		}
		s.settle(10_000)
		m.silent["POST"] = true
		s.prompt(handles[5], "hi")
		s.settle(0)
		m.silent["POST"] = false
		s.load()
		s.expect(pending(s.effects) == 1, "%d are pending", pending(s.effects))
		s.settle(14_000)
		s.expect(pending(s.effects) == 1, "given up at once")
		s.settle(30_000)
		s.expect(pending(s.effects) == 0, "%d at work: it is pending for ever", work)
		s.expect(len(m.of("session/prompt")) == work, "%d prompts left", len(m.of("session/prompt")))
	}
}

// TestOrphanedPromptOfATabThatLends: the same where it is another tab that needs the
// stream more, as this one says it does not.
func TestOrphanedPromptOfATabThatLends(t *testing.T) {
	s, _ := orphaned(t, newModel())
	s.streamsOf(1)
	s.load()
	s.settle(5_000)
	s.expect(strings.HasSuffix(demanded(s), `"needed":1}`), "it says %s", demanded(s))
	s.streamsOf(0)
	s.settle(60_000)
	s.expect(pending(s.effects) == 1, "given up while the agent is not heard")
	s.streamsOf(1)
	s.settle(3_000)
	s.expect(pending(s.effects) == 0, "it is pending for ever")
	s.expect(strings.HasSuffix(demanded(s), `"needed":0}`), "it says %s", demanded(s))
}

// TestOrphanedPromptThatCame: once it is in the history nothing is expected of it,
// however often that is told again.
func TestOrphanedPromptThatCame(t *testing.T) {
	s, a := orphaned(t, newModel())
	s.streamsOf(1)
	s.load()
	a.update(`{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"hi"}]}`)
	s.settle(0)
	for range 3 {
		s.expect(pending(s.effects) == 0, "it is pending")
		s.expect(strings.HasSuffix(demanded(s), `"needed":0}`), "it says %s", demanded(s))
		s.streamsOf(0)
		s.settle(1_000)
		s.streamsOf(1)
		s.settle(1_000)
	}
	s.do("close", func(c *acp.Client, now engine.Time) { c.Close(now) })
	at, ok := s.Client.Deadline()
	s.expect(!ok, "a closed client is due at %d", at)
}

// demanded is the client's last word on the streams that it would have.
func demanded(s *sim) string {
	told := s.events(engine.EventStreams, "")
	if len(told) == 0 {
		return ""
	}
	return string(told[len(told)-1].Data)
}
