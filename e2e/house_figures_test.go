//go:build !js

package e2e

import "testing"

// TestHouseFigures: the sizes that the pages quote are those of what is built, and every mark for one is
// there. That of the wasm is looked at where `make size` has weighed it, which takes half a minute.
func TestHouseFigures(t *testing.T) {
	t.Parallel()
	run(t, "..", "node", "web/scripts/figures.mjs", "--check", "--quick")
}
