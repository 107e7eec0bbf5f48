//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// tasksPage says which test shows what for each dialect in each situation.
const tasksPage = "docs/tasks.md"

// TestTasksPageIsInStep: the table of docs/tasks.md has a row for each situation
// and names the subtest of each dialect in it, and every other test that the page
// names is there.
func TestTasksPageIsInStep(t *testing.T) {
	t.Parallel()
	stories := []string{"TestTask_Core", "TestTask_Continue", "TestTask_Extension", "TestTask_Streamed"}
	page, bodies := read(t, "../"+tasksPage), testBodies(t)
	var rows []string
	for line := range strings.Lines(page) {
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), ":")
		if !strings.HasPrefix(line, "| ") || !ok {
			continue
		}
		rows = append(rows, name)
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")[1:]
		if len(cells) != len(stories) {
			t.Errorf("%s: %q has %d cells", tasksPage, name, len(cells))
			continue
		}
		for i, cell := range cells {
			if got, want := strings.TrimSpace(cell), "`"+stories[i]+"/"+name+"`"; got != want {
				t.Errorf("%s: the cell says %s, want %s", tasksPage, got, want)
			}
		}
	}
	var names []string
	for _, one := range situations {
		names = append(names, one.name)
	}
	if !slices.Equal(rows, names) {
		t.Errorf("%s has the rows %v, and the situations are %v", tasksPage, rows, names)
	}
	for _, m := range matrixName.FindAllStringSubmatch(page, -1) {
		body, ok := bodies[m[1]]
		if !ok {
			t.Errorf("%s names %s, and there is no such test", tasksPage, m[1])
		}
		if slices.Contains(stories, m[1]) && !strings.Contains(body, "eachSituation(") {
			t.Errorf("%s does not run the situations", m[1])
		}
	}
}
