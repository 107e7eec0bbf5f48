//go:build !js

package conformance

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// TestRequiredRunsExist: a row with a slip of the pen would require nothing.
func TestRequiredRunsExist(t *testing.T) {
	for i, run := range required {
		known := slices.ContainsFunc(scenarios, func(s scenario) bool {
			return s.name == run.Scenario && slices.Contains(s.revisions, run.Revision)
		})
		if !known {
			t.Errorf("%v is required, and is no scenario", run)
		}
		if slices.Contains(required[:i], run) {
			t.Errorf("%v is required twice", run)
		}
	}
}

// TestScenariosHaveSteps: those of auth have steps in common; each of the
// others needs its own.
func TestScenariosHaveSteps(t *testing.T) {
	text, err := fs.ReadFile(driver, "page/scenarios.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		if !(Run{Scenario: s.name}).Auth() && !strings.Contains(string(text), `"`+s.name+`": `) {
			t.Errorf("page/scenarios.mjs has no steps for %s", s.name)
		}
	}
}

func TestReport(t *testing.T) {
	defer func(list []Run) { required = list }(required)
	required = []Run{{"initialize", november2025}, {"tools_call", november2025}, {"sse-retry", november2025}}
	found := Outcome{Verdicts: map[Run]Verdict{
		{"initialize", november2025}:            {Why: "a | b\nc"},
		{"tools_call", november2025}:            {Passed: true},
		{"tools_call", july2026}:                {Passed: true},
		{"auth/metadata-default", november2025}: {Passed: true},
	}}
	var text strings.Builder
	found.Report(&text)
	for _, line := range []string{
		`| initialize | fail: a \| b c | n/a |`,
		`| tools_call | pass | pass |`,
		`| auth/metadata-default | n/a | pass | not run |`,
		`non-auth: 2 of 3 pass; auth: 1 of 1 pass`,
		`passes, and may go on the required list: auth/metadata-default@2025-11-25`,
		`passes, and may go on the required list: tools_call@2026-07-28`,
		"REQUIRED, and does not pass: initialize@2025-11-25: a | b\nc",
	} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("no line %s in\n%s", line, text.String())
		}
	}
	if strings.Contains(text.String(), "sse-retry |") {
		t.Errorf("a row for what was not run in\n%s", text.String())
	}
	if !strings.HasSuffix(text.String(), "\n1 passed, 1 failed\n") {
		t.Errorf("the last line of\n%s", text.String())
	}
}
