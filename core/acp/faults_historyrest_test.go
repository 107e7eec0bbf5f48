//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestFault499_NotRetained: an agent keeps less for its history than it has said: a plan, a terminal, a tool
// call that was missed live is not in it.
func TestFault499_NotRetained(t *testing.T) {
	for name, u := range map[string]string{
		"plan":     `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}`,
		"terminal": `{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"QUJD"}`,
		"tool":     `{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"T","status":"completed"}`,
	} {
		m := newModel()
		m.onPrompt = func(a *modelSession,
			r modelRequest) {
			a.echo(r, "u1")
			a.accept(r, "u1")
			a.is(`"state":"running"`)
		}
		s, handle, a := opened(t, m)
		s.prompt(handle, "one")
		s.settle(0)
		a.chunk("a1", "<1>")
		s.settle(0)
		s.deaf = neverLeft
		s.cut(m.reading(a.id), 0)
		a.chunk("a1", "<2>")
		a.tell(u) // live only
		a.chunk("a1", "<3>")
		s.deaf = arrives
		s.settle(30_000)
		if got := said(s.effects, handle); got != "<1><2><3>" {
			t.Errorf("%s: shown %s", name, items(s, handle))
		}
	}
}

// TestFault499_ToolCallInFewerWords: version 1 with ids of messages: the history has a tool call in fewer
// words than it was told live.
func TestFault499_ToolCallInFewerWords(t *testing.T) {
	m, _ := v1agent()
	s, handle, a := opened(t, m)
	a.update(`{"sessionUpdate":"user_message_chunk","messageId":"u1","content":{"type":"text","text":"hi"}}`)
	a.chunk("a1", "first I look")
	s.settle(0)
	s.deaf = neverLeft
	s.cut(m.reading(a.id), 0)
	a.tell(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Look","kind":"read","status":"pending"}`)
	a.tell(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"}`)
	a.tell(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
	a.history = append(a.history,
		`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Look","kind":"read","status":"completed"}`)
	a.chunk("a2", "then I tell")
	s.deaf = arrives
	s.settle(30_000)
	if got := items(s, handle); got != "user=hi agent=first I look tool_call= agent=then I tell " {
		t.Errorf("shown %s", got)
	}
}

// TestFault499_UnknownAtTheBeginning: a history begins with what nobody knows, is cut while it is told, and
// told once more.
func TestFault499_UnknownAtTheBeginning(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	a.update(`{"sessionUpdate":"_mine","x":1}`)
	s.settle(0)
	s.prompt(handle, "one")
	s.settle(0)
	want := items(s, handle)
	s.cut(m.reading(a.id), 0)
	for range 200 {
		s.settleOne(50)
		if len(a.conn.box(a.id).frames) > 0 {
			break
		}
	}
	s.load() // what was told is in the box, and it is told once more
	s.settle(60_000)
	if got := items(s, s.handle(a.id)); got != want {
		t.Errorf("shown %s, want %s", got, want)
	}
}

// TestFault503_CutWithoutIDsAndAPromptWaits: version 1 without ids of messages: a history is cut while it is
// told, and a prompt waits.
func TestFault503_CutWithoutIDsAndAPromptWaits(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	for i := range 6 {
		who := []string{"user", "agent"}[i%2]
		a.update(fmt.Sprintf(`{"sessionUpdate":"%s_message_chunk","content":{"type":"text","text":"<%d>"}}`,
			who, i))
	}
	s.settle(0)
	want := items(s, handle) + "user=hi "
	s.cut(m.reading(a.id), 0)
	for range 200 {
		s.settleOne(50)
		if len(a.conn.box(a.id).frames) > 0 {
			break
		}
	}
	s.prompt(handle, "hi")
	box := a.conn.box(a.id)
	for range 2 {
		frame := box.frames[0]
		box.frames = box.frames[1:]
		s.chunk(box.x, frame)
	}
	s.cut(m.reading(a.id), 0)
	s.settle(60_000)
	s.expect(len(*asked) == 1, "not sent")
	if got := items(s, handle); got != want {
		t.Errorf("shown %s, want %s", got, want)
	}
}

// TestFault512_LateEcho: an agent that answers {} has a prompt wait until its turn is over, and repeats it
// then.
func TestFault512_LateEcho(t *testing.T) {
	m := newModel()
	var held modelRequest
	n := 0
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID)
		if n++; n == 1 {
			a.echo(r, "u1")
			a.is(`"state":"running"`)
			return
		}
		held = r
	}
	s, handle, a := opened(t, m)
	l := s.look(77)
	s.prompt(handle, "first")
	s.settle(0)
	s.prompt(handle, "second")
	s.settle(0)
	a.chunk("a1", "one")
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(0)
	a.echo(held, "u2")
	a.is(`"state":"running"`)
	a.chunk("a2", "two")
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(60_000)
	l.hear(1)
	want := "user=first agent=one user=second agent=two "
	s.expect(items(s, handle) == want, "here %s", items(s, handle))
	there := ""
	for _, it := range transcript(l.told, 1) {
		there += strings.TrimSuffix(it.kind, "_message") + "=" + it.text + " "
	}
	if there != want {
		t.Errorf("there is shown %s", there)
	}
	m.silent["session/resume"] = true
	s.load()
	s.settle(0)
	if got := items(s, s.handle(a.id)); got != want {
		t.Errorf("the next page shows %s", got)
	}
}
