//go:build !js

package acp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestVersion1Histories: version 1 over HTTP: prompts, cancels, loads by the app, cuts, reloads, forgotten
// connections; messages with and without ids. In the end nothing waits, each prompt was sent once at most,
// the last word on the turn is true, and the transcript, here and in a tab that looks on, is what a fresh
// client shows.
func TestVersion1Histories(t *testing.T) {
	for _, ids := range []bool{true, false} {
		t.Run(fmt.Sprint("ids ", ids), func(t *testing.T) {
			seeded(t, 150, func(t *testing.T, seed uint64) { v1History(t, ids, seed) })
		})
	}
}

// takeAnyOf takes a frame of any box.
func (m *model) takeAnyOf(s *sim, random *rand.Rand) (engine.ExchangeID, string, bool) {
	var all []*modelBox
	for i := range m.made {
		c := m.connections[fmt.Sprintf("c%d", i+1)]
		if c == nil {
			continue
		}
		for _, name := range c.order {
			if box := c.boxes[name]; len(box.frames) > 0 && box.x != 0 && s.Exchange(box.x).Reading {
				all = append(all, box)
			}
		}
	}
	if len(all) == 0 {
		return 0, "", false
	}
	box := all[random.IntN(len(all))]
	frame := box.frames[0]
	box.frames = box.frames[1:]
	return box.x, frame, true
}

// v1History is one of those.
func v1History(t *testing.T, ids bool, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 11))
	m := newModel()
	m.version = 1
	type work struct {
		r    modelRequest
		conn *modelConnection
		n    int
	}
	var queue []*work
	n := 0
	id := func(of string, k int) string {
		if ids {
			return fmt.Sprintf(`"messageId":"%s%d",`, of, k)
		}
		return ""
	}
	m.onPrompt = func(a *modelSession, r modelRequest) {
		n++
		queue = append(queue, &work{r, a.conn, n})
		if len(queue) == 1 {
			var p struct{ Prompt json.RawMessage }
			_ = json.Unmarshal(r.Params, &p)
			a.history = append(a.history, fmt.Sprintf(`{"sessionUpdate":"user_message_chunk",%s"content":%s}`,
				id("u", n), p.Prompt[1:len(p.Prompt)-1]))
		}
	}
	s := newSim(t, acp.Config{Tabs: true}, m)
	handle, sid := s.session()
	a := m.sessions[sid]
	l := s.lookOn()
	said := 0
	say := func() {
		if len(queue) == 0 {
			return
		}
		w := queue[0]
		said++
		if random.IntN(5) == 0 {
			a.update(
				fmt.Sprintf(
					`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"%d","status":"completed"}`,
					said,
					said))
			return
		}
		a.update(
			fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk",%s"content":{"type":"text","text":"<%d>"}}`,
				id("a", w.n), said))
	}
	done := func() {
		if len(queue) == 0 {
			return
		}
		w := queue[0]
		queue = queue[1:]
		if m.connections[w.conn.id] == w.conn {
			w.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, w.r.ID)
		}
		if len(queue) > 0 {
			var p struct{ Prompt json.RawMessage }
			_ = json.Unmarshal(queue[0].r.Params, &p)
			a.history = append(a.history, fmt.Sprintf(`{"sessionUpdate":"user_message_chunk",%s"content":%s}`,
				id("u", queue[0].n), p.Prompt[1:len(p.Prompt)-1]))
		}
	}
	calls := map[engine.CallID]bool{}
	prompts := 0
	words := func(n int) string {
		if random.IntN(2) == 0 {
			return "again"
		}
		return fmt.Sprint("p", n)
	}
	s.post = func(body string) delivery {
		switch {
		case !strings.Contains(body, `"session/`):
		case random.IntN(12) == 0 && !strings.Contains(body, "session/prompt"):
			return neverLeft
		case random.IntN(12) == 0:
			return unreported
		}
		return arrives
	}
	m.slowly = true
	for range 20 + random.IntN(80) {
		switch choice := random.IntN(30); {
		case choice < 6:
			say()
		case choice < 14:
			if x, frame, ok := m.takeAnyOf(s, random); ok {
				s.chunk(x, frame)
			}
		case choice < 16:
			if all := m.streams(); len(all) > 0 {
				x, lost := all[random.IntN(len(all))], random.IntN(3)
				m.each(func(b *modelBox) { // an answer that is lost comes no more
					for i := range b.frames {
						if b.x == x && i < lost && strings.Contains(b.frames[i], `"result"`) {
							lost = i
						}
					}
				})
				s.cut(x, lost)
			}
		case choice < 17 && random.IntN(2) == 0:
			clear(calls)
			for len(s.Store.Waiting()) > 0 { // what is not stored the next page does not know
				s.landed()
				s.pump()
			}
			l.commits = nil
			s.load()
			handle = s.handle(sid)
			clear(l.served)
			stored := unsealed(s.Store.Followed())
			l.say(func() { l.do(func(c *acp.Client) { c.Restore(l.Now, stored) }) })
		case choice < 18 && random.IntN(2) == 0:
			queue = nil // the agent was restarted
			m.forget(s)
		case choice < 19:
			calls[v1load(s, sid)] = true
		case choice < 22 && prompts < 6:
			prompts++
			calls[s.prompt(handle, words(prompts))] = true
		case choice < 23 && random.IntN(2) == 0:
			s.cancel(handle)
		case choice < 24:
			s.slow = !s.slow
			s.queue = append(s.queue, s.landed)
			s.pump()
		case choice < 26:
			done()
		case choice < 28:
			l.carry()
		default:
			s.settleOne(int64(random.IntN(8)) * 200)
		}
	}
	s.slow, s.post = false, nil
	s.queue = append(s.queue, s.landed)
	s.pump()
	s.settle(30_000)
	for range 8 {
		done()
		s.settle(1_000)
	}
	s.settle(30_000)
	queue = nil
	for call := range calls {
		n := len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Settle && e.C == call }))
		s.expect(n == 1, "call %d was settled %d times", call, n)
	}
	seen := map[string]int{}
	for _, r := range m.of("session/prompt") {
		if seen[string(r.ID)]++; seen[string(r.ID)] > 1 {
			s.fatal("sent twice: %s", r.Params)
		}
	}
	if last := s.lastTurn(); last != "" {
		s.expect(strings.Contains(last, `"idle"`), "the last turn is told as %s", last)
	}
	if seed%2 == 0 {
		p := s.prompt(handle, "last")
		s.settle(1_000)
		s.expect(len(queue) == 1, "a prompt does not leave")
		done()
		s.settle(1_000)
		s.expect(s.settled(p).Outcome == engine.OutcomeResult, "it is not answered")
	}
	// whatever was missed comes, on a new connection
	m.forget(s)
	s.settle(30_000)
	for l.carry() {
	}
	fresh := newSim(t, acp.Config{Epoch: 900, Seed: 9}, m)
	call := v1load(fresh, sid)
	fresh.settle(60_000)
	fresh.expect(fresh.settled(call).Outcome == engine.OutcomeResult, "not loaded")
	show := func(effects []engine.Effect, h uint32) (text string) {
		for _, it := range transcript(effects, h) {
			text += it.kind + "=" + it.text + " "
		}
		return text
	}
	want := show(fresh.effects, fresh.handle(sid))
	if got := show(s.effects, handle); got != want {
		s.fatal("shown\n%s, want\n%s", got, want)
	}
	if got := show(l.told, 1); got != want {
		s.fatal("there is shown\n%s, want\n%s", got, want)
	}
}
