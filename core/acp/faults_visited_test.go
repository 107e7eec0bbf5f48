//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// waiting is an agent's client whose connection stream waits for long after an outage.
func waiting(t *testing.T) *coretest.ACP {
	t.Helper()
	w := coretest.NewACP(t, acp.Config{})
	w.Handshake("2")
	w.End(2, engine.EndNetwork)
	for n := 0; w.NextDeadline() < 10_000; n++ {
		if n > 100 {
			t.Fatalf("nothing waits for long\n%s", w.Log())
		}
		w.Advance(w.NextDeadline())
		w.End(w.Newest(), engine.EndNetwork)
	}
	return &w
}

func visited(w *coretest.ACP) { w.Input("visited", (*acp.Client).Visited) }

// Fault 280: a page comes while the agent's client waits after an outage. The stream is tried at
// once, and for the next ten visits twice more in ten seconds.
func TestFault280_AgentIsTriedForAVisit(t *testing.T) {
	w := waiting(t)
	before := w.Newest()
	visited(w)
	w.Advance(0)
	if w.Newest() == before {
		t.Fatalf("nothing is tried\n%s", w.Log())
	}
	w.End(w.Newest(), engine.EndNetwork)
	tries, before := 0, w.Newest()
	for range 100 {
		visited(w)
		w.Advance(100)
		if x := w.Newest(); x != before {
			tries, before = tries+1, x
			w.End(x, engine.EndNetwork)
		}
	}
	if tries != 2 {
		t.Errorf("tried %d times in 10 s\n%s", tries, w.Log())
	}
}

// Fault 280: the connection itself is gone, and initialize fails for long: it is made again at once.
func TestFault280_InitializeForAVisit(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{})
	w.Handshake("2")
	w.End(2, engine.EndNetwork)
	w.Advance(w.NextDeadline())
	w.Head(w.Newest(), 404) // forgotten
	w.End(w.Newest(), engine.EndNetwork)
	for n := 0; w.NextDeadline() < 10_000; n++ {
		if n > 100 {
			t.Fatalf("nothing waits for long\n%s", w.Log())
		}
		w.Advance(w.NextDeadline())
		w.End(w.Newest(), engine.EndNetwork)
	}
	before := w.Newest()
	visited(&w)
	w.Advance(0)
	if w.Newest() == before {
		t.Errorf("nothing is tried\n%s", w.Log())
	}
}

// Fault 280: a server that asked for 20 s gets them, whoever comes.
func TestFault280_AgentsRetryAfterHolds(t *testing.T) { heedsRetryAfter(t, (*acp.Client).Visited) }

// Fault 346: and where the network is back.
func TestFault346_AgentsRetryAfterHolds(t *testing.T) { heedsRetryAfter(t, (*acp.Client).Online) }

// heedsRetryAfter checks that what happens has nothing sent before its server allows it.
func heedsRetryAfter(t *testing.T, happens func(c *acp.Client, now engine.Time)) {
	t.Helper()
	w := coretest.NewACP(t, acp.Config{})
	w.Handshake("2")
	w.Input("notify", func(c *acp.Client, now engine.Time) { c.Notify(now, 0, "x/y", nil) })
	w.Head(w.Fetched(), 503, "retry-after", "20")
	w.Input("happens", happens)
	sent := func() int { return strings.Count(w.Log(), `"x/y"`) }
	if w.Advance(19_999); sent() != 1 {
		t.Errorf("sent before the server allows it\n%s", w.Log())
	}
	if w.Advance(60_000); sent() < 2 {
		t.Error("never sent again")
	}
}
