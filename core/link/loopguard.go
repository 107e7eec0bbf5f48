package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// The hot-loop guard: a server that accepts and closes without progress, again
// and again at one cursor, is not polled at its own pace any longer (fault
// 48: five within 500 ms).
const (
	loopCloses = 5
	loopWindow = 500
)

// loopGuard remembers when the last closes without progress happened.
type loopGuard struct {
	at      [loopCloses]engine.Time
	n       int // closes without progress since the last progress
	tripped bool
	after   int // closes since it tripped
}

// progressed clears the guard: the cursor moved or a message came.
func (g *loopGuard) progressed() { *g = loopGuard{} }

// closed notes an accepted exchange that ended without progress. It reports
// whether the guard has tripped, now or before.
func (g *loopGuard) closed(now engine.Time) bool {
	if g.tripped {
		g.after++
		return true
	}
	g.at[g.n%loopCloses] = now
	g.n++
	if g.n >= loopCloses && now.Since(g.at[g.n%loopCloses]) <= loopWindow {
		g.tripped = true
	}
	return g.tripped
}
