//go:build !js

package conformance

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// whyLimit is the length at which a reason in a table is cut. The whole of it
// is with the raw results.
const whyLimit = 200

// Report writes the outcome for people: a table of the scenarios, one of those
// of auth, what is missing, and the count.
func (o Outcome) Report(w io.Writer) {
	o.table(w, false, november2025, july2026)
	fmt.Fprintln(w)
	o.table(w, true, march2025, november2025, july2026)
	fmt.Fprintln(w)

	passed, failed := o.Tally(false)
	authPassed, authFailed := o.Tally(true)
	fmt.Fprintf(w, "non-auth: %d of %d pass; auth: %d of %d pass\n", passed, passed+failed, authPassed,
		authPassed+authFailed)
	for _, run := range o.Unrequired() {
		fmt.Fprintf(w, "passes, and may go on the required list: %v\n", run)
	}
	missing := o.Missing()
	for _, run := range missing {
		fmt.Fprintf(w, "REQUIRED, and does not pass: %v: %s\n", run, o.Verdicts[run].Why)
	}
	// The last line is about what has to pass; the rest is shown above it.
	kept := 0
	for _, run := range required {
		if o.Verdicts[run].Passed {
			kept++
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", kept, len(missing))
}

func (o Outcome) table(w io.Writer, auth bool, revisions ...string) {
	fmt.Fprintf(w, "| scenario | %s |\n|%s\n", strings.Join(revisions, " | "),
		strings.Repeat(" --- |", len(revisions)+1))
	for _, s := range scenarios {
		if (Run{Scenario: s.name}).Auth() != auth || !o.tried(s) {
			continue
		}
		cells := []string{s.name}
		for _, revision := range revisions {
			cells = append(cells, o.cell(s, revision))
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
}

// tried reports whether a scenario was run at all: some runs are chosen.
func (o Outcome) tried(s scenario) bool {
	return slices.ContainsFunc(s.revisions, func(revision string) bool {
		_, made := o.Verdicts[Run{s.name, revision}]
		return made
	})
}

func (o Outcome) cell(s scenario, revision string) string {
	verdict, made := o.Verdicts[Run{s.name, revision}]
	switch {
	case !slices.Contains(s.revisions, revision):
		return "n/a"
	case !made:
		return "not run"
	case verdict.Passed:
		return "pass"
	default:
		return "fail: " + brief(verdict.Why)
	}
}

// brief makes a text fit for a cell.
func brief(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
	if cut := []rune(text); len(cut) > whyLimit {
		return string(cut[:whyLimit-1]) + "…"
	}
	return text
}
