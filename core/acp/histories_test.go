//go:build !js

package acp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// history runs a session whose course a list of bytes says: what is delivered,
// cut, forgotten, reloaded, asked and answered, and in which order. In the end all
// that the agent has said is shown, once and in order; each prompt was POSTed
// once at most; no question was answered twice; nothing was DELETEd.
func history(t testing.TB, script []byte) { historyWith(t, newModel(), script) }

func historyWith(t testing.TB, m *model, script []byte) {
	m.onPrompt = func(s *modelSession, r modelRequest) { s.turn(r, 6, s.turns%2 == 1 && s.asking == "") }
	s := newSim(t, acp.Config{}, m)
	handle, id := s.session()
	prompts := 0
	s.post = func(body string) delivery {
		if len(script) > 0 && strings.Contains(body, `"session/prompt"`) {
			return delivery(script[0] >> 5 % 3)
		}
		return arrives
	}
	for len(script) > 0 {
		choice := script[0] % 16
		switch {
		case choice < 6:
			if x, frame, ok := m.take(s); ok {
				s.chunk(x, frame)
			}
		case choice < 8:
			if all := m.streams(); len(all) > 0 {
				s.cut(all[int(script[0]>>4)%len(all)], int(script[0]>>6))
			}
		case choice < 9:
			s.load()
			handle = s.handle(id)
		case choice < 10:
			m.forget(s)
		case choice < 12 && prompts < 6:
			prompts++
			s.prompt(handle, fmt.Sprintf("p%d!", prompts))
		case choice < 13:
			for _, q := range s.open() {
				s.respond(q, `{"outcome":{"outcome":"selected","optionId":"y"}}`)
			}
		case choice < 14 && script[0]>>4 >= 8:
			s.input("visited", (*acp.Client).Visited)
		case choice < 14:
			s.slow = !s.slow
			s.queue = append(s.queue, s.landed)
			s.pump()
		case choice == 15 && script[0]>>4 >= 12:
			s.storedAgain()
		default:
			s.settleOne(int64(script[0]>>4) * 200)
		}
		script = script[1:]
	}
	s.slow = false
	s.queue = append(s.queue, s.landed)
	s.pump()
	for range 12 { // the agent asks, the person answers, until nobody waits
		s.settle(60_000)
		for _, q := range s.open() {
			s.respond(q, `{"outcome":{"outcome":"selected","optionId":"y"}}`)
		}
	}
	if shown, want := said(s.effects, handle), m.said(id); shown != want {
		s.fatal("shown %q, said %q", shown, want)
	}
	seen := map[string]int{}
	for _, r := range m.of("session/prompt") {
		if seen[string(r.Params)]++; seen[string(r.Params)] > 1 {
			s.fatal("POSTed twice: %s", r.Params)
		}
	}
	for q, n := range m.answered {
		// What was answered while nothing could be stored the next page does not know.
		s.expect(n == 1 || s.forgetful, "question %s was answered %d times", q, n)
	}
	s.expect(len(m.of("DELETE")) == 0, "a DELETE was sent")
	s.expect(m.sessions[id].asking == "", "a question was never answered")
	if turns := s.events(engine.EventPhase, ""); len(turns) > 0 {
		last := string(turns[len(turns)-1].Data)
		s.expect(strings.Contains(last, `"state":"idle"`), "the last word on the turn is %s", last)
	}
}

// settleOne lets time pass without delivering anything.
func (s *sim) settleOne(ms int64) {
	until := s.Now.After(ms)
	for range 1000 {
		at, ok := s.Client.Deadline()
		if !ok || at > until {
			break
		}
		s.Now = max(s.Now, at)
		s.do("advance", func(c *acp.Client, now engine.Time) { c.Advance(now) })
	}
	s.Now = until
}

// TestHistoriesAtEveryBoundary cuts, reloads and forgets after each message of a
// turn, one history for each place, kind of end and number of lost frames.
func TestHistoriesAtEveryBoundary(t *testing.T) { historiesAtEveryBoundary(t, newModel) }

func historiesAtEveryBoundary(t *testing.T, agent func() *model) {
	const deliver, prompt, wait = 0, 10, 0xee
	for at := range 14 {
		for _, end := range []byte{6, 6 | 1<<4, 6 | 1<<6, 6 | 1<<4 | 2<<6, 8, 9} {
			script := []byte{prompt, deliver, deliver, wait, prompt}
			for range at {
				script = append(script, deliver)
			}
			script = append(script, end, wait, deliver, end, wait)
			historyWith(t, agent(), script)
		}
	}
}

func FuzzClient(f *testing.F) {
	f.Add([]byte{10, 0, 0, 6, 0xee, 0, 0, 8, 0, 9, 0xee, 12})
	f.Add([]byte{10, 0, 13, 10, 8, 0xee, 0x2a, 0x4a, 6, 12, 7})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) <= 300 {
			history(t, script)
		}
	})
}

// length is how many rounds a random test has: HOLDFAST_HISTORIES, or that many.
func length(usual int) int {
	if asked, err := strconv.Atoi(os.Getenv("HOLDFAST_HISTORIES")); err == nil {
		return asked
	}
	return usual
}

// seeded plays the random histories of so many seeds, or HOLDFAST_HISTORIES, from one that time gives or
// HOLDFAST_FIRST on; HOLDFAST_SEED names one alone.
func seeded(t *testing.T, usual int, play func(t *testing.T, seed uint64)) {
	first, n := uint64(rand.Uint32()), length(usual)
	if asked, err := strconv.ParseUint(os.Getenv("HOLDFAST_FIRST"), 10, 64); err == nil {
		first = asked
	}
	if asked, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64); err == nil {
		first, n = asked, 1
	}
	for seed := first; seed < first+uint64(n) && !t.Failed(); seed++ {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Logf("HOLDFAST_SEED=%d", seed)
			play(t, seed)
		})
	}
}

// TestHistories runs random ones. HOLDFAST_HISTORIES says how many, HOLDFAST_SEED
// which.
func TestHistories(t *testing.T) {
	n, seed := length(300), rand.Uint64()
	if asked, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64); err == nil {
		seed = asked
	}
	for i := range n {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		script := make([]byte, random.IntN(200))
		for j := range script {
			script[j] = byte(random.Uint32())
		}
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Logf("HOLDFAST_SEED=%d", seed)
			history(t, script)
		})
		if t.Failed() {
			return
		}
	}
}
