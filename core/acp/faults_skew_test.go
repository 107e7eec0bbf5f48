//go:build !js

package acp_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// newer changes the last row of each session into one that a build writes which this
// one cannot read; without rows its head.
func newer(s *coretest.Store, head bool) (record uint64) {
	last := map[uint64]uint32{}
	for _, record = range s.Calls() {
		rows := s.Rows(record)
		last[record] = rows[len(rows)-1].N
	}
	s.Change(func(op *journal.Op) {
		if head && op.Kind == journal.OpCall || !head && op.Kind == journal.OpLog && op.N == last[op.Call] {
			op.Plain = append([]byte{2, 2}, op.Plain[2:]...)
		}
	})
	return record
}

// asks reports whether an effect asks the agent for one of these methods.
func asks(e engine.Effect, methods ...string) bool {
	return e.Kind == engine.Fetch && slices.ContainsFunc(
		methods, func(method string) bool { return bytes.Contains(e.Request.Body, []byte(`"`+method+`"`)) })
}

func quarantined(told []engine.Effect, record uint64) (n int) {
	for _, e := range told {
		if e.Kind == engine.Deliver && e.Event == engine.EventQuarantined &&
			string(e.Data) == fmt.Sprintf(`{"record":%d}`, record) {
			n++
		}
	}
	return n
}

// Fault 135: what another build has stored of a session the next page does not take
// up: the app is not told of it, the agent is asked for nothing, and the host is told
// to give it up.
func TestFault135_AgentSessionLeftAlone(t *testing.T) {
	for _, head := range []bool{true, false} {
		s, handle, a := opened(t, quiet())
		s.settle(0)
		s.prompt(handle, "hi")
		s.settle(0)
		a.is(`"state":"idle","stopReason":"end_turn"`)
		s.settle(0)
		record := newer(s.Store, head)
		s.load()
		s.settle(600_000)
		told := s.effects // of this page
		s.expect(quarantined(told, record) == 1, "the host is told %d times", quarantined(told, record))
		for _, e := range told {
			s.expect(e.Kind != engine.Recall, "the app is told of the session")
			s.expect(!asks(e, "session/resume", "session/load"), "it is taken up")
		}
		_, id := s.session()
		s.expect(id != "", "no other session can be made")
	}
}

// Fault 135: a page that looks on at a session comes upon a row that it cannot read,
// told by the page that carries it, or as it takes the session over. It is closed
// there, and nothing is done for it.
func TestFault135_AgentSessionLetGo(t *testing.T) {
	for _, head := range []bool{true, false} {
		for _, owned := range []bool{true, false} {
			s, _, _ := opened(t, quiet())
			s.settle(0)
			l := s.look(2)
			sent := l.request("session/prompt", `{"prompt":[]}`)
			record := newer(s.Store, head)
			if owned {
				l.takeOver()
			} else {
				l.hear(2)
			}
			s.expect(quarantined(l.told, record) == 1, "head %t, owned %t: the host is told %d times", head,
				owned, quarantined(l.told, record))
			closed := 0
			for _, e := range l.told {
				if e.Kind == engine.Deliver && e.Event == engine.EventStatus &&
					string(e.Data) == `{"state":"closed"}` {
					closed++
				}
				s.expect(!asks(e, "session/resume", "session/load", "session/prompt"), "it is taken up")
			}
			s.expect(closed == 1, "head %t, owned %t: closed %d times", head, owned, closed)
			s.expect(l.outcome(sent) != "", "head %t, owned %t: a prompt hangs", head, owned)
		}
	}
}

// Fault 135: a page that has carried a session until it was frozen wakes, and cannot
// read what the page that has it now has written. A prompt that had left may be at work.
func TestFault135_AgentOwnerWakes(t *testing.T) {
	m := quiet()
	m.onPrompt = func(*modelSession, modelRequest) {} // it never answers
	s, handle, _ := opened(t, m)
	s.settle(0)
	call := s.prompt(handle, "hi")
	s.settle(0)
	record := newer(s.Store, false)
	s.do("woken", func(c *acp.Client, now engine.Time) { c.Restore(now, inEpoch(s.Store.Followed(), 2)) })
	s.settle(600_000)
	s.expect(quarantined(s.effects, record) == 1, "the host is told %d times", quarantined(s.effects, record))
	e := s.settled(call)
	s.expect(e.Failure != nil && e.Failure.Code == engine.CodeOutcomeUnknown, "the prompt: %+v", e)
	s.expect(len(s.events(engine.EventStatus, `"closed"`)) == 1, "the app is not told")
}

// Fault 135: the same, where the page that looks on has asked for a prompt and read in
// the store that it leaves, before the page that carries the session said that it has it.
func TestFault135_AgentPromptStoredAndLetGo(t *testing.T) {
	s, _, _ := opened(t, quiet())
	s.settle(0)
	l := s.look(2)
	sent := l.request("session/prompt", hello)
	record := s.Store.Calls()[0]
	before := len(s.Store.Rows(record))
	s.Store.Append(record,
		journal.AppendEntry(nil, journal.Entry{Kind: journal.Prompt, N: [3]uint64{idIn(l.forwarded()[0])},
			Data: []byte(`[{"type":"text","text":"hello"}]`)}))
	l.tell(s.Store.Rows(record)[before:]...)
	newer(s.Store, false)
	l.hear(2)
	s.expect(l.outcome(sent) == "outcome_unknown", "settled with %q", l.outcome(sent))
}
