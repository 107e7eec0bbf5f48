//go:build !js

package acp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestPromptsSettle runs random histories of sessions that share too few streams. The
// app prompts into turns that are under way; the agent takes a prompt in at once or
// holds it, answers it early or late, and begins its turn at once or later; streams are lent
// and cut in between, a tab that looks on prompts as well, and in every second history the
// sessions change hands. In every fourth nothing is cut or lent: there it is known of
// each prompt which turn it is of (faults 609, 674). Whoever waits for the end of a
// prompt's turn gets to it, once the agent has nothing more to do, and to no end before
// it. HOLDFAST_HISTORIES says how many histories, HOLDFAST_SEED which.
func TestPromptsSettle(t *testing.T) {
	n, seed := length(400), rand.Uint64()
	if asked, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64); err == nil {
		seed = asked
	}
	for i := range n {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Logf("HOLDFAST_SEED=%d", seed)
			settling(t, rand.New(rand.NewPCG(seed, uint64(i))), i%2 == 1, i%4 == 2)
		})
		if t.Failed() {
			return
		}
	}
}

// settling is one of those histories.
func settling(t testing.TB, random *rand.Rand, takeovers, calm bool) {
	m := newModel()
	m.slowly = true
	s := newSim(t, acp.Config{}, m)
	s.sockets = 6
	w := newWaiters(func() []engine.Effect { return s.effects }, s.prompt)
	workers := map[string]*worker{}
	m.onPrompt = func(a *modelSession, r modelRequest) { workers[a.id].take(r) }
	var handles []uint32
	var all []*worker
	for range 1 + random.IntN(3) {
		handle, id := s.session()
		handles = append(handles, handle)
		workers[id] = &worker{a: m.sessions[id], random: random, turnOf: map[string]int{}}
		all = append(all, workers[id])
	}
	s.post = func(string) delivery {
		if !calm && random.IntN(4) == 0 {
			return travels
		}
		return arrives
	}
	// What the host has written to a stream that its client gives up may be lost.
	s.aborted = func(x engine.ExchangeID) { m.lose(x, max(0, random.IntN(6)-2)) }
	if calm {
		s.streamsOf(len(handles))
	} else {
		s.streamsOf(random.IntN(3))
	}
	l := s.lookOn()
	prompts, gone := 0, map[int][]string{} // the prompts of pages that have gone, by session
	for range 20 + random.IntN(120) {
		switch choice := random.IntN(24); {
		case choice < 9:
			if x, frame, ok := m.takeAny(s, random); ok {
				s.chunk(x, frame)
			}
		case choice < 13:
			all[random.IntN(len(all))].work()
		case choice < 15 && prompts < 8:
			prompts++
			i := random.IntN(len(handles))
			if random.IntN(2) == 0 {
				s.settle(100)
				for l.carry() {
				}
			}
			here, there := w.crowded(handles[i]), l.waits.crowded(uint32(i+1))
			alone := !all[i].running && !here && !there && len(l.channel) == 0 && all[i].heard() &&
				all[i].has(gone[i+1])
			if random.IntN(3) == 0 {
				l.waits.prompt(uint32(i+1), fmt.Sprintf("p%d", prompts)).alone = alone || calm && !there
			} else {
				w.prompt(handles[i], fmt.Sprintf("p%d", prompts)).alone = alone || calm && !here
			}
		case choice < 18 && calm:
		case choice < 16:
			s.streamsOf(random.IntN(len(handles) + 1))
		case choice < 17:
			if open := m.streams(); len(open) > 0 {
				s.cut(open[random.IntN(len(open))], random.IntN(4))
			}
		case choice < 18:
			s.arrive()
		case choice < 19:
			for _, one := range all {
				one.beginNow() // or the wait for it is over
			}
			s.settleOne(int64(random.IntN(8)) * 1_000)
		case choice < 20 && takeovers && random.IntN(3) == 0:
			w.hear()
			if random.IntN(2) == 0 {
				s.arrive()
			}
			s.onTheWay, l.commits = nil, nil // they went with their page
			clear(l.served)
			s.load()
			stored := unsealed(s.Store.Followed())
			l.say(func() { l.do(func(c *acp.Client) { c.Restore(l.Now, stored) }) })
			for _, p := range w.prompts {
				gone[int(p.session)] = append(gone[int(p.session)], p.text)
			}
			w = newWaiters(func() []engine.Effect { return s.effects }, s.prompt)
			for i := range handles {
				handles[i] = s.handle(all[i].a.id)
			}
		default:
			l.carry()
		}
		w.hear()
	}
	s.post, s.aborted = nil, nil
	s.arrive()
	s.streamsOf(len(handles))
	for _, one := range all {
		one.beginNow()
	}
	s.settle(32_000) // all histories have come, and the doubts that they leave are over
	for range 20 {   // and no other comes to the rescue
		for _, one := range all {
			one.finish()
		}
		s.settle(100)
		for l.carry() {
		}
	}
	s.settle(16_000) // and those of prompts that the agent might have held until now (fault 507)
	for l.carry() {
	}
	l.do(func(c *acp.Client) { c.Advance(l.Now.After(16_000)) }) // its doubts are over as well
	for _, one := range all {
		s.expect(len(one.twice) == 0, "%q came twice", one.twice)
	}
	for where, one := range map[string]*waiters{"here": w, "in the tab that looks on": l.waits} {
		one.hear()
		for _, p := range one.prompts {
			s.expect(p.answers == 1, "prompt %d of session %d %s is answered %d times", p.call, p.session,
				where, p.answers)
			s.expect(p.settled || p.failed, "prompt %d of session %d %s does not settle; that tab:\n%s",
				p.call, p.session, where, l.Log())
			if !p.alone {
				continue // which turn it is of only the agent knows
			}
			turn := all[p.session-1].turnOf[p.text]
			s.expect(p.failed || p.by >= turn, "prompt %s of session %d %s, of turn %d, settles with the "+
				"end of %d; the tab that looks on:\n%s", p.text, p.session, where, turn, p.by, l.Log())
		}
	}
}

// worker is an agent at work in a session.
type worker struct {
	a       *modelSession
	random  *rand.Rand
	running bool
	users   int
	turns   int
	unbegun bool // the turn is, for which a prompt is in the history
	held    []modelRequest
	late    []func()       // answers that are still to come
	turnOf  map[string]int // by the text of a prompt: the turn that it is of
	twice   []string       // texts of prompts that have come more than once
}

// take takes a prompt: into the turn that is under way, or it is held until that ends.
func (w *worker) take(r modelRequest) {
	switch {
	case !w.running:
		w.begin(r)
	case w.random.IntN(2) == 0:
		w.insert(r)
	default:
		w.held = append(w.held, r)
	}
}

// begin begins a turn with a prompt.
func (w *worker) begin(r modelRequest) {
	w.turns++
	w.running, w.unbegun = true, true
	w.insert(r)
	if w.random.IntN(3) > 0 {
		w.beginNow()
	}
}

// beginNow begins the turn whose prompt is in the history.
func (w *worker) beginNow() {
	if w.unbegun {
		w.unbegun = false
		w.a.is(`"state":"running"`)
	}
}

// insert puts a prompt into the history, and answers it: before, then or later.
func (w *worker) insert(r modelRequest) {
	w.users++
	var p struct{ Prompt []struct{ Text string } }
	_ = json.Unmarshal(r.Params, &p)
	if w.turnOf[p.Prompt[0].Text] != 0 {
		w.twice = append(w.twice, p.Prompt[0].Text)
	}
	w.turnOf[p.Prompt[0].Text] = w.turns
	user := fmt.Sprintf("u%d", w.users)
	switch choice := w.random.IntN(4); {
	case choice == 0:
		w.a.accept(r, user)
		w.a.echo(r, user)
	case choice == 1:
		w.a.echo(r, user)
		w.late = append(w.late, func() { w.a.accept(r, user) })
	default:
		w.a.echo(r, user)
		w.a.accept(r, user)
	}
}

// work is a step of the agent's.
func (w *worker) work() {
	switch choice := w.random.IntN(8); {
	case choice < 2 && len(w.late) > 0:
		w.late[0]()
		w.late = w.late[1:]
	case w.unbegun:
		w.beginNow()
	case choice < 6 && w.running:
		w.a.chunk(fmt.Sprintf("a%d", w.turns), ".")
	case w.running:
		w.end()
	}
}

// end ends the turn, and begins the next one with a prompt that was held.
func (w *worker) end() {
	w.beginNow()
	w.running = false
	w.a.is(fmt.Sprintf(`"state":"idle","stopReason":"end_turn","_meta":{"turn":%d}`, w.turns))
	if len(w.held) > 0 {
		next := w.held[0]
		w.held = w.held[1:]
		w.begin(next)
	}
}

// heard reports whether all that it has said has come.
func (w *worker) heard() bool {
	return !slices.ContainsFunc(slices.Collect(maps.Values(w.a.m.connections)),
		func(c *modelConnection) bool {
			return len(c.box(w.a.id).frames) > 0
		})
}

// has reports whether it has had all of those prompts.
func (w *worker) has(texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return w.turnOf[text] == 0 })
}

// finish does all that is left to do.
func (w *worker) finish() {
	for w.running || len(w.late) > 0 {
		if w.running && (len(w.late) == 0 || w.random.IntN(2) == 0) {
			w.end()
			continue
		}
		w.late[0]()
		w.late = w.late[1:]
	}
}

// waiters are those who prompt in a page, and wait for the end of the turn: as
// web/src/agent/turns.ts has it.
type waiters struct {
	effects  func() []engine.Effect // for their page
	send     func(session uint32, text string) engine.CallID
	heard    int // how many of those it has had
	sessions map[uint32]*awaitedTurns
	prompts  []*awaitedPrompt
}

func newWaiters(effects func() []engine.Effect, send func(session uint32, text string) engine.CallID) *waiters {
	return &waiters{effects: effects, send: send, sessions: map[uint32]*awaitedTurns{}}
}

// awaitedTurns is who is at work in a session, as its page knows it.
type awaitedTurns struct {
	state         string
	latest, ended uint32
	last          int // the agent's number of the last turn that ended
	underWay      bool
	waiting       []*awaitedPrompt
}

// awaitedPrompt is a prompt whose end somebody waits for.
type awaitedPrompt struct {
	call    engine.CallID
	session uint32
	latest  uint32
	answers int
	failed  bool // as where its POST took too long
	settled bool
	text    string
	alone   bool // no other waited meanwhile, and all was heard of the turns before
	by      int  // the agent's number of the turn with whose end it settled
}

func (w *waiters) turns(session uint32) *awaitedTurns {
	if w.sessions[session] == nil {
		w.sessions[session] = &awaitedTurns{state: "idle"}
	}
	return w.sessions[session]
}

// crowded notes that another prompt of a session is sent, and reports whether one waits.
func (w *waiters) crowded(session uint32) (waits bool) {
	w.hear()
	for _, p := range w.prompts {
		if p.session == session && !p.settled && !p.failed {
			p.alone, waits = false, true
		}
	}
	return waits
}

func (w *waiters) prompt(session uint32, text string) *awaitedPrompt {
	w.hear()
	p := &awaitedPrompt{text: text, session: session, latest: w.turns(session).latest}
	w.prompts = append(w.prompts, p)
	p.call = w.send(session, text)
	return p
}

// hear takes what has come for the page since.
func (w *waiters) hear() {
	effects := w.effects()
	for _, e := range effects[w.heard:] {
		switch {
		case e.Kind == engine.Deliver && e.Event == engine.EventPhase:
			w.turns(uint32(e.C)).hear(e.Data)
		case e.Kind == engine.Settle:
			for _, p := range w.prompts {
				if p.call != e.C {
					continue
				}
				p.answers++
				if p.failed = e.Outcome != engine.OutcomeResult; !p.failed {
					w.turns(p.session).accepted(p)
				}
			}
		}
	}
	w.heard = len(effects)
}

func (a *awaitedTurns) hear(data []byte) {
	var turn struct {
		State           string
		Turn            uint32
		Ended, Expected bool
		Meta            struct{ Turn int } `json:"_meta"`
	}
	_ = json.Unmarshal(data, &turn)
	a.state, a.latest = turn.State, max(a.latest, turn.Turn)
	a.underWay = a.underWay || turn.Expected
	if !turn.Ended {
		return
	}
	a.ended, a.underWay, a.last = max(a.ended, turn.Turn), false, turn.Meta.Turn
	for _, p := range a.waiting {
		p.settled, p.by = true, a.last
	}
	a.waiting = nil
}

func (a *awaitedTurns) accepted(p *awaitedPrompt) {
	a.underWay = a.underWay || a.ended <= p.latest
	if a.state == "idle" && !a.underWay {
		p.settled, p.by = true, a.last
		return
	}
	a.waiting = append(a.waiting, p)
}

// takeAny takes a frame for one of those who read.
func (m *model) takeAny(s *sim, random *rand.Rand) (engine.ExchangeID, string, bool) {
	var boxes []*modelBox
	for _, x := range m.streams() {
		m.each(func(b *modelBox) {
			if b.x == x && len(b.frames) > 0 && s.Exchange(x).Reading {
				boxes = append(boxes, b)
			}
		})
	}
	if len(boxes) == 0 {
		return 0, "", false
	}
	box := boxes[random.IntN(len(boxes))]
	frame := box.frames[0]
	box.frames = box.frames[1:]
	return box.x, frame, true
}
