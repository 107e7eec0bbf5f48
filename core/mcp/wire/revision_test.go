package wire

import (
	"strings"
	"testing"
)

// TestRevisionTable: names are dates, each once, newest first, as documented.
func TestRevisionTable(t *testing.T) {
	if len(revisions) == 0 {
		t.Fatal("no revision")
	}
	for i, row := range revisions {
		name := row.Name
		if len(name) != len("2025-11-25") || strings.Count(name, "-") != 2 ||
			i > 0 && name >= revisions[i-1].Name {
			t.Errorf("%q at %d", name, i)
		}
		if r := FindRevision(name); r == nil || r.Name != name {
			t.Errorf("%q is not found", name)
		}
		if r := FindRevision(name); r != nil && r.Batches != (name == "2025-03-26") {
			t.Errorf("%s: batches belong to 2025-03-26 alone", name)
		}
	}
	for _, name := range []string{"", "2024-11-0", "2025-11-2", "2025-11-25 ", "9999-01-01"} {
		if FindRevision(name) != nil {
			t.Errorf("%q is found", name)
		}
	}
}
