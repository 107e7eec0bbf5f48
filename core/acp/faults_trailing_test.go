//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// items are those of the transcript, in short.
func items(s *sim, handle uint32) string {
	text := ""
	for _, it := range transcript(s.effects, handle) {
		text += strings.TrimSuffix(it.kind, "_message") + "=" + it.text + " "
	}
	return text
}

// v1load has the app load a session.
func v1load(s *sim, id string) engine.CallID {
	return s.request(0, "session/load", `{"sessionId":"`+id+`","cwd":"/w","mcpServers":[]}`)
}

// TestFault501_AnsweredThenCut: version 1: an app loads a session that it has; the answer is there, and
// within half a second the stream is cut. The client asks itself, and prompts leave.
func TestFault501_AnsweredThenCut(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	a.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}`)
	a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"before"}}`)
	s.settle(0)
	call := v1load(s, a.id)
	s.settle(0)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not loaded")
	s.cut(m.reading(a.id), 0)
	s.settle(60_000)
	a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" more"}}`)
	s.settle(600_000)
	p := s.prompt(handle, "hi")
	s.settle(600_000)
	settles := len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Settle && e.C == p }))
	if len(*asked) != 1 {
		t.Errorf("the prompt never leaves (settled %d times); shown %s, %d loads", settles, items(s, handle),
			len(m.of("session/load")))
	}
}

// TestFault501_TwoAnswersAtOnce: version 1: the client reads a history again by itself, and the app loads it
// as well: both answers are there within half a second.
func TestFault501_TwoAnswersAtOnce(t *testing.T) {
	for _, how := range []string{"reload", "cut"} {
		m, asked := v1agent()
		s, handle, a := opened(t, m)
		a.update(
			`{"sessionUpdate":"user_message_chunk","messageId":"u1","content":{"type":"text","text":"old"}}`)
		a.chunk("a1", "before")
		s.settle(0)
		if how == "reload" {
			s.load()
		} else {
			s.cut(m.reading(a.id), 0)
			for range 100 {
				s.settleOne(50)
				if len(a.conn.box(a.id).frames) > 0 {
					break
				}
			}
		}
		call := v1load(s, a.id)
		s.settle(5_000)
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not loaded")
		handle = s.handle(a.id)
		p := s.prompt(handle, "hi")
		// the agent's server keeps its streams alive, and the agent says something now and then
		for i := range 60 {
			a.chunk("a1", fmt.Sprintf("<%d>", i))
			for _, x := range m.streams() {
				s.Chunk(x, ": ping\n\n")
				s.collect()
				s.pump()
			}
			s.settle(10_000)
		}
		settles := len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Settle && e.C == p }))
		if len(*asked) != 1 {
			t.Errorf("%s: after ten minutes the prompt has not left (settled %d times); shown %s, %d loads",
				how, settles, items(s, handle), len(m.of("session/load")))
		}
	}
}

// TestFault501_PromptAfterTheFirstLoad: version 1: an app loads a session that it does not have; the answer
// overtakes the history; a prompt is made at once.
func TestFault501_PromptAfterTheFirstLoad(t *testing.T) {
	m, asked := v1agent()
	s := newSim(t, acp.Config{}, m)
	a := &modelSession{m: m, id: "listed", state: `"state":"idle"`}
	m.sessions["listed"] = a
	a.history = append(a.history,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"before"}}`)
	call := v1load(s, "listed")
	for range 10 { // the connection's stream first
		c := m.connections["c1"]
		if box := c.boxes[""]; len(box.frames) > 0 {
			frame := box.frames[0]
			box.frames = box.frames[1:]
			s.chunk(box.x, frame)
		}
	}
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not loaded")
	handle := s.handle("listed")
	s.prompt(handle, "hi")
	s.settle(10_000)
	s.expect(len(*asked) == 1, "not sent")
	a.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"}}`)
	s.settle(0)
	v1ends(s, a, (*asked)[0], "end_turn")
	if got := items(s, handle); got != "user=old agent=before user=hi agent=answer " {
		t.Errorf("shown %s", got)
	}
}

// TestFault501_SteadyStream: version 1: an agent at work speaks without a pause of half a second. What it
// says is shown all the same.
func TestFault501_SteadyStream(t *testing.T) {
	m, _ := v1agent()
	s, handle, a := opened(t, m)
	a.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}`)
	s.settle(0)
	m.forget(s) // the agent works on
	for i := range 400 {
		a.update(
			fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<%d>"}}`, i))
		s.settle(300)
	}
	if !strings.Contains(items(s, handle), "<100>") {
		t.Errorf("after two minutes shown %s", items(s, handle))
	}
}

// TestFault501_ResumeBringsNoHistory: session/resume of version 1 brings no history, and no prompt waits for
// one.
func TestFault501_ResumeBringsNoHistory(t *testing.T) {
	m, asked := v1agent()
	m.answers = `"agentCapabilities":{"sessionCapabilities":{"resume":{}}}`
	s := newSim(t, acp.Config{}, m)
	m.sessions["listed"] = &modelSession{m: m, id: "listed", state: `"state":"idle"`}
	call := s.request(0, "session/resume", `{"sessionId":"listed","cwd":"/w","mcpServers":[]}`)
	s.settle(0)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not resumed")
	s.prompt(s.handle("listed"), "hi")
	s.settle(0)
	if len(*asked) != 1 {
		t.Errorf("the prompt waits for a history that session/resume does not bring")
	}
	_ = fmt.Sprint()
}
