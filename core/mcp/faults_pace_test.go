package mcp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 44: a server's retry is a floor; jitter is only ever added to it. What
// it asks for after a clean close comes within 200 ms of it.
func TestFault44_RetryIsAFloor(t *testing.T) {
	lowest, highest := int64(1<<62), int64(0)
	for seed := uint64(1); seed <= 1000; seed++ {
		o := connected(t, mcp.Config{Seed: seed}).stream("tools/call")
		o.say("id: p\nretry: 500\ndata:\n\n")
		for i := range 3 { // the second and third close come without news
			o.cut(engine.EndClean)
			_, waited := o.resume()
			if waited < 500 || waited > 700 {
				t.Fatalf("seed %d: poll %d came after %d ms", seed, i+1, waited)
			}
			lowest, highest = min(lowest, waited), max(highest, waited)
		}
		o.cut(engine.EndNetwork)
		if _, waited := o.resume(); waited < 500 {
			t.Fatalf("seed %d: after a cut the try came after %d ms", seed, waited)
		}
	}
	if highest-lowest < 50 {
		t.Errorf("1,000 clients poll within %d ms of each other: there is no jitter", highest-lowest)
	}
}

// Fault 44: neither a network that comes back nor a thaw makes the client
// earlier than the server allowed, by retry or by Retry-After.
func TestFault44_FloorOutlastsOnlineAndWoke(t *testing.T) {
	for name, refuse := range map[string]func(o *onStream){
		"retry": func(o *onStream) {
			o.say("retry: 5000\n\n")
			o.cut(engine.EndClean)
		},
		"Retry-After": func(o *onStream) {
			o.cut(engine.EndNetwork)
			o.resumeStarts()
			o.Head(o.x, 503, "retry-after", "5")
		},
	} {
		o := connected(t, mcp.Config{}).primed("p")
		refuse(o)
		o.offline()
		o.Advance(1_000)
		o.online()
		o.woke(0)
		if _, waited := o.resume(); waited+1_000 < 5_000 || waited > 5_000 {
			t.Errorf("%s: reconnected %d ms after the cut", name, waited+1_000)
		}
	}
}

// attempts lets every attempt fail at once for a time, in ms, and returns how
// long each was waited for.
func (o *onStream) attempts(during int64, fail func()) []int64 {
	o.t.Helper()
	var waits []int64
	for until := o.Now.After(during); o.Now < until; {
		x, waited := o.nextFetch(int64(until - o.Now))
		if x == 0 {
			break
		}
		o.x = x
		waits = append(waits, waited)
		fail()
	}
	return waits
}

// Fault 45: a server that is down for ten minutes hears from a client soon at
// first and then ever more rarely, at most 30 times, and the call outlives it.
func TestFault45_TenMinutesDown(t *testing.T) {
	most := 0
	for seed := uint64(1); seed <= 300; seed++ {
		o := connected(t, mcp.Config{Seed: seed}).primed("p")
		o.cut(engine.EndNetwork)
		waits := o.attempts(600_000, func() {
			if seed%2 == 0 {
				o.cut(engine.EndNetwork)
			} else {
				o.Head(o.x, 503, "content-type", "text/html")
			}
		})
		if len(waits) > 30 || len(waits) < 15 || waits[0] > 250 {
			t.Fatalf("seed %d: %d attempts, the first after %d ms", seed, len(waits), waits[0])
		}
		for i, waited := range waits[1:] {
			if waited < 1_000 || waited > 30_000 {
				t.Fatalf("seed %d: attempt %d came after %d ms", seed, i+2, waited)
			}
		}
		most = max(most, len(waits))
		if from, _ := o.resume(); from != "p" {
			t.Fatalf("seed %d: resumed from %q", seed, from)
		}
		o.progress(1)
		o.cut(engine.EndNetwork)
		if _, waited := o.resume(); waited > 250 {
			t.Fatalf("seed %d: after progress the first attempt came after %d ms", seed, waited)
		}
	}
	t.Logf("at most %d attempts", most)
}

// Fault 46: a hundred clients lose their server at the same moment. From the
// second attempt on no tenth of a second may see more than 15 of them, whatever
// retry the server had named: a floor alone would line them up again.
func TestFault46_RestartedServerIsNotStormed(t *testing.T) {
	for _, retry := range []string{"", "retry: 500\n", "retry: 3000\n", "retry: 5000\n", "retry: 30000\n"} {
		worst := 0
		for round := range 10 {
			var arrivals []int64
			for client := range 100 {
				o := connected(t, mcp.Config{Seed: uint64(1000*round + client + 1)}).stream("tools/call")
				o.say(fmt.Sprintf("id: p\n%sdata:\n\n", retry))
				o.cut(engine.EndNetwork)
				at := int64(0)
				for i, waited := range o.attempts(120_000, func() { o.cut(engine.EndNetwork) }) {
					if at += waited; i > 0 {
						arrivals = append(arrivals, at)
					}
				}
			}
			worst = max(worst, busiest(arrivals, 100))
		}
		if worst > 15 {
			t.Errorf("%q: %d of 100 clients arrive within 100 ms", retry, worst)
		}
		t.Logf("%q: at most %d within 100 ms", retry, worst)
	}
}

// busiest returns how many of the times the fullest window of that width holds.
func busiest(times []int64, width int64) int {
	slices.Sort(times)
	most, from := 0, 0
	for i, at := range times {
		for at-times[from] >= width {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}
