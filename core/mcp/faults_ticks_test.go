package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// tick lets ms pass and fires the timer once, as in a tab that is hidden for
// long: its timers run once a minute, whatever was asked for.
func (r *rig) tick(ms int64) {
	r.Now = r.Now.After(ms)
	r.input("a late timer", func(c *mcp.Client, now engine.Time) { c.Advance(now) })
}

// TestFault86_LateTicks: deadlines are compared, not counted. A tick that comes a
// minute late makes one poll of the many that were due, and a deadline that
// passed meanwhile has passed.
func TestFault86_LateTicks(t *testing.T) {
	r := connected(t, mcp.Config{Timeouts: mcp.Timeouts{Answer: 90_000}})
	s := r.post("tools/call")
	r.Head(s.x, 200, "content-type", coretest.JSON)
	r.Chunk(s.x, coretest.Result(s.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000}}`))
	r.End(s.x, engine.EndClean)
	r.Advance(0)
	first := r.Newest() // tasks/continue
	polls := r.posted("tasks/continue")
	for minute := 1; minute <= 3; minute++ {
		r.Head(r.Newest(), 200, "content-type", coretest.JSON)
		r.Chunk(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"taskId":"T","status":"working","pollInterval":1000}`))
		r.End(r.Newest(), engine.EndClean)
		r.tick(60_000)
		if n := r.posted("tasks/continue") - polls; n != minute {
			t.Fatalf("%d polls after %d ticks", n, minute)
		}
	}
	if r.Newest() == first {
		t.Fatal("nothing was polled")
	}
	// The last poll gets no answer: its 90 s pass within two ticks.
	before := r.posted("tasks/continue")
	r.tick(60_000)
	r.tick(60_000)
	r.tick(60_000)
	if r.posted("tasks/continue") == before {
		t.Error("a poll without an answer was waited for beyond its time")
	}
}
