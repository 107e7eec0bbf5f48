//go:build !js

package e2e

import (
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// eventually waits until a predicate over something other than a page holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(chrome.Patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
