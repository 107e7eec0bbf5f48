//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault508_TwoRecordsOfOneSession: two tabs have loaded one session of the agent's at once, each with a
// record. Forgotten once, it is gone.
func TestFault508_TwoRecordsOfOneSession(t *testing.T) {
	m := quiet()
	_, _, a := opened(t, m)
	m.leaveAll()
	load := func(epoch uint32) *sim {
		s := newSim(t, acp.Config{Epoch: epoch, Seed: uint64(epoch)}, m)
		s.request(0, "session/resume", `{"sessionId":"`+a.id+`","cwd":"/w","replayFrom":{"type":"start"}}`)
		s.settle(0)
		return s
	}
	one, two := load(2), load(3)
	m.leaveAll()
	next := unloaded(t, acp.Config{Epoch: 4, Seed: 4}, m)
	next.Store.Join(one.Store)
	next.Store.Join(two.Store)
	next.load()
	next.settle(60_000)
	h := next.handle(a.id)
	next.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, h) })
	next.settle(1_000)
	next.load()
	next.expect(len(next.find(func(e engine.Effect) bool { return e.Kind == engine.Recall })) == 0,
		"the session that was forgotten is back")
}

// TestFault510_ForgottenSessionAsks: a session was forgotten over a WebSocket, and the agent, which does not
// know, asks in it.
func TestFault510_ForgottenSessionAsks(t *testing.T) {
	s, x := socketPage(t)
	hear := func(text string) {
		s.do("hear "+text, func(c *acp.Client, now engine.Time) { c.SocketMessage(now, x, []byte(text)) })
	}
	s.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	frames := s.find(func(e engine.Effect) bool { return e.Kind == engine.Frame })
	last := string(frames[len(frames)-1].Data)
	rid := last[strings.Index(last, `"id":`)+5:]
	rid = rid[:strings.Index(rid, ",")]
	hear(`{"jsonrpc":"2.0","id":` + rid + `,"result":{"sessionId":"s1"}}`)
	h := s.handle("s1")
	s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, h) })
	hear(`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1",` +
		`"title":"Run?","options":[]}}`)
	s.expect(len(s.open()) == 0, "the app is asked for a session that it has forgotten: %s", s.open())
}

// TestFault511_ListedSession: a session that is only listed is deleted, and the connection is lost before the
// answer. It is asked again on the next one.
func TestFault511_ListedSession(t *testing.T) {
	m := quiet()
	s, _, _ := opened(t, m)
	m.sessions["listed"] = &modelSession{m: m, id: "listed", state: `"state":"idle"`}
	m.silent["session/delete"] = true
	call := s.request(0, "session/delete", `{"sessionId":"listed"}`)
	s.settle(0)
	m.forget(s)
	m.silent["session/delete"] = false
	s.settle(30_000)
	s.expect(len(m.of("session/delete")) > 1, "it is not asked again")
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "it ended with %+v", s.settled(call))
}

// TestFault512_NoEchoOverALoad: an agent of version 2 accepts a prompt and never repeats it. The next page
// shows it, as this one does, and so does a tab that looks on.
func TestFault512_NoEchoOverALoad(t *testing.T) {
	m := newModel()
	m.onPrompt = func(s *modelSession, r modelRequest) {
		s.conn.say(s.id, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID)
		s.is(`"state":"running"`)
		s.chunk("a1", "answer")
		s.is(`"state":"idle","stopReason":"end_turn"`)
	}
	s, handle, a := opened(t, m)
	l := s.look(77)
	s.prompt(handle, "hi")
	s.settle(0)
	l.hear(1)
	show := func(items []shown) (text string) {
		for _, it := range items {
			text += it.kind + "=" + it.text + " "
		}
		return text
	}
	want := show(transcript(s.effects, handle))
	if got := show(transcript(l.told, 1)); got != want {
		t.Errorf("there is shown %q, here %q", got, want)
	}
	m.silent["session/resume"] = true
	s.load()
	s.settle(0)
	if got := show(transcript(s.effects, s.handle(a.id))); got != want {
		t.Errorf("the next page shows %q, and this one has shown %q", got, want)
	}
}
