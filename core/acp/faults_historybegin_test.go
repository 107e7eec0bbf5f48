//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault499_BeginsWithoutAMessage: what a history has before its first message of the user's stays in the
// transcript when the history is read again.
func TestFault499_BeginsWithoutAMessage(t *testing.T) {
	for name, first := range map[string]string{
		"compaction": `{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed",` +
			`"summary":[{"type":"text","text":"summed up"}]}`,
		"tool": `{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"T","status":"completed"}`,
		"plan": `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`,
		"commands": `{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command",` +
			`"name":"x","description":"y"}]}`,
		"unknown": `{"sessionUpdate":"_mine","x":1}`,
		"greeting": `{"sessionUpdate":"agent_message","messageId":"a0","content":[{"type":"text",` +
			`"text":"Welcome"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel()
			s, handle, a := opened(t, m)
			a.update(first)
			s.settle(0)
			s.prompt(handle, "one")
			s.settle(0)
			before := len(transcript(s.effects, handle))
			ops := len(s.events(engine.EventItem, `"availableCommands"`))
			m.forget(s)
			s.settle(60_000)
			after := len(transcript(s.effects, handle))
			s.expect(before == after, "%d items before, %d after the history was read again", before, after)
			s.expect(ops == 0 || len(s.events(engine.EventItem, `"availableCommands"`)) > ops,
				"the commands are not told again")
		})
	}
}

// TestFault499_OutputOfAFirstTurn: in its first turn the agent has run a command and said nothing. The page
// is loaded again while the history comes: the output is shown once.
func TestFault499_OutputOfAFirstTurn(t *testing.T) {
	m := newModel()
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.echo(r, "u1")
		a.accept(r, "u1")
		a.is(`"state":"running"`)
		a.update(`{"sessionUpdate":"terminal_update","terminalId":"t1","command":"ls"}`)
		for range 3 {
			a.update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"QUJD"}`)
		}
	}
	s, handle, a := opened(t, m)
	s.prompt(handle, "one")
	s.settle(0)
	s.cut(m.reading(a.id), 0)
	for range 100 { // until the history is on its way
		s.settleOne(50)
		if len(a.conn.box(a.id).frames) > 0 {
			break
		}
	}
	s.load()
	s.settle(60_000)
	n := 0
	for _, e := range s.events(engine.EventItem, "") {
		text := string(e.Data)
		if strings.Contains(text, `"op":"reset"`) {
			n = 0
		}
		n += strings.Count(text, "QUJD")
	}
	s.expect(n == 3, "the output is there %d times, and has 3 pieces", n)
}

// TestFault503_CutWithoutIDs: version 1 without ids of messages: a history is cut while it is told, and told
// once more. It is shown once, from its beginning.
func TestFault503_CutWithoutIDs(t *testing.T) {
	for lost := range 2 {
		m, _ := v1agent()
		s, handle, a := opened(t, m)
		for i := range 6 {
			who := []string{"user", "agent"}[i%2]
			a.update(
				fmt.Sprintf(`{"sessionUpdate":"%s_message_chunk","content":{"type":"text","text":"<%d>"}}`,
					who, i))
		}
		s.settle(0)
		show := func() string {
			text := ""
			for _, it := range transcript(s.effects, handle) {
				text += it.text
			}
			return text
		}
		want := show()
		s.cut(m.reading(a.id), 0)
		for range 200 {
			s.settleOne(50)
			if len(a.conn.box(a.id).frames) > 0 {
				break
			}
		}
		box := a.conn.box(a.id)
		s.expect(len(box.frames) == 6, "%d frames", len(box.frames))
		for range 2 {
			frame := box.frames[0]
			box.frames = box.frames[1:]
			s.chunk(box.x, frame)
		}
		s.cut(m.reading(a.id), lost)
		s.settle(60_000)
		if got := show(); got != want {
			t.Errorf("lost %d: shown %s, want %s", lost, got, want)
		}
	}
}

// TestFault505_OversizedReplayEndsTheTurn: a history is over its limit. That the turn has ended is heard all
// the same.
func TestFault505_OversizedReplayEndsTheTurn(t *testing.T) {
	m := newModel()
	m.onPrompt = func(a *modelSession,
		r modelRequest) {
		a.echo(r, "u1")
		a.accept(r, "u1")
		a.is(`"state":"running"`)
	}
	s := newSim(t, acp.Config{Limits: acp.Limits{Replay: 300}}, m)
	handle, id := s.session()
	a := m.sessions[id]
	s.prompt(handle, "one")
	s.settle(0)
	for range 5 {
		a.chunk("a1", "a text that is long enough to be too much")
	}
	s.settle(0)
	s.deaf = neverLeft
	s.cut(m.reading(a.id), 0)
	a.state = `"state":"idle","stopReason":"end_turn"` // its frame went to the socket that died
	s.deaf = arrives
	s.settle(600_000)
	s.expect(s.ended() == 1, "the turn has not ended after ten minutes: %s", s.lastTurn())
}
