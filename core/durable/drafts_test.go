package durable

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

func TestIsDraft(t *testing.T) {
	for draft, want := range map[string]bool{
		"":               true,
		`{"name":"Ada"}`: true,
		`{"name":`:       false,
		`[[[[[]]]]]`:     false,
		`"` + strings.Repeat("x", journal.MaxDraft-2) + `"`: true,
		`"` + strings.Repeat("x", journal.MaxDraft-1) + `"`: false,
	} {
		if got := IsDraft([]byte(draft), 4); got != want {
			t.Errorf("a draft of %d bytes, %.20s: %v", len(draft), draft, got)
		}
	}
}

// However much is typed, no more than draftRate bytes a millisecond are written.
func TestNextDraft(t *testing.T) {
	for written, want := range map[int]int64{0: 0, 1: 0, 400: 100, 64 << 10: 16384} {
		if got := NextDraft(1000, written).Since(1000); got != want {
			t.Errorf("after %d bytes the next is written %d ms later", written, got)
		}
	}
}
