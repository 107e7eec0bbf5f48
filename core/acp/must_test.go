//go:build !js

package acp_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// The client's duties: what ACP's pages, schemas and RFDs say that a client MUST do, numbered
// by the names of these tests.

const yes = `{"outcome":{"outcome":"selected","optionId":"y"}}`

// opened returns a page with a session of a model whose prompts do nothing.
func opened(t *testing.T, m *model) (*sim, uint32, *modelSession) {
	t.Helper()
	s := newSim(t, acp.Config{}, m)
	handle, id := s.session()
	return s, handle, m.sessions[id]
}

// quiet is a model that only accepts prompts.
func quiet() *model {
	m := newModel()
	m.onPrompt = func(s *modelSession, r modelRequest) { s.accept(r, "u1") }
	return m
}

func (s *sim) ended() int { return len(s.events(engine.EventPhase, `"ended":true`)) }

func TestMust01_TheAnswerToAPromptEndsNoTurn(t *testing.T) {
	s, handle, a := opened(t, quiet())
	call := s.prompt(handle, "hi")
	s.settle(0)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult && s.ended() == 0,
		"the turn ended with the answer")
	a.is(`"state":"running"`)
	s.settle(600_000)
	s.expect(s.ended() == 0, "a watchdog ended the turn")
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(0)
	s.expect(s.ended() == 1, "%d ends", s.ended())
}

func TestMust02_UpdatesAtAnyTime(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	m.connections["c1"].say("", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1",`+
		`"update":{"sessionUpdate":"agent_message_chunk","messageId":"a0","content":{"type":"text",`+
		`"text":"early "}}}}`)
	s.request(0, "session/new", `{"cwd":"/w"}`)
	s.settle(0)
	handle, a := s.handle("s1"), m.sessions["s1"]
	a.chunk("a1", "idle ")
	s.settle(0)
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Notify(now, handle, "session/cancel", nil) })
	a.chunk("a2", "cancelled")
	s.settle(0)
	s.expect(said(s.effects, handle) == "early idle cancelled", "shown %q", said(s.effects, handle))
	s.expect(len(s.events(engine.EventPhase, "")) == 0, "an update changed the state")
}

func TestMust03_InOrderByID(t *testing.T) {
	s, handle, a := opened(t, quiet())
	a.chunk("a1", "1")
	a.chunk("a2", "x")
	a.chunk("a1", "2")
	a.update(`{"sessionUpdate":"agent_message","messageId":"a2","content":[{"type":"text","text":"y"}]}`)
	a.update(`{"sessionUpdate":"agent_message","messageId":"a1"}`)
	s.settle(0)
	s.expect(said(s.effects, handle) == "12y", "shown %q", said(s.effects, handle))
}

func TestMust04_SnapshotsAreIdempotent(t *testing.T) {
	s, handle, a := opened(t, quiet())
	a.is(`"state":"running"`)
	a.is(`"state":"_dreaming"`)
	s.settle(0)
	s.expect(s.ended() == 0, "an unknown state ended the turn")
	a.is(`"state":"idle","stopReason":"end_turn"`)
	a.is(`"state":"idle","stopReason":"end_turn"`)
	a.is(`"state":"idle","stopReason":"end_turn","background":[]`)
	s.settle(0)
	s.expect(s.ended() == 1, "%d ends", s.ended())
	a.is(`"state":"running"`)
	s.settle(0)
	a.m.silent["session/resume"] = true // and no state with the answer
	s.cut(a.m.reading(a.id), 0)
	s.settle(1_000)
	r := a.m.of("session/resume")
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r[len(r)-1].ID)
	s.settle(0)
	s.expect(s.ended() == 1, "the answer to session/resume ended a turn")
	_ = handle
}

func TestMust05_TheEchoIsThePrompt(t *testing.T) {
	m := quiet()
	m.onPrompt = func(s *modelSession, r modelRequest) {
		if m.asked++; m.asked == 1 {
			s.accept(r, "u7")
			s.echo(r, "u7")
			return
		}
		s.conn.say(s.id, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID) // the August draft
		s.echo(r, "u8")
	}
	s, handle, _ := opened(t, m)
	s.prompt(handle, "same")
	s.prompt(handle, "same")
	s.settle(0)
	items := transcript(s.effects, handle)
	s.expect(len(items) == 2 && items[0].id == "u7" && items[1].id == "u8", "items %v", items)
	s.expect(len(s.events(engine.EventItem, `"op":"placed"`)) == 2, "not reconciled")
}

func TestMust06_EveryRequestIsAnsweredOnce(t *testing.T) {
	s, handle, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	q := s.open()[0]
	s.respond(q, yes)
	s.respond(q, yes)
	s.expect(a.m.answered["1001"] == 1, "answered %d times", a.m.answered["1001"])
	a.ask(func() {})
	a.conn.say(a.id, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1002}}`)
	a.conn.say(a.id, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1001}}`)
	a.conn.say(a.id, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"who"}}`)
	s.settle(0)
	last := a.m.requests[len(a.m.requests)-1]
	s.expect(a.m.answered["1002"] == 1 && strings.Contains(string(last.Result), `"outcome":"cancelled"`),
		"answered %s", last.Result)
	s.expect(len(s.events(engine.EventWithdrawn, "agent")) == 1 &&
		len(s.events(engine.EventIntegrity, "")) == 0, "not withdrawn")
	a.ask(func() {})
	s.settle(0)
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Notify(now, handle, "session/cancel", nil) })
	s.settle(0)
	s.expect(a.m.answered["1003"] == 1, "after session/cancel: %d answers", a.m.answered["1003"])
}

func TestMust07_TheUnknown(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{"sessionId":"s1",`+
		`"path":"/etc/passwd"}}`)
	a.conn.say(a.id, `{"jsonrpc":"2.0","method":"_x/news","params":{}}`)
	a.tell(`{"sessionUpdate":"hologram","depth":3}`)
	a.update(`{"sessionUpdate":"agent_message","messageId":"a1","content":[{"type":"smell","of":"rain"},` +
		`{"type":"text","text":"x"}]}`)
	s.settle(0)
	s.expect(len(s.events(engine.EventItem, `{"type":"smell","of":"rain"}`)) == 1,
		"the content is gone")
	last := a.m.requests[len(a.m.requests)-1]
	s.expect(strings.Contains(string(last.Error), "-32601") && last.Session == a.id, "answered %s",
		last.Error)
	s.expect(len(s.events(engine.EventNotification, "_x/news")) == 1, "the notification is gone")
	s.expect(len(s.events(engine.EventItem, `"depth":3`)) == 1, "the update is gone")
}

func TestMust08_TheVersionIsChecked(t *testing.T) {
	m := quiet()
	m.answers = `"protocolVersion":9`
	s := newSim(t, acp.Config{Info: []byte(`{"name":"me","version":"3"}`), Version: 1}, m)
	s.settle(0)
	states := s.find(func(e engine.Effect) bool { return e.Kind == engine.State })
	failure := states[len(states)-1].Failure
	s.expect(failure != nil && failure.Code == acp.CodeNoVersion, "it goes on: %v", failure)
	s.expect(strings.Contains(string(m.of("initialize")[0].Params), `"info":{"name":"me","version":"3"}`),
		"no info")
}

func TestMust09_Elicitation(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{Capabilities: []byte(`{"elicitation":{"form":{}}}`)}, m)
	s.session()
	s.expect(strings.Contains(string(m.of("initialize")[0].Params),
		`"clientCapabilities":{"elicitation":{"form":{}},`), "version 1 is not told of it")
	m.connections["c1"].say("", `{"jsonrpc":"2.0","id":9,"method":"elicitation/create",`+
		`"params":{"requestId":12,"mode":"url","elicitationId":"e1","url":"https://a.test/x","message":"M"}}`)
	m.connections["c1"].say("",
		`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"nobody"}}`)
	before := len(s.Exchanges())
	s.settle(0)
	s.expect(len(s.Exchanges()) == before && len(s.open()) == 1, "it did something by itself")
	s.respond(s.open()[0], `{"action":"decline"}`)
	s.expect(m.answered["9"] == 1 && len(s.events(engine.EventIntegrity, "")) == 0, "not declined")
}

func TestMust10_ResumeSaysAllOfTheSession(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	facts := []string{`"cwd":"/w/x"`, `"mcpServers":[{"type":"http","name":"n","url":"https://m.test"}]`,
		`"additionalDirectories":["/a"]`}
	s.request(0, "session/new", `{`+strings.Join(facts, ",")+`}`)
	s.settle(0)
	s.load()
	m.forget(s)
	s.settle(60_000)
	all := m.of("session/resume")
	s.expect(len(all) > 0 && len(missing(all[len(all)-1].Params, facts...)) == 0, "resumed with %s", all)
}

// missing are the parts that params have not.
func missing(params []byte, parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(parts),
		func(part string) bool { return bytes.Contains(params, []byte(part)) })
}

func TestMust11_BothHeadersAndTheStreamFirst(t *testing.T) {
	s, handle, a := opened(t, quiet())
	s.request(0, "session/delete", `{"sessionId":"listed"}`) // the model refuses what lacks the header
	s.settle(0)
	s.expect(a.m.reading("listed") == 0, "its stream stays")
	deleted := a.m.of("session/delete")
	s.expect(len(deleted) == 1 && deleted[0].Session == "listed" && deleted[0].Connection == "c1",
		"headers: %+v", deleted)
	a.m.forget(s)
	s.prompt(handle, "hi") // the model fails the test where nobody reads
	s.settle(60_000)
	prompts := a.m.of("session/prompt")
	s.expect(len(prompts) == 1 && prompts[0].Session == a.id && prompts[0].Connection == "c2", "prompts: %+v",
		prompts)
}

func TestFault119_TheTurnFollowsNotifications(t *testing.T) {
	m := quiet()
	m.onPrompt = func(s *modelSession, r modelRequest) {
		s.is(`"state":"running"`)
		s.is(`"state":"idle","stopReason":"end_turn"`)
		s.accept(r, "u0")
		s.echo(r, "u0")
		s.is(`"state":"idle","stopReason":"end_turn","_meta":{"n":2}`)
	}
	s, handle, a := opened(t, m)
	call := s.prompt(handle, "hi")
	s.settle(0)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult && s.ended() == 1, "%d ends", s.ended())
	m.onPrompt = func(s *modelSession, r modelRequest) { s.turn(r, 4, false) }
	s.prompt(handle, "again")
	s.cut(m.reading(a.id), 9) // with all of the turn
	s.settle(60_000)
	s.expect(s.ended() == 2, "after the cut %d ends", s.ended())
	s.load()
	s.settle(60_000)
	last := s.events(engine.EventPhase, "")
	s.expect(strings.Contains(string(last[len(last)-1].Data), `"state":"idle"`), "after the reload: %s",
		last[len(last)-1].Data)
}

func TestFault120_TheEchoIsShownOnce(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	for _, text := range []string{"one", "two"} {
		s.prompt(handle, text)
		s.settle(0)
	}
	for _, end := range []func(){s.load, func() { m.forget(s) }, func() { s.cut(m.reading(a.id), 0) }} {
		end()
		s.settle(60_000)
		handle = s.handle(a.id)
		var ids []string
		for _, item := range transcript(s.effects, handle) {
			ids = append(ids, item.id)
		}
		s.expect(strings.Join(ids, " ") == "u1 a1 u2 a2", "shown %v", ids)
	}
}
