//go:build !js

package e2e

import (
	"os"
	"regexp"
	"testing"
)

// agentsPage says which test shows what of agents.
const agentsPage = "docs/agents.md"

// pageFile is a file that the page names.
var pageFile = regexp.MustCompile("`((?:core|e2e|web)/[\\w./]+)`")

// TestAgentsPageIsInStep: every test that docs/agents.md names is one, its subtests
// too, and every file is there.
func TestAgentsPageIsInStep(t *testing.T) {
	t.Parallel()
	page, bodies := read(t, "../"+agentsPage), testBodies(t)
	names := matrixName.FindAllStringSubmatch(page, -1)
	if len(names) < 50 {
		t.Errorf("%s names %d tests", agentsPage, len(names))
	}
	for _, m := range names {
		body, ok := bodies[m[1]]
		if !ok {
			t.Errorf("%s names %s, and there is no such test", agentsPage, m[1])
		} else if m[2] != "" && !hasSubtest(m[1], body, m[2]) {
			t.Errorf("%s names %s/%s, and there is no such subtest", agentsPage, m[1], m[2])
		}
	}
	for _, m := range pageFile.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat("../" + m[1]); err != nil {
			t.Errorf("%s names %s: %v", agentsPage, m[1], err)
		}
	}
}
