//go:build !js

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// How long TestAgentSoak goes on: `make sample` and `make soak` say more.
var agentTurns = flag.Int("agentturns", 1, "turns of TestAgentSoak")

// TestAgentSoak cuts the official server's streams at random, in every way, and
// reloads the page in the middle of turns: what is shown in the end is what was
// said, once and in order, and every prompt was taken once.
func TestAgentSoak(t *testing.T) {
	t.Parallel()
	_, random := seeded(t)
	server := acpserver.Start(t, acpserver.Options{})
	page := openChat(t, server.URL())
	soak := &agentSoak{t: t, server: server, page: page, random: random}
	for turn := range *agentTurns {
		if turn%4 == 0 { // or the history gets longer than the turn
			soak.session, soak.spoken = "s1", nil
			if turn > 0 {
				soak.session = beginChat(page)
			}
		}
		soak.turn(turn)
		if t.Failed() {
			break
		}
	}
	if n := len(server.Of("prompt")); n != soak.turns {
		t.Errorf("%d prompts were taken, of %d", n, soak.turns)
	}
	t.Logf("%d turns, %d cuts, %d reloads; %d updates: %d lost, %d duplicated, %d out of order",
		soak.turns, soak.cuts, soak.reloads, soak.updates, soak.lost, soak.duplicated, soak.reordered)
}

type agentSoak struct {
	t       *testing.T
	server  *acpserver.Server
	page    *chrome.Page
	random  *rand.Rand
	session string
	spoken  []int // how far each turn of the session counts

	turns, cuts, reloads, updates, lost, duplicated, reordered int
}

// turn lets the agent count in uneven steps, and compares what is shown with what
// it said.
func (s *agentSoak) turn(turn int) {
	s.t.Helper()
	// A few cuts to a turn: an agent whose every message may be the last before one
	// never gets to the end of a history.
	s.server.CutAtRandom(acpserver.RandomCuts{Seed: s.random.Uint32(), Chance: 0.08, Most: 5})
	n, gate := 10+s.random.IntN(40), fmt.Sprintf("g%d", turn)
	chrome.Eval[chrome.Void](s.page, fmt.Sprintf(`prompt(%q, "count %d @%s")`, s.session, n, gate))
	s.server.Waiting(gate)
	for left := n; left > 0; {
		pass := min(left, 1+s.random.IntN(10))
		s.server.Pass(gate, pass)
		left -= pass
		if s.random.IntN(5) == 0 {
			s.page.Reload()
			s.page.WaitFor(`window.ready`)
			s.reloads++
		}
	}
	s.server.AwaitKind("idle", turn+1)
	s.turns++
	s.updates += n
	s.spoken = append(s.spoken, n)
	// An answer to each prompt: where two turns count equally far, the text ends as
	// the turn before did until the first update of this one is here.
	s.page.WaitWithin(roundLimit, fmt.Sprintf(`chats[%q].session.state === "idle" && text(%[1]q).endsWith("⟨%[2]d⟩") &&
		["user_message", "agent_message"].every((kind) =>
			chats[%[1]q].session.transcript.filter(({ type }) => type === kind).length === %[3]d)`, s.session, n, len(s.spoken)))
	s.cuts += s.server.RandomCutsMade()
	s.server.CutAtRandom(acpserver.RandomCuts{})
	s.compare()
}

// compare counts what is missing in the transcript, and what is there twice.
func (s *agentSoak) compare() {
	s.t.Helper()
	shown := chrome.Eval[[][]int](s.page, fmt.Sprintf(`chats[%q].session.transcript.filter(({ type }) => type === "agent_message").map(({ content }) =>
		[...content.map(({ text }) => text).join("").matchAll(/⟨(\d+)⟩/g)].map(([, n]) => Number(n)))`, s.session))
	if len(shown) != len(s.spoken) {
		s.t.Errorf("%d messages are shown of %d: %v", len(shown), len(s.spoken), shown)
		return
	}
	for i, n := range s.spoken {
		times, last := make([]int, n+1), 0
		for _, mark := range shown[i] {
			if mark < last {
				s.reordered++
			}
			last = mark
			times[mark]++
		}
		for mark := 1; mark <= n; mark++ {
			if times[mark] == 0 {
				s.lost++
			}
			s.duplicated += max(times[mark]-1, 0)
		}
	}
	if s.lost+s.duplicated+s.reordered > 0 {
		s.t.Errorf("of %v is shown %v", s.spoken, shown)
	}
}
