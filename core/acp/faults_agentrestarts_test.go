//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// restarts is the end of an agent that keeps no sessions, and counts their ids from the start.
func (m *model) restarts(s *sim) {
	m.sessions = map[string]*modelSession{}
	m.forget(s)
	s.settle(60_000)
}

// TestFault677_IDsFromTheStart: an agent is restarted, has forgotten its sessions, and makes one under the id
// of an earlier one. That is another session: the earlier one is over, and nothing of it is shown, nor is it
// there for the next page.
func TestFault677_IDsFromTheStart(t *testing.T) {
	for _, reloaded := range []bool{false, true} {
		t.Run(fmt.Sprint("reloaded ", reloaded), func(t *testing.T) {
			m := newModel()
			s, handle, a := opened(t, m)
			s.prompt(handle, "old")
			s.settle(0)
			m.restarts(s)
			if reloaded {
				s.load()
				s.settle(60_000)
				handle = s.handle(a.id)
			}
			another, id := s.session()
			s.expect(id == a.id && another != handle, "session %s has handle %d, as the earlier one", id,
				another)
			s.expect(len(s.find(func(e engine.Effect) bool {
				return e.Event == engine.EventStatus && uint32(e.C) == handle &&
					string(e.Data) == `{"state":"closed"}`
			})) == 1, "the earlier one goes on")
			s.expect(len(transcript(s.effects, another)) == 0, "shown %v", transcript(s.effects, another))
			s.prompt(another, "new")
			s.settle(1_000)
			s.expect(transcript(s.effects, another)[0].text == "new", "shown %v",
				transcript(s.effects, another))
			s.load()
			s.settle(1_000)
			recalled := s.find(func(e engine.Effect) bool { return e.Kind == engine.Recall })
			s.expect(len(recalled) == 1 && len(transcript(s.effects, s.handle(id))) == 2,
				"the next page has %d sessions, and shows %v", len(recalled),
				transcript(s.effects, s.handle(id)))
		})
	}
}

// TestFault677_AnotherTabHasIt: the earlier session is another tab's: that tab hears that it is over.
func TestFault677_AnotherTabHasIt(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	s.prompt(handle, "old")
	s.settle(0)
	m.restarts(s)
	l := s.look(77)
	there := newSim(t, acp.Config{Epoch: 50, Tabs: true}, m)
	there.do("look on", func(c *acp.Client, now engine.Time) { c.Restore(now, s.Store.Followed()) })
	old := there.handle(a.id)
	another, id := there.session()
	there.expect(id == a.id && another != old && len(transcript(there.effects, another)) == 0, "shown %v",
		transcript(there.effects, another))
	asked := there.events(engine.EventForward, `"forget":true`)
	there.expect(len(asked) == 1, "the tab that has it is not told")
	s.ask(string(asked[0].Data))
	s.settle(1_000)
	s.expect(len(s.Store.Heads()) == 0, "it is stored still")
	l.hear(1)
}

// TestFault706_SameConnection: an agent answers session/new with the id of a session that it has on that very
// connection, as one that has a single session for each folder may. It has not been restarted: that session
// goes on, with the prompt that it is at work on.
func TestFault706_SameConnection(t *testing.T) {
	for _, reloaded := range []bool{false, true} {
		t.Run(fmt.Sprint("reloaded ", reloaded), func(t *testing.T) {
			m := newModel()
			m.onPrompt = func(a *modelSession, r modelRequest) {
				a.echo(r, "u1")
				a.accept(r, "u1")
				a.is(`"state":"running"`)
			}
			s, handle, a := opened(t, m)
			s.prompt(handle, "hi")
			s.settle(0)
			m.silent["session/new"], m.silent["session/resume"] = true, true
			if reloaded {
				s.load()
				s.settle(0)
				handle = s.handle(a.id)
			}
			call := s.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
			a.conn.say("", `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":%q}}`, m.of("session/new")[1].ID,
				a.id)
			s.settle(0)
			s.expect(s.settled(call).Outcome == engine.OutcomeResult && s.handle(a.id) == handle,
				"it is another session")
			clear(m.silent)
			for _, r := range m.of("session/resume") {
				m.handle(a.conn, r)
			}
			a.chunk("a1", "done")
			a.is(`"state":"idle","stopReason":"end_turn"`)
			s.settle(1_000)
			s.expect(said(s.effects, handle) == "done" && s.ended() == 1, "shown %q, %d ends",
				said(s.effects, handle), s.ended())
		})
	}
}

// TestFault677_NotTakenUp: an agent does not take a session up, and makes another one under its id: on a new
// connection, where it says nothing of sessions that it does not know, and on the same one, where it says
// that.
func TestFault677_NotTakenUp(t *testing.T) {
	for code, cut := range map[int]bool{-32603: false, -32002: true} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			m := newModel()
			s, handle, a := opened(t, m)
			a.chunk("a1", "old")
			s.settle(0)
			m.silent["session/resume"], m.silent["session/new"] = true, true
			if cut {
				s.cut(m.reading(a.id), 0)
			} else {
				m.forget(s)
			}
			s.settle(5_000)
			conn := m.connections[m.of("session/resume")[0].Connection]
			conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`,
				m.of("session/resume")[0].ID, code)
			s.settle(0)
			s.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
			conn.say("", `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":%q}}`, m.of("session/new")[1].ID,
				a.id)
			s.settle(0)
			s.expect(s.handle(a.id) != handle, "it is the earlier one")
		})
	}
}
