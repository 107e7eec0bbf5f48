//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault479_RefusedAnswer: the agent's server refuses an answer, and the person is asked
// again. So is whoever looks on, and the next page with what was filled in: the answer that
// was refused is not sent once more.
func TestFault479_RefusedAnswer(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	l := s.look(77)
	s.do("draft",
		func(c *acp.Client, now engine.Time) { c.SaveDraft(now, s.open()[0].Position, []byte(`{"a":1}`)) })
	connection := a.m.connections["c1"]
	connection.refuses = true
	s.respond(s.open()[0], yes)
	l.hear(1)
	s.settle(20_000)
	l.hear(1)
	s.expect(len(s.open()) == 1 && l.asks() == 1, "%d are asked here, %d there", len(s.open()), l.asks())
	connection.refuses = false
	s.load()
	s.settle(60_000)
	s.expect(len(s.open()) == 1 && a.m.answered["1001"] == 0,
		"the next page asks %d, and has sent %d answers", len(s.open()), a.m.answered["1001"])
	s.expect(len(s.events(engine.EventDraft, `{"a":1}`)) == 1, "the draft is gone")
	s.respond(s.open()[0], yes)
	s.settle(0)
	s.load()
	s.settle(60_000)
	s.expect(len(s.open()) == 0 && a.m.answered["1001"] == 1, "%d are asked, %d answered", len(s.open()),
		a.m.answered["1001"])
}

// TestFault495_EarlierAnswerRefused: a person answers, the page is loaded again before the
// agent's server has taken the answer, and the server refuses it. The next page asks the person
// once more, also where its record was written again meanwhile: the agent waits still.
func TestFault495_EarlierAnswerRefused(t *testing.T) {
	for _, again := range []bool{false, true} {
		s, _, a := opened(t, quiet())
		a.ask(func() {})
		s.settle(0)
		s.post = func(string) delivery { return neverLeft }
		s.respond(s.open()[0], yes)
		s.load()
		if again {
			s.storedAgain()
			s.load()
		}
		s.expect(len(s.open()) == 0, "the person is asked before the answer is refused")
		connection := a.m.connections["c1"]
		connection.refuses, s.post = true, nil
		s.settle(60_000)
		s.expect(len(s.open()) == 1 && len(s.events(engine.EventWithdrawn, "")) == 0,
			"written again %v: %d are asked", again, len(s.open()))
		connection.refuses = false
		s.respond(s.open()[0], yes)
		s.settle(60_000)
		s.expect(a.m.answered["1001"] == 1 && a.asking == "", "written again %v: %d answers", again,
			a.m.answered["1001"])
	}
}

// asks counts the questions that it asks.
func (l *looker) asks() (n int) {
	for _, e := range l.told {
		switch {
		case e.Kind != engine.Deliver:
		case e.Event == engine.EventQuestion:
			n++
		case e.Event == engine.EventWithdrawn:
			n--
		}
	}
	return n
}

// TestFault480_SameIDOnTheNextConnection: an agent that tells no history counts its requests
// from the start on each connection. What it asks there is asked, in each page and tab, though
// a question of the connection before, which had that id, was answered.
func TestFault480_SameIDOnTheNextConnection(t *testing.T) {
	for _, loadFirst := range []bool{false, true} {
		m := quiet()
		m.version, m.answers = 1, `"agentCapabilities":{"sessionCapabilities":{"resume":{}}}`
		s, _, a := opened(t, m)
		a.ask(func() {})
		s.settle(0)
		s.respond(s.open()[0], yes)
		s.settle(0)
		s.effects = nil
		m.forget(s)
		s.settle(60_000)
		a.chunk("a1", "on the next connection")
		s.settle(0)
		l := s.look(77)
		if loadFirst {
			s.load()
			s.settle(0)
		}
		m.asked = 0
		a.ask(func() {})
		s.settle(0)
		s.expect(len(s.open()) == 1, "load first %v: %d are asked", loadFirst, len(s.open()))
		if !loadFirst {
			l.hear(1)
			s.expect(l.asks() == 1, "%d are asked in the tab that looks on", l.asks())
		}
		s.load()
		s.settle(0)
		s.expect(len(s.open()) == 1, "load first %v: the next page asks %d", loadFirst, len(s.open()))
		s.respond(s.open()[0], yes)
		s.settle(0)
		s.expect(a.asking == "", "the agent waits still")
	}
}

// TestFault480_SameIDAgain: an agent asks something else under an id that it has used, on the
// same connection. The record says so, also once it is written again.
func TestFault480_SameIDAgain(t *testing.T) {
	for _, again := range []bool{false, true} {
		s, _, a := opened(t, quiet())
		a.ask(func() {})
		s.settle(0)
		s.respond(s.open()[0], yes)
		s.settle(0)
		s.effects = nil
		a.m.asked = 0
		a.ask(func() {})
		a.asking = ""
		box := a.conn.box(a.id)
		box.frames[0] = strings.Replace(box.frames[0], "Run?", "Write?", 1)
		s.settle(0)
		s.expect(len(s.open()) == 1, "not asked")
		if again {
			s.storedAgain()
		}
		s.load()
		s.expect(len(s.open()) == 1, "written again %v: the next page asks %d", again, len(s.open()))
	}
}

// TestFault484_CancelledOnTheAnswersWay: a person answers while the network is away, and then
// cancels the turn. The answer is on its way still: it is sent by this page, or by the next
// one, and the person is not asked again.
func TestFault484_CancelledOnTheAnswersWay(t *testing.T) {
	for _, load := range []bool{false, true} {
		s, handle, a := opened(t, quiet())
		a.ask(func() {})
		s.settle(0)
		s.post = func(string) delivery { return neverLeft }
		s.respond(s.open()[0], yes)
		s.effects = nil
		s.cancel(handle)
		if load {
			s.load()
		}
		s.post = nil
		s.cut(a.m.reading(a.id), 0) // with its history it asks again
		s.settle(60_000)
		s.expect(len(s.open()) == 0, "load %v: the person is asked again", load)
		s.expect(a.m.answered["1001"] == 1, "load %v: %d answers", load, a.m.answered["1001"])
	}
}
