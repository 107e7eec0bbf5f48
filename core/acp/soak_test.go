//go:build !js

package acp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
)

// TestSoak cuts the official server's streams at random, in every way, and
// reloads the page in the middle of turns: what is shown in the end is what was
// said, once and in order, and every prompt was sent once. HOLDFAST_HISTORIES says
// how many turns there are, HOLDFAST_SEED which.
func TestSoak(t *testing.T) {
	turns, seed := 12, rand.Uint64()
	if n, err := strconv.Atoi(os.Getenv("HOLDFAST_HISTORIES")); err == nil {
		turns = n
	}
	if n, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("HOLDFAST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	server := acpserver.Start(t, acpserver.Options{})
	p := open(t, server.URL(), nil)
	s, id := p.newSession()
	cuts, reloads, want := 0, 0, ""
	for turn := range turns {
		// A few to a turn: an agent whose every message may be the last before a cut
		// never gets to the end of a history.
		server.CutAtRandom(acpserver.RandomCuts{Seed: random.Uint32(), Chance: 0.08, Most: 5})
		n := 10 + random.IntN(40)
		gate := fmt.Sprintf("g%d", turn)
		call := p.prompt(s, id, fmt.Sprintf("count %d @%s", n, gate))
		server.Waiting(gate)
		for left := n; left > 0; {
			pass := min(left, 1+random.IntN(10))
			server.Pass(gate, pass)
			left -= pass
			if random.IntN(8) == 0 {
				p = p.reload()
				reloads++
				s, call = p.handle(id), 0
				p.wait(engine.State, 0, `"state":"open"`)
			}
		}
		if call != 0 {
			if e := p.settled(call); e.Outcome != engine.OutcomeResult {
				t.Fatalf("turn %d: %s %v", turn, e.Data, e.Failure)
			}
		}
		want += counted(n)
		p.waitText(s, want)
		cuts += server.RandomCutsMade()
		if turn%4 == 3 { // or the history gets longer than the turn
			s, id = p.newSession()
			want = ""
		}
	}
	if prompts := len(server.Of("prompt")); prompts != turns {
		t.Errorf("%d prompts were taken, of %d", prompts, turns)
	}
	if strings.Contains(p.log(), "gap") {
		t.Error("a gap was told")
	}
	t.Logf("%d turns, %d cuts, %d reloads", turns, cuts, reloads)
}
