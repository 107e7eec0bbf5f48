//go:build !js

package e2e

import (
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// eventually waits until a predicate over something other than a page holds. It asks
// less and less often: some predicates ask pages.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	pause := 5 * time.Millisecond
	tick := time.NewTimer(pause)
	defer tick.Stop()
	late := time.After(chrome.Patience)
	for !holds() {
		select {
		case <-tick.C:
			pause = min(pause*5/4, 50*time.Millisecond)
			tick.Reset(pause)
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
