//go:build !js

package acp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// landOne answers the oldest commit that waits.
func (s *sim) landOne() {
	slow := s.slow
	s.slow = true
	if len(s.Store.Waiting()) > 0 {
		s.input("landed",
			func(c *acp.Client, now engine.Time) { c.Stored(now, s.Store.Land(), journal.ResultOK, 0) })
	}
	s.pump()
	s.slow = slow
}

// TestFault673_LoadedAsThePromptLeaves: version 1: the page is loaded again in the moment in which a prompt
// has left, and what it wrote about that is not stored yet. The next page knows that it may have left: it is
// not handed back as unsent, to be sent twice.
func TestFault673_LoadedAsThePromptLeaves(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("held back ", late), func(t *testing.T) {
			m, asked := v1agent()
			s, handle, a := opened(t, m)
			if late { // it waits for the agent
				m.refuse = 503
				m.forget(s)
				s.settle(1_000)
			}
			s.slow = true
			s.prompt(handle, "hi")
			m.refuse = 0
			for range 40 {
				if len(*asked) == 0 {
					s.landOne()
				}
				if len(*asked) == 0 {
					s.settle(500)
				}
			}
			s.expect(len(*asked) == 1, "it has not left")
			s.slow = false
			s.load()
			s.settle(60_000)
			s.expect(len(s.events(engine.EventItem, `"unsent"`)) == 0,
				"the agent is at work on it, and it is told as unsent")
			s.expect(strings.Contains(s.lastTurn(), `"running"`),
				"the agent is at work, and the app is told %q", s.lastTurn())
			s.expect(len(m.of("session/load")) == boolInt(late), "%d loads while the agent is at work",
				len(m.of("session/load")))
			items := transcript(s.effects, s.handle(a.id))
			s.expect(len(items) == 1 && items[0].text == "hi", "shown %v", items)
			v1ends(s, a, (*asked)[0], "end_turn")
			s.expect(s.ended() == 1, "%d ends", s.ended())
		})
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestFault673_CancelledAsItIsStored: version 1: a prompt is cancelled while it is being stored that it
// leaves. It does not leave, in this page nor in the next, and nobody is at work.
func TestFault673_CancelledAsItIsStored(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	s.prompt(handle, "before")
	s.settle(0)
	v1ends(s, a, (*asked)[0], "end_turn")
	s.slow = true
	call := s.prompt(handle, "hi")
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Cancel(now, call) })
	for range 10 {
		s.landOne()
	}
	s.slow = false
	s.expect(len(*asked) == 1, "it left")
	s.load()
	s.settle(60_000)
	s.expect(len(*asked) == 1 && !strings.Contains(s.lastTurn(), "running"), "the next page is told %s",
		s.lastTurn())
	s.expect(len(s.events(engine.EventItem, `,"prompt":`)) == 0, "it is told again")
}

// TestFault673_HeldBackAfterAll: version 1: while it is being stored that a prompt leaves the agent's
// connection goes. The prompt waits, as one that has not left: the next page hands it back, and nobody is at
// work.
func TestFault673_HeldBackAfterAll(t *testing.T) {
	m, asked := v1agent()
	s, handle, _ := opened(t, m)
	s.slow = true
	s.prompt(handle, "hi")
	m.refuse = 503
	m.forget(s)
	for range 10 {
		s.landOne()
	}
	s.slow = false
	s.load()
	m.refuse = 0
	s.settle(60_000)
	s.expect(len(*asked) == 0 && !strings.Contains(s.lastTurn(), "running"), "the next page is told %s",
		s.lastTurn())
	s.expect(len(s.events(engine.EventItem, `{"op":"unsent"`)) == 1, "it is not handed back")
}

// TestFault673_OneCommit: version 1: that a prompt leaves costs no commit of its own.
func TestFault673_OneCommit(t *testing.T) {
	m, asked := v1agent()
	s, handle, _ := opened(t, m)
	s.slow = true
	s.prompt(handle, "hi")
	s.expect(len(*asked) == 0, "it leaves before it is stored")
	s.landOne()
	s.expect(len(*asked) == 1, "it has not left with the first commit")
}

// TestFault673_StoredAgainMeanwhile: version 1: more is stored than may be, so that the log is written again
// without its history while it is being stored that a prompt leaves. The next page does not hand it back.
func TestFault673_StoredAgainMeanwhile(t *testing.T) {
	m, asked := v1agent()
	s := newSim(t, acp.Config{Limits: acp.Limits{Stored: 3_000}}, m)
	handle, id := s.session()
	a := m.sessions[id]
	s.slow = true
	a.chunk("a1", strings.Repeat("long ", 1_000))
	s.settle(0)
	s.prompt(handle, "hi")
	s.landOne()
	s.expect(len(s.events(engine.EventGuarantee, "resumable")) == 1 && len(*asked) == 0,
		"the history is stored still, or the prompt has left: %d", len(*asked))
	for range 4 {
		if len(*asked) == 0 {
			s.landOne()
		}
	}
	s.expect(len(*asked) == 1, "it has not left")
	s.slow = false
	s.load()
	s.settle(1_000)
	s.expect(len(s.events(engine.EventItem, `"unsent"`)) == 0 &&
		strings.Contains(s.lastTurn(), `"running"`), "the agent is at work, and the app is told %q",
		s.lastTurn())
}

// TestFault705_HistoryMeanwhile: version 1: while it is being stored that a prompt leaves its connection is
// lost, and the history comes on the next one. The next page shows the prompt behind it, as this one does.
func TestFault705_HistoryMeanwhile(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	a.history = append(a.history,
		`{"sessionUpdate":"user_message_chunk","messageId":"u1","content":{"type":"text","text":"old"}}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text","text":"answer"}}`)
	s.slow = true
	s.prompt(handle, "new")
	m.forget(s)
	s.settle(2_500) // shorter than a commit may take
	s.expect(len(m.of("session/load")) == 1 && len(*asked) == 0, "%d loads, %d prompts",
		len(m.of("session/load")), len(*asked))
	for range 10 {
		s.landOne()
	}
	s.expect(len(*asked) == 1, "%d prompts", len(*asked))
	shown := func(handle uint32) (texts []string) {
		for _, item := range transcript(s.effects, handle) {
			texts = append(texts, item.text)
		}
		return texts
	}
	want := shown(handle)
	s.expect(slices.Equal(want, []string{"old", "answer", "new"}), "shown %q", want)
	s.slow = false
	m.silent["GET"] = true
	s.load()
	s.settle(1_000)
	s.expect(slices.Equal(shown(s.handle(a.id)), want), "the next page shows %q", shown(s.handle(a.id)))
	s.expect(strings.Contains(s.lastTurn(), `"running"`), "the agent is at work, and the app is told %q",
		s.lastTurn())
}
