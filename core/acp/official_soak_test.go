//go:build !js && npm

package acp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
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
	for _, transport := range []string{"http", "websocket"} {
		t.Run(transport, func(t *testing.T) { soak(t, transport) })
	}
}

// hurried is how much faster than the world's a soak's clock is: five cuts in a row,
// each in a history that is being told, are a minute of backoff.
const hurried = 10

func soak(t *testing.T, transport string) {
	turns, seed := length(8), rand.Uint64()
	if n, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("HOLDFAST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	server := acpserver.Start(t, acpserver.Options{})
	url := server.URL()
	if transport == "websocket" {
		url = server.WebSocketURL()
	}
	p := openAt(t, url, nil, hurried)
	s, id := p.newSession()
	var total words
	cuts, reloads, want := 0, 0, []int(nil)
	for turn := range turns {
		// A round trip: a prompt that leaves on a socket which was cut a moment ago is
		// lost, and the app is told so.
		p.settled(p.request(0, "session/list", "{}"))
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
		want = append(want, n)
		server.AwaitKind("idle", turn+1)
		all := ""
		for _, to := range want {
			all += counted(to)
		}
		p.Wait(func(effects []engine.Effect) bool { return said(effects, s) == all }) // a hole is there until it is mended
		cuts += server.RandomCutsMade()
		server.CutAtRandom(acpserver.RandomCuts{})
		total.compare(p.text(s), want, n)
		if turn%4 == 3 { // or the history gets longer than the turn
			s, id = p.newSession()
			want = nil
		}
	}
	if prompts := len(server.Of("prompt")); prompts != turns {
		t.Errorf("%d prompts were taken, of %d", prompts, turns)
	}
	if strings.Contains(p.log(), `"outcome":"gap"`) {
		t.Error("a gap was told")
	}
	if total.lost+total.duplicated+total.reordered > 0 {
		t.Error("what is shown is not what was said")
	}
	t.Logf("%s: %d turns, %d cuts, %d reloads; %d updates: %d lost, %d duplicated, %d out of order",
		transport, turns, cuts, reloads, total.updates, total.lost, total.duplicated, total.reordered)
}

// words counts what became of an agent's words.
type words struct{ updates, lost, duplicated, reordered int }

var mark = regexp.MustCompile(`⟨(\d+)⟩`)

// compare takes what a session shows after a turn of n words; each number in want
// is one to which the agent has counted.
func (c *words) compare(shown string, want []int, n int) {
	c.updates += n
	marks := mark.FindAllStringSubmatch(shown, -1)
	for _, to := range want {
		times, last := make([]int, to+1), 0
		for len(marks) > 0 {
			at, _ := strconv.Atoi(marks[0][1])
			if at > to || at == 1 && times[1] > 0 && last == to {
				break // the next message
			}
			if at < last {
				c.reordered++
			}
			last = at
			times[at]++
			marks = marks[1:]
		}
		for _, m := range times[1:] {
			if m == 0 {
				c.lost++
			}
			c.duplicated += max(m-1, 0)
		}
	}
	c.duplicated += len(marks)
}
