//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
)

// TestFault498_AnswerToAnotherQuestion: an agent counts its requests from the start on each connection. A tab
// that looks on has a question of the last connection open; what the agent asks on the next one has its id,
// and is another. Nobody's answer to the first is given to the second.
func TestFault498_AnswerToAnotherQuestion(t *testing.T) {
	for _, how := range []string{"in one row", "handed on", "answered before it hears",
		"given and handed on"} {
		t.Run(how, func(t *testing.T) {
			m := quiet()
			s, _, a := opened(t, m)
			a.ask(func() {})
			s.settle(0)
			l := s.look(77)
			if n := len(openOf(l.told)); n != 1 {
				t.Fatalf("%d are open there", n)
			}
			old := openOf(l.told)[0]
			if strings.HasPrefix(how, "given") {
				l.do(func(c *acp.Client) { c.Respond(l.Now, old.Position, true, []byte(yes)) })
			}
			s.slow = how == "in one row"
			m.asked = 0
			a.asking, a.askID = "", ""
			// the host was restarted
			m.forget(s)
			s.settle(1_000)
			a.ask(func() {})
			a.asking = strings.Replace(a.asking, "Run?", "Delete everything?", 1)
			box := a.conn.box(a.id)
			box.frames[len(box.frames)-1] = a.asking
			s.settle(1_000)
			s.slow = false
			s.landed()
			s.pump()
			s.settle(0)
			here := openOf(s.effects)
			s.expect(len(here) == 1 && strings.Contains(string(here[0].Data), "Delete"), "here %d are open",
				len(here))
			switch how {
			case "in one row":
				l.hear(1)
			case "handed on":
				l.hear(2)
			case "answered before it hears":
				l.do(func(c *acp.Client) { c.Respond(l.Now, old.Position, true, []byte(yes)) })
				all := l.forwarded()
				s.ask(all[len(all)-1])
				s.settle(1_000)
				s.expect(m.answered["1001"] == 0,
					"the agent is told %q to Delete everything, which is the answer to Run", yes)
				return
			case "given and handed on":
				n := len(l.forwarded())
				l.hear(2)
				for _, text := range l.forwarded()[n:] {
					s.ask(text)
				}
				s.settle(1_000)
				s.expect(m.answered["1001"] == 0,
					"the agent is told %q to Delete everything, which is the answer to Run", yes)
				return
			}
			there := openOf(l.told)
			if len(there) != 1 || !strings.Contains(string(there[0].Data), "Delete") {
				for _, e := range there {
					t.Errorf("there is open: %s", e.Data)
				}
				before := len(l.forwarded())
				l.do(func(c *acp.Client) { c.Respond(l.Now, there[0].Position, true, []byte(yes)) })
				for _, text := range l.forwarded()[before:] {
					s.ask(text)
				}
				s.settle(1_000)
				t.Errorf("its answer is given to %s: answered %v", here[0].Data, m.answered)
			}
		})
	}
}

// TestFault506_SameIDAfterALoad: an earlier page has answered a question; the agent asks something else under
// its id.
func TestFault506_SameIDAfterALoad(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	s.respond(s.open()[0], yes)
	s.settle(0)
	s.load()
	s.settle(60_000)
	a.m.asked = 0
	a.ask(func() {})
	a.asking = ""
	box := a.conn.box(a.id)
	box.frames[0] = strings.Replace(box.frames[0], "Run?", "Write?", 1)
	s.settle(60_000)
	s.expect(len(s.open()) == 1, "not asked, and the agent waits for ever")
}

// TestFault506_ManyAnswered: more questions were answered than are kept. The page is loaded again while the
// last one is asked once more: nobody is asked again.
func TestFault506_ManyAnswered(t *testing.T) {
	s, _, a := opened(t, quiet())
	asking := ""
	for range 300 {
		a.ask(func() {})
		asking = a.asking
		s.settle(0)
		s.respond(s.open()[0], yes)
		s.settle(0)
		s.effects = s.effects[:0]
	}
	s.load()
	a.conn.say(a.id, "%s", asking)
	s.settle(1_000)
	s.expect(len(s.open()) == 0, "the person is asked again what the agent has the answer to")
}
