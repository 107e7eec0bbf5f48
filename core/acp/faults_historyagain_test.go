//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault675_HistoryAfterTheStore: the store fails, and works again. The log that is written then has the
// whole history: a tab that looks on shows it, and so does the next page, also where it cannot hear the
// agent.
func TestFault675_HistoryAfterTheStore(t *testing.T) {
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			m := newModel()
			m.version = version
			s, _, a := opened(t, m)
			a.update(`{"sessionUpdate":"user_message_chunk","messageId":"u1","content":{"type":"text",` +
				`"text":"hi"}}`)
			a.chunk("a1", "before")
			s.settle(0)
			l := s.look(77)
			s.storeFails()
			a.chunk("a1", ", meanwhile")
			s.settle(0)
			s.storeWorks()
			s.settle(1_000)
			s.expect(len(s.events(engine.EventResumed, "")) == 0,
				"the app has missed nothing, and is told of a resume")
			l.hear(1)
			s.expect(l.said() == "before, meanwhile", "the tab that looks on shows %q", l.said())
			s.expect(said(s.effects, s.handle(a.id)) == "before, meanwhile", "shown %q",
				said(s.effects, s.handle(a.id)))
			m.silent["GET"] = true
			s.load()
			s.settle(1_000)
			s.expect(said(s.effects, s.handle(a.id)) == "before, meanwhile", "the next page shows %q",
				said(s.effects, s.handle(a.id)))
		})
	}
}

// TestFault675_WithoutAHistory: an agent that can tell none is not asked, and the app hears of no gap.
func TestFault675_WithoutAHistory(t *testing.T) {
	m := newModel()
	m.version, m.answers = 1, `"agentCapabilities":{}`
	s, _, a := opened(t, m)
	a.chunk("a1", "x")
	s.settle(0)
	s.storedAgain()
	s.settle(1_000)
	s.expect(len(s.events(engine.EventResumed, "")) == 0, "the app is told of a gap that there is not")
	s.expect(len(m.of("session/load"))+len(m.of("session/resume")) == 0, "it is asked for")
}

// TestFault675_InATurn: the store works again while somebody is at work, or while the end of a history may
// still come. What is said goes to the app at once, and the history is asked for once that is over.
func TestFault675_InATurn(t *testing.T) {
	for _, version := range []int{1, 2} {
		m := newModel()
		m.version = version
		var prompt modelRequest
		m.onPrompt = func(_ *modelSession, r modelRequest) { prompt = r }
		s, handle, a := opened(t, m)
		s.prompt(handle, "hi")
		s.settle(0)
		a.update(
			`{"sessionUpdate":"user_message_chunk","messageId":"u1","content":{"type":"text","text":"hi"}}`)
		if version == 2 {
			a.accept(prompt, "u1")
			a.is(`"state":"running"`)
		}
		a.chunk("a1", "one")
		s.settle(0)
		s.storedAgain()
		a.chunk("a1", ", two")
		s.settle(0)
		s.expect(said(s.effects, handle) == "one, two", "version %d: shown %q", version,
			said(s.effects, handle))
		s.expect(len(m.of("session/resume"))+len(m.of("session/load")) == 0,
			"version %d: it is asked for in the turn", version)
		if version == 2 {
			a.is(`"state":"idle","stopReason":"end_turn"`)
			s.settle(0)
		} else {
			v1ends(s, a, prompt, "end_turn")
		}
		s.settle(1_000)
		s.expect(s.ended() == 1, "version %d: %d ends", version, s.ended())
		m.silent["GET"] = true
		s.load()
		s.settle(1_000)
		s.expect(said(s.effects, s.handle(a.id)) == "one, two", "version %d: the next page shows %q", version,
			said(s.effects, s.handle(a.id)))
	}
}

// TestFault675_BehindTheAppsLoad: version 1: the store works again between the answer to session/load and the
// end of the history. Nothing is shown twice.
func TestFault675_BehindTheAppsLoad(t *testing.T) {
	m := newModel()
	m.version = 1
	s, _, a := opened(t, m)
	a.history = append(a.history,
		`{"sessionUpdate":"user_message_chunk","messageId":"u1","content":{"type":"text","text":"hi"}}`)
	for _, text := range []string{"one", ", two", ", three"} {
		a.history = append(a.history,
			`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text","text":"`+text+
				`"}}`)
	}
	fresh := newSim(t, acp.Config{Epoch: 900, Seed: 9}, m)
	v1load(fresh, a.id)
	box := m.connections["c2"].box(a.id)
	rest := box.frames[2:]
	box.frames = box.frames[:2]
	fresh.settle(0)
	fresh.storedAgain()
	box.frames = rest
	fresh.settle(60_000)
	shown := said(fresh.effects, fresh.handle(a.id))
	s.expect(shown == "one, two, three", "shown %q", shown)
	m.silent["GET"] = true
	fresh.load()
	fresh.settle(1_000)
	s.expect(said(fresh.effects, fresh.handle(a.id)) == "one, two, three", "the next page shows %q",
		said(fresh.effects, fresh.handle(a.id)))
}

// TestFault675_HistoryThatDoesNotCome: the agent does not answer. The app has missed nothing, and hears of no
// gap; of one that there is, it does.
func TestFault675_HistoryThatDoesNotCome(t *testing.T) {
	for _, cut := range []bool{false, true} {
		m := newModel()
		s, handle, a := opened(t, m)
		a.chunk("a1", "x")
		s.settle(0)
		m.silent["session/resume"] = true
		s.storedAgain()
		if cut {
			s.cut(m.reading(a.id), 0)
		}
		s.settle(65_000) // longer than anybody waits, and shorter than a stream may say nothing
		s.expect((len(s.events(engine.EventResumed, `"gap"`)) > 0) == cut, "cut %v: the app is told %d times",
			cut, len(s.events(engine.EventResumed, "")))
		s.expect(said(s.effects, handle) == "x", "shown %q", said(s.effects, handle))
	}
}

// TestFault675_EndThatAHistoryTells: the end of a turn comes with the history on a new connection: that
// history is asked for once.
func TestFault675_EndThatAHistoryTells(t *testing.T) {
	m := newModel()
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.echo(r, "u1")
		a.accept(r, "u1")
		a.is(`"state":"running"`)
		a.chunk("a1", "x")
	}
	s, handle, a := opened(t, m)
	s.prompt(handle, "hi")
	s.settle(0)
	a.state = `"state":"idle","stopReason":"error"`
	m.forget(s)
	s.settle(10_000)
	s.expect(s.ended() == 1 && len(m.of("session/resume")) == 1, "%d ends, %d times", s.ended(),
		len(m.of("session/resume")))
	s.expect(len(s.events(engine.EventResumed, "")) == 1, "the app is told %d times",
		len(s.events(engine.EventResumed, "")))
}

// TestFault700_SocketLostMeanwhile: the store works again in a turn, and the socket is lost before that has
// ended. The app has missed something then, and hears of it.
func TestFault700_SocketLostMeanwhile(t *testing.T) {
	m := newModel()
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.echo(r, "u1")
		a.accept(r, "u1")
		a.is(`"state":"running"`)
	}
	w := &wire{sim: newSim(t, acp.Config{Transport: acp.TransportWebSocket}, m), m: m,
		conns: map[engine.ExchangeID]*modelConnection{}}
	w.wait(0)
	w.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	w.wait(0)
	w.prompt(w.handle(m.newest), "hi")
	w.wait(0)
	w.storedAgain()
	w.close(true)
	w.wait(60_000)
	w.expect(len(w.events(engine.EventResumed, `"restarted"`)) == 1, "the app is told %d times",
		len(w.events(engine.EventResumed, "")))
}

// TestFault701_AskedForAsTheAgentSpeaks: the agent has begun a turn, and asks for a permission in it, before
// it hears that its history is asked for. Nothing is shown twice.
func TestFault701_AskedForAsTheAgentSpeaks(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	s.prompt(handle, "one")
	s.settle(1_000)
	before := said(s.effects, handle)
	m.silent["session/resume"] = true
	s.storedAgain()
	delete(m.silent, "session/resume")
	a.chunk("a1", ", more")
	a.update(`{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text",` +
		`"text":"of another client"}]}`)
	a.is(`"state":"requires_action"`)
	a.chunk("a2", ", two")
	a.ask(func() {})
	m.handle(m.connections["c1"], m.of("session/resume")[0])
	s.settle(1_000)
	s.expect(said(s.effects, handle) == before+", more, two", "shown %q", said(s.effects, handle))
}

// TestFault702_StoreTooSlowForIt: the store is too slow for the whole history, which is given up each time,
// and stored after all. The agent is not asked for it for ever.
func TestFault702_StoreTooSlowForIt(t *testing.T) {
	m := newModel()
	s, _, a := opened(t, m)
	for i := range 200 {
		a.chunk("a1", fmt.Sprint("word", i, " "))
	}
	s.settle(0)
	sizes := map[uint32]int{}
	s.also = func(e engine.Effect) {
		if e.Kind == engine.Store {
			sizes[e.Ticket] = len(e.Data)
		}
	}
	s.slow = true
	s.storedAgain()
	for range 60 {
		if waiting := s.Store.Waiting(); len(waiting) > 0 && sizes[waiting[0]] > 5_000 {
			s.settle(4_000)
		}
		s.landOne()
		s.settle(100)
	}
	s.expect(len(m.of("session/resume")) == 1, "it is asked %d times", len(m.of("session/resume")))
}
