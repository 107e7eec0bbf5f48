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
		t.Run(transport, func(t *testing.T) { soak(&verdict{TB: t}, transport) })
	}
}

// verdict keeps what failed, so that it can be said once more where the output ends:
// a CI shows the end only, and the logs of the pages are long.
type verdict struct {
	testing.TB
	failures []string
}

func (v *verdict) Errorf(format string, args ...any) {
	v.Helper()
	v.failures = append(v.failures, fmt.Sprintf(format, args...))
	v.TB.Errorf(format, args...)
}

func (v *verdict) Fatalf(format string, args ...any) {
	v.Helper()
	v.failures = append(v.failures, fmt.Sprintf(format, args...))
	v.TB.Fatalf(format, args...)
}

// hurried is how much faster than the world's a soak's clock is: five cuts in a row,
// each in a history that is being told, are a minute of backoff.
const hurried = 10

func soak(t *verdict, transport string) {
	turns, seed := length(8), rand.Uint64()
	if n, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64); err == nil {
		seed = n
	}
	now := "before the first turn"
	t.Cleanup(func() { // the first that is registered is the last to run
		if t.Failed() {
			t.Logf("HOLDFAST_SEED=%d over %s failed %s: %q", seed, transport, now, t.failures)
		}
	})
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
		now = fmt.Sprintf("in turn %d", turn)
		// A prompt that leaves on a socket which was cut a moment ago is lost, and the
		// app is told so: the first cut comes when the agent has the prompt. A few to a
		// turn: an agent whose every message may be the last before a cut never gets to
		// the end of a history.
		p.roundTrip()
		server.CutAtRandom(acpserver.RandomCuts{Seed: random.Uint32(), Chance: 0.08, Most: 5,
			AfterPrompt: true})
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
				t.Fatalf("the prompt of turn %d ended with %s %v", turn, e.Data, e.Failure)
			}
		}
		want = append(want, n)
		server.AwaitKind("idle", turn+1)
		all := ""
		for _, to := range want {
			all += counted(to)
		}
		p.waitText(s, all) // a hole is there until it is mended
		cuts += server.RandomCutsMade()
		server.CutAtRandom(acpserver.RandomCuts{})
		total.compare(p.text(s), want, n)
		if turn%4 == 3 { // or the history gets longer than the turn
			now = fmt.Sprintf("in the session after turn %d", turn)
			// One more cut, which a request that may be repeated survives: session/new
			// may not, and is lost with a connection that was cut a moment ago.
			server.CutAtRandom(acpserver.RandomCuts{Chance: 1, Most: 1, Ways: []string{acpserver.Unsent}})
			p.roundTrip()
			s, id = p.newSession()
			want = nil
		}
	}
	now = "at the end"
	if prompts := len(server.Of("prompt")); prompts != turns {
		t.Errorf("%d prompts were taken, of %d", prompts, turns)
	}
	if strings.Contains(p.log(), `"outcome":"gap"`) {
		t.Errorf("a gap was told")
	}
	if total.lost+total.duplicated+total.reordered > 0 {
		t.Errorf("what is shown is not what was said: %+v", total)
	}
	t.Logf("%s: %d turns, %d cuts, %d reloads; %d updates: %d lost, %d duplicated, %d out of order",
		transport, turns, cuts, reloads, total.updates, total.lost, total.duplicated, total.reordered)
}

// roundTrip waits for an answer of the agent's: the connection lives.
func (p *page) roundTrip() {
	p.t.Helper()
	if e := p.settled(p.request(0, "session/list", "{}")); e.Outcome != engine.OutcomeResult {
		p.t.Fatalf("session/list ended with %s %v", e.Data, e.Failure)
	}
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
