//go:build !js

package acp_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// looker is a tab that looks on at the sessions of a sim's page. It has no network.
type looker struct {
	coretest.ACP
	s    *sim
	told []engine.Effect
}

// look opens such a tab; it knows what is stored by now.
func (s *sim) look(epoch uint32) *looker { return s.lookAs(acp.Config{Tabs: true, Epoch: epoch}) }

func (s *sim) lookAs(cfg acp.Config) *looker {
	cfg.URL, cfg.Journal = s.cfg.URL, true
	l := &looker{ACP: coretest.NewACP(s.t, cfg), s: s}
	l.do(func(c *acp.Client) { c.Restore(l.Now, s.Store.Followed()) })
	l.do(func(c *acp.Client) { c.Start(l.Now) })
	return l
}

func (l *looker) do(input func(c *acp.Client)) {
	l.Now++
	l.told = append(l.told, l.Input("input", func(c *acp.Client, _ engine.Time) { input(c) })...)
}

// hear tells it what is stored by now, of a tab that carries the sessions under that
// epoch.
func (l *looker) hear(epoch uint32) {
	l.do(func(c *acp.Client) { c.Restore(l.Now, unsealed(inEpoch(l.s.Store.Followed(), epoch))) })
}

// unsealed drops the secrets in a list of ops: what tabs tell each other has none.
func unsealed(ops []byte) []byte {
	var b []byte
	for r := journal.ReadOps(ops); ; {
		op, ok := r.Next()
		if !ok {
			return b
		}
		op.Secret = nil
		b = journal.AppendOp(b, op)
	}
}

// inEpoch gives the heads in a list of ops another epoch, as who takes a session over
// does.
func inEpoch(ops []byte, epoch uint32) []byte {
	var b []byte
	for r := journal.ReadOps(ops); ; {
		op, ok := r.Next()
		if !ok {
			return b
		}
		if op.Kind == journal.OpCall {
			op.Epoch = epoch
		}
		b = journal.AppendOp(b, op)
	}
}

// takeOver makes it the tab that carries all sessions.
func (l *looker) takeOver() {
	l.do(func(c *acp.Client) { c.Restore(l.Now, inEpoch(l.s.Store.Loaded(), 2)) })
}

func (l *looker) request(method, params string) (id engine.CallID) {
	l.do(func(c *acp.Client) { id = c.Request(l.Now, 1, method, []byte(params)) })
	return id
}

// prompts has it prompt, and the sim's page send that: its call, the id of the request, and
// the call there.
func (l *looker) prompts() (id engine.CallID, request uint64, call engine.CallID) {
	id = l.request("session/prompt", hello)
	all := l.forwarded()
	call = l.s.ask(all[len(all)-1])
	l.s.settle(0)
	return id, idIn(all[len(all)-1]), call
}

// answered tells it how that call was settled.
func (l *looker) answered(request uint64, call engine.CallID) {
	e := l.s.settled(call)
	l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, request, e.Outcome, e.Data, e.Failure) })
}

// forwarded returns the texts that it has for the tab that carries the sessions.
func (l *looker) forwarded() []string {
	var all []string
	for _, e := range l.told {
		if e.Kind == engine.Deliver && e.Event == engine.EventForward {
			all = append(all, string(e.Data))
		}
	}
	return all
}

// ended counts the ends of turns that its app was told.
func (l *looker) ended() (n int) {
	for _, e := range l.told {
		if e.Kind == engine.Deliver && e.Event == engine.EventPhase &&
			bytes.HasSuffix(e.Data, []byte(`"ended":true}`)) {
			n++
		}
	}
	return n
}

// outcome says how a call of its was settled: "" for not yet.
func (l *looker) outcome(id engine.CallID) string {
	for _, e := range l.told {
		if e.Kind == engine.Settle && e.C == id {
			if e.Failure != nil {
				return string(e.Failure.Code)
			}
			return fmt.Sprintf("%d %s", e.Outcome, e.Data)
		}
	}
	return ""
}

// serve gives the sim's page the text of another tab's.
func (s *sim) ask(text string) (id engine.CallID) {
	s.do("serve "+text, func(c *acp.Client, now engine.Time) { id = c.Serve(now, []byte(text)) })
	return id
}

func idIn(text string) uint64 {
	_, rest, _ := strings.Cut(text, `"request":`)
	var id uint64
	_, _ = fmt.Sscan(rest[:strings.IndexByte(rest, ',')], &id)
	return id
}

const hello = `{"prompt":[{"type":"text","text":"hello"}]}`

// TestForwardedPrompt: it leaves once, under the id of the tab that looks on, which
// hears what the agent has answered.
func TestForwardedPrompt(t *testing.T) {
	s, _, a := opened(t, newModel())
	l := s.look(77)
	id := l.request("session/prompt", hello)
	text := l.forwarded()[0]
	call := s.ask(text)
	s.expect(call != 0 && s.ask(text) == 0, "not made, or made twice")
	s.settle(0)
	prompts := a.m.of("session/prompt")
	s.expect(len(prompts) == 1 && idIn(text)>>24 == 77, "%d prompts, id of %s", len(prompts), text)
	e := s.settled(call)
	l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, idIn(text), 0, nil, nil) })
	s.expect(l.outcome(id) == "", "settled with %s", l.outcome(id))
	for range 2 {
		l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, idIn(text), e.Outcome, e.Data, nil) })
	}
	s.expect(l.outcome(id) == fmt.Sprintf("%d %s", e.Outcome, e.Data), "settled with %s", l.outcome(id))
}

// TestForwardedToTheDead: what becomes of a request whose tab has died follows from
// what that tab has said and stored, and nothing else; whether this tab takes over or
// a third one.
func TestForwardedToTheDead(t *testing.T) {
	const (
		unheard = 0
		taken   = 1 << iota // it has said that it has it
		stored              // the store has it
		placed              // and that the agent has it
	)
	for _, test := range []struct {
		name   string
		method string
		at     int
		third  string // what it ends with where another tab takes over: "again" is forwarded once more
		own    string // and where this one does: "again" is made here
	}{
		{"a prompt that was lost on the way", "session/prompt", unheard, "again", "again"},
		{"a prompt that had to be stored yet", "session/prompt", taken, "outcome_unknown", "outcome_unknown"},
		{"a prompt that was about to leave", "session/prompt", taken | stored, "", ""},
		{"the same, and nobody has said so", "session/prompt", stored, "", ""},
		{"a prompt that the agent has", "session/prompt", taken | stored | placed, "1 {}", "1 {}"},
		{"what may be asked twice", "session/set_config_option", taken, "again", "again"},
		{"what may not", "_x/charge", taken, "outcome_unknown", "outcome_unknown"},
		{"what may not, and was lost", "_x/charge", unheard, "outcome_unknown", "outcome_unknown"},
	} {
		for _, own := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, own %v", test.name, own), func(t *testing.T) {
				m := newModel()
				s, _, _ := opened(t, m)
				l := s.look(77)
				id := l.request(test.method, hello)
				request := idIn(l.forwarded()[0])
				if test.at&taken != 0 {
					l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, request, 0, nil, nil) })
				}
				write := func(e journal.Entry) {
					s.Store.Append(s.Store.Calls()[0], journal.AppendEntry(nil, e))
				}
				if test.at&stored != 0 {
					write(journal.Entry{Kind: journal.Prompt, N: [3]uint64{request},
						Data: []byte(`[{"type":"text","text":"hello"}]`)})
				}
				if test.at&placed != 0 {
					write(journal.Entry{Kind: journal.Placed, N: [3]uint64{request}, Data: []byte("placed")})
				}
				l.told = nil
				want := test.third
				if own {
					want = test.own
					l.takeOver()
				} else {
					l.hear(2)
				}
				switch again := l.forwarded(); {
				case want == "again" && own:
					s.expect(l.outcome(id) == "" && len(again) == 0, "settled with %q, forwarded %q",
						l.outcome(id), again)
				case want == "again":
					fresh := test.at&taken != 0 // an answer to the first may come yet
					s.expect(len(again) == 1 && (idIn(again[0]) != request) == fresh && l.outcome(id) == "",
						"forwarded %q, %q", again, l.outcome(id))
				default:
					s.expect(l.outcome(id) == want && len(again) == 0, "settled with %q, forwarded %q",
						l.outcome(id), again)
				}
				if want != "" {
					return
				}
				// Nothing says more: it is given up, once.
				l.Now += 20_000
				l.do(func(c *acp.Client) { c.Advance(l.Now) })
				s.expect(own || l.outcome(id) == "outcome_unknown", "settled with %q", l.outcome(id))
			})
		}
	}
}

// TestForwardedAnswerAndForget go to the next tab that carries the session, and are
// done by this one where that is it.
func TestForwardedAnswerAndForget(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	l := s.look(77)
	var q engine.Effect
	for _, e := range l.told {
		if e.Event == engine.EventQuestion {
			q = e
		}
	}
	l.do(func(c *acp.Client) { c.Respond(l.Now, q.Position, true, []byte(yes)) })
	l.told = nil
	l.hear(2)
	s.expect(len(l.forwarded()) == 1 && strings.Contains(l.forwarded()[0], `"data":`+yes), "forwarded %q",
		l.forwarded())
	l.do(func(c *acp.Client) { c.Forget(l.Now, 1) })
	l.told = nil
	l.hear(3)
	s.expect(len(l.forwarded()) == 2 && strings.HasSuffix(l.forwarded()[1], `"forget":true}`), "forwarded %q",
		l.forwarded())
	s.ask(l.forwarded()[0])
	s.settle(0)
	s.expect(a.m.answered["1001"] == 1, "answered %d times", a.m.answered["1001"])
	s.ask(l.forwarded()[1])
	s.ask(l.forwarded()[1])
	s.expect(len(s.Store.Heads()) == 0 && len(a.m.of("session/close")) == 0, "it is still there")
}

// TestOnlyItsAnswersAreForwardedAgain: one of two sessions changes hands. What the app
// has answered there goes to the next tab that carries it; what it has not answered
// does not, and neither does an answer in the other session.
func TestOnlyItsAnswersAreForwardedAgain(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	asked := map[string]string{} // the first question of each session, by its id
	for range 2 {
		_, id := s.session()
		for range 2 {
			m.sessions[id].ask(func() {})
			if asked[id] == "" {
				asked[id] = m.sessions[id].askID
			}
		}
	}
	s.settle(0)
	l := s.look(77)
	for i, e := range append([]engine.Effect(nil), l.told...) {
		if e.Event == engine.EventQuestion && !slices.ContainsFunc(
			l.told[:i], func(b engine.Effect) bool { return b.Event == engine.EventQuestion && b.C == e.C }) {
			l.do(func(c *acp.Client) { c.Respond(l.Now, e.Position, true, []byte(yes)) })
		}
	}
	s.expect(len(l.forwarded()) == 2, "forwarded %q", l.forwarded())
	for _, head := range s.Store.Heads() {
		record := head.Call
		l.told = nil
		own := journal.AppendOp(nil, head)
		for _, op := range s.Store.Rows(record) {
			own = journal.AppendOp(own, op)
		}
		l.do(func(c *acp.Client) { c.Restore(l.Now, unsealed(inEpoch(own, 2))) })
		want := ""
		for id, question := range asked {
			if bytes.Contains(head.Plain, []byte(`"`+id+`"`)) {
				want = fmt.Sprintf(`{"record":%d,"id":%s,`, record, question)
			}
		}
		s.expect(len(l.forwarded()) == 1 && strings.HasPrefix(l.forwarded()[0], want),
			"forwarded %q, want %s", l.forwarded(), want)
	}
}

// TestWithdrawnInAllTabs: the connection that an agent has asked on is gone, and nobody
// waits for an answer. A tab that looks on hears so at once, and why.
func TestWithdrawnInAllTabs(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	l := s.look(77)
	withdrawn := func() (all []string) {
		for _, e := range l.told {
			if e.Kind == engine.Deliver && e.Event == engine.EventWithdrawn {
				all = append(all, string(e.Data))
			}
		}
		return all
	}
	questions := func() (n int) {
		for _, e := range l.told {
			if e.Kind == engine.Deliver && e.Event == engine.EventQuestion {
				n++
			}
		}
		return n
	}
	s.expect(questions() == 1, "asked %d times", questions())
	asking, id := a.asking, a.askID
	a.asking, a.askID = "", ""
	s.slow = true // what is told again is a commit of its own
	a.m.forget(s)
	s.settle(1_000)
	s.landed()
	l.hear(1)
	s.expect(len(withdrawn()) == 1 && strings.Contains(withdrawn()[0], `"connection"`), "withdrawn %q",
		withdrawn())
	// The agent may ask once more, by the same id, on the connection that came after.
	s.slow = false
	s.queue = append(s.queue, s.landed)
	s.pump()
	s.settle(60_000)
	a.asking, a.askID = asking, id
	a.conn.say(a.id, "%s", asking)
	s.settle(0)
	l.hear(1)
	s.expect(questions() == 2 && len(s.open()) == 1, "asked %d times, %d are open", questions(),
		len(s.open()))
}

// TestForwardNowhere: where there is no way to the other tabs, what is asked fails at
// once, and says so.
func TestForwardNowhere(t *testing.T) {
	s, _, _ := opened(t, newModel())
	l := s.lookAs(acp.Config{Epoch: 78})
	id := l.request("session/prompt", hello)
	s.expect(l.outcome(id) == string(engine.CodeElsewhere) && len(l.forwarded()) == 0, "settled with %q",
		l.outcome(id))
}

// TestDraftsOfForms are there again after a reload, and gone with the answer.
func TestDraftsOfForms(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	save := func(draft string) {
		q := s.open()[0]
		s.do("draft", func(c *acp.Client, now engine.Time) { c.SaveDraft(now, q.Position, []byte(draft)) })
	}
	kept := func() string {
		s.load()
		s.settle(0)
		all := s.events(engine.EventDraft, "")
		if len(all) == 0 {
			return ""
		}
		last := all[len(all)-1]
		s.expect(last.Position == s.open()[0].Position, "of another question")
		return string(last.Data)
	}
	save(`{"name":"L"}`)
	s.expect(kept() == `{"name":"L"}`, "not kept")
	save(`{"name":"` + strings.Repeat("x", 40_000) + `"}`)
	save(`{"name":"Lu`)
	save(`{"name":"Lu"}`)
	s.settle(20_000) // what is large is written at a pace
	s.expect(kept() == `{"name":"Lu"}`, "kept %.40s", kept())
	save("")
	s.expect(kept() == "", "withdrawn, and kept")
	save(`1`)
	s.respond(s.open()[0], yes)
	s.settle(0)
	s.expect(kept() == "" && a.m.answered["1001"] == 1, "answered, and kept")
	s.expect(!bytes.Contains(s.Store.Plain(), []byte(`"Lu"`)), "a draft is in the open")
}

// TestRowsOfSeveralSessions: what a tab hears of those that others carry may come in
// any order; each row goes to its own session.
func TestRowsOfSeveralSessions(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	ids, records := [2]string{}, [2]uint64{}
	for i := range ids {
		_, ids[i] = s.session()
		m.sessions[ids[i]].chunk("a", fmt.Sprint("one of ", i))
	}
	s.settle(60_000)
	for _, head := range s.Store.Heads() {
		for i, id := range ids {
			if bytes.Contains(head.Plain, []byte(`"`+id+`"`)) {
				records[i] = head.Call
			}
		}
	}
	l := s.look(77)
	handle := func(id string) (handle uint32) {
		for _, e := range l.told {
			if e.Kind == engine.Recall && bytes.Contains(e.Data, []byte(`"`+id+`"`)) {
				handle = uint32(e.C)
			}
		}
		return handle
	}
	before := [2]int{len(s.Store.Rows(records[0])), len(s.Store.Rows(records[1]))}
	for i, id := range ids {
		m.sessions[id].chunk("b", fmt.Sprint(", two of ", i))
	}
	s.settle(60_000)
	rows := func(i, from int) (b []byte) {
		for _, op := range s.Store.Rows(records[i])[from:] {
			b = journal.AppendOp(b, op)
		}
		return b
	}
	// A row alone; then the whole of one session with a row of another behind it.
	l.do(func(c *acp.Client) { c.Restore(l.Now, unsealed(rows(1, before[1]))) })
	head, _ := s.Store.Head(records[1])
	whole := append(journal.AppendOp(nil, head), rows(1, 0)...)
	l.do(func(c *acp.Client) { c.Restore(l.Now, unsealed(append(inEpoch(whole, 2), rows(0, before[0])...))) })
	for i, id := range ids {
		want := fmt.Sprintf("one of %d, two of %d", i, i)
		s.expect(said(l.told, handle(id)) == want, "session %d shows %q, want %q", i,
			said(l.told, handle(id)), want)
	}
}

// A tab that has taken a session over has it in the store before it knows so itself: what
// another tab, which reads the store, asks of it in between is lost. It is asked once more
// when it says that it has taken over, and makes nothing twice.
func TestFault179_AskedBeforeItKnowsThatItCarriesTheSession(t *testing.T) {
	s, _, _ := opened(t, newModel())
	l := s.look(77)
	id := l.request("session/prompt", hello)
	l.hear(2)
	asked := l.forwarded()
	s.expect(len(asked) == 2 && asked[1] == asked[0], "forwarded %q", asked)
	_, text, _ := strings.Cut(asked[0], `"record":`)
	var record uint64
	_, _ = fmt.Sscan(text[:strings.IndexByte(text, ',')], &record)

	takenOver := func(epoch uint32) []string {
		l.told = nil
		l.do(func(c *acp.Client) { c.TakenOver(l.Now, record, epoch) })
		return l.forwarded()
	}
	again := takenOver(2)
	s.expect(len(again) == 1 && again[0] == asked[0] && l.outcome(id) == "", "forwarded %q, %q", again,
		l.outcome(id))
	s.expect(len(takenOver(1)) == 0, "an older one is heard")
	l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, idIn(asked[0]), 0, nil, nil) })
	s.expect(len(takenOver(2)) == 0 && l.outcome(id) == "", "that tab has it, and is asked once more")
}
