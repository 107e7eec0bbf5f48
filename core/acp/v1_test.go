//go:build !js

package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// version1 is an agent of version 1 that says nothing of what it was asked, and
// names no message; a prompt waits in *asked for its answer.
func version1() (*model, *modelRequest) {
	m, asked := newModel(), &modelRequest{}
	m.version = 1
	m.onPrompt = func(s *modelSession, r modelRequest) {
		*asked = r
		s.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"an "}}`)
		s.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"}}`)
	}
	return m, asked
}

// TestVersion1OverAReload: the prompt stays in front of its answer, and the answer
// to it, which comes to the next page, ends the turn.
func TestVersion1OverAReload(t *testing.T) {
	m, asked := version1()
	s, handle, a := opened(t, m)
	s.prompt(handle, "hi")
	s.settle(0)
	s.load()
	handle = s.handle(a.id)
	check := func(when string) {
		t.Helper()
		items := transcript(s.effects, handle)
		s.expect(len(items) == 2 && items[0].kind == "user_message" && items[0].text == "hi" &&
			items[1].text == "an answer", "%s: %v", when, items)
	}
	check("at once")
	s.expect(len(s.events(engine.EventIntegrity, "")) == 0 && s.ended() == 0, "restored as another version")
	m.answers = `"agentCapabilities":{}` // no session/load from here on
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, asked.ID)
	a.m.silent["session/load"] = true
	s.settle(1_000)
	check("in the end")
	s.expect(s.ended() == 1, "%d ends", s.ended())
}

// TestVersion1LosesItsConnection: nobody answers the prompt any more; that ends the
// turn and the call, and both are told.
func TestVersion1LosesItsConnection(t *testing.T) {
	m, _ := version1()
	s, handle, _ := opened(t, m)
	call := s.prompt(handle, "hi")
	s.settle(0)
	m.forget(s)
	s.settle(60_000)
	e := s.settled(call)
	s.expect(e.Failure != nil && e.Failure.Code == engine.CodeOutcomeUnknown, "settled with %v", e.Failure)
	s.expect(s.ended() == 1 && len(s.events(engine.EventPhase, `"stopReason":"error"`)) == 1, "%d ends",
		s.ended())
	s.expect(strings.Contains(said(s.effects, handle), "an answer") || len(m.of("session/load")) > 0,
		"the answer is gone")
}

// TestVersion1OverASocketReloadedInATurn: the turn's answer went with the socket,
// so that it has ended; the session is loaded on the next one, whole.
func TestVersion1OverASocketReloadedInATurn(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{Transport: acp.TransportWebSocket}, m)
	effects := func(kind engine.Kind) []engine.Effect {
		return s.find(func(e engine.Effect) bool { return e.Kind == kind })
	}
	// hear brings what the agent says; its % is the id of the last request.
	hear := func(text string) {
		if frames := effects(engine.Frame); len(frames) > 0 {
			var last modelRequest
			_ = json.Unmarshal(frames[len(frames)-1].Data, &last)
			text = strings.ReplaceAll(text, "%", string(last.ID))
		}
		x := effects(engine.Socket)[0].X
		s.do("hear "+text, func(c *acp.Client, now engine.Time) { c.SocketMessage(now, x, []byte(text)) })
	}
	connect := func() {
		s.do("opened",
			func(c *acp.Client, now engine.Time) { c.SocketOpened(now, effects(engine.Socket)[0].X) })
		hear(`{"jsonrpc":"2.0","id":%,"result":{"protocolVersion":1,` +
			`"agentCapabilities":{"loadSession":true}}}`)
	}
	connect()
	s.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	hear(`{"jsonrpc":"2.0","id":%,"result":{"sessionId":"s1"}}`)
	s.prompt(s.handle("s1"), "hi")
	hear(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1",` +
		`"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"an "}}}}`)
	s.settle(1_000)
	s.load()
	s.expect(len(s.events(engine.EventResumed, "")) == 0,
		"what became of it is told before anybody was asked")
	connect()
	frames := effects(engine.Frame)
	s.expect(len(frames) == 2 && strings.Contains(string(frames[1].Data), `"session/load"`),
		"after initialize: %d frames", len(frames))
	s.expect(len(s.events(engine.EventPhase, `"stopReason":"error"`)) == 1,
		"the turn goes on without its answer")
	hear(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1",` +
		`"update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"}}}}`)
	hear(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1",` +
		`"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"an answer"}}}}`)
	hear(`{"jsonrpc":"2.0","id":%,"result":{}}`)
	s.expect(said(s.effects, s.handle("s1")) == "an answer" &&
		len(s.events(engine.EventResumed, "restarted")) == 1, "shown %q", said(s.effects, s.handle("s1")))
}
