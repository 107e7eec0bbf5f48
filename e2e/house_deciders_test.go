//go:build !js

package e2e

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// decider is a rule about calls, and where it is decided.
type decider struct {
	rule string
	// by is what code has that decides it; telling and passing on is left out.
	by *regexp.Regexp
	// in are the files that decide it. A rule is to stand in one: the lists get shorter, and never longer.
	in []string
}

var deciders = []decider{
	{
		"whose a key is",
		regexp.MustCompile(`[cC]ode: (engine\.CodeKeyInUse|"key_in_use")|[!&=] ?(sameRequest|asked)\(`),
		[]string{"core/mcp/call_key.go", "web/src/client/keyedcalls.ts"},
	},
	{"whether a call is kept", regexp.MustCompile(`\bjournal \?\? `),
		[]string{"web/src/client/idempotency.ts"}},
	{"what a reload does to a call in a worker", regexp.MustCompile(`[?{].*survives-reload`), []string{
		"web/src/client/guarantees.ts",
	}},
	{"whether a runtime is started again", regexp.MustCompile(`\bREVIVAL_EVERY\b`), []string{
		"web/src/connect/interrupted.ts",
	}},
	{"what a closed client answers", regexp.MustCompile(`(=|[mM]essage:) "the client is closed"`), []string{
		"core/mcp/failure.go", "web/src/base/errors.ts",
	}},
}

// decides returns the files of the product that decide a rule. What only names or types a code is not among
// them.
func decides(files []source, by *regexp.Regexp) []string {
	found := map[string]bool{}
	for _, file := range files {
		isGo := strings.HasSuffix(file.path, ".go") && !strings.HasSuffix(file.path, "_test.go")
		isScript := strings.HasSuffix(file.path, ".ts") && file.path != "web/src/base/border.ts"
		if !(isGo && (file.under("core") || file.under("wasm")) && !file.under("core/coretest") ||
			isScript && (file.under("web/src") || file.under("web/packages"))) {
			continue
		}
		for line := range strings.Lines(string(file.text)) {
			if code, _, _ := strings.Cut(line, "//"); by.MatchString(code) &&
				!strings.HasPrefix(strings.TrimSpace(code), "*") {
				found[file.path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestHouseDeciders: who decides a rule about calls is listed, and nobody else does.
func TestHouseDeciders(t *testing.T) {
	t.Parallel()
	files := sources(t)
	for _, d := range deciders {
		found := decides(files, d.by)
		t.Logf("%s: %d\n\t%s", d.rule, len(found), strings.Join(found, "\n\t"))
		if !slices.Equal(found, d.in) {
			t.Errorf("%s: the list has %q", d.rule, d.in)
		}
	}
}
