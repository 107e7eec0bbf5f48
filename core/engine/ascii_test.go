package engine_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

func TestLower(t *testing.T) {
	for text, want := range map[string]string{"": "", "Application/JSON": "application/json",
		"@AZ[`az{": "@az[`az{", "ÄÉ": "ÄÉ"} {
		if got := engine.Lower(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
