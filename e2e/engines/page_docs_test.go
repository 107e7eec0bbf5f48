//go:build !js

package engines

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// docs is the page that has the matrix, and write has TestBrowsersPageIsInStep write its table.
const docs = "../../docs/browsers.md"

var write = flag.Bool("write", false, "write the table of docs/browsers.md")

// Between these lines of the page the table stands.
const (
	tableBegins = "<!-- The table is written by `go test ./e2e/engines -run TestBrowsersPageIsInStep -write`. -->\n"
	tableEnds   = "<!-- The table ends. -->\n"
)

// table is the matrix: a row for each story, a column for each engine, and below it what is
// not as in the others.
func table() string {
	var rows, notes strings.Builder
	var order []string
	rows.WriteString("| Story | What happens |")
	rule := "| --- | --- |"
	for _, engine := range All() {
		fmt.Fprintf(&rows, " %s |", engine.Name())
		rule += " --- |"
	}
	rows.WriteString("\n" + rule + "\n")
	number, engines := map[string]int{}, map[string][]string{}
	for _, story := range stories {
		name := story.name
		if story.short {
			name = "**" + name + "**"
		}
		fmt.Fprintf(&rows, "| %s | %s |", name, story.shows)
		for _, engine := range All() {
			note := story.in[engine].note
			if note == "" {
				rows.WriteString(" runs |")
				continue
			}
			if number[note] == 0 {
				number[note] = len(number) + 1
				order = append(order, note)
			}
			if !slices.Contains(engines[note], engine.Name()) {
				engines[note] = append(engines[note], engine.Name())
			}
			fmt.Fprintf(&rows, " runs otherwise (%d) |", number[note])
		}
		rows.WriteString("\n")
	}
	for i, note := range order {
		fmt.Fprintf(&notes, "%d. %s: %s.\n", i+1, strings.Join(engines[note], ", "), note)
	}
	return rows.String() + "\n" + notes.String()
}

// TestBrowsersPageIsInStep: the page has the table of the stories that are told.
func TestBrowsersPageIsInStep(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	has, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("%s has no place for its table", docs)
	}
	want := "\n" + table() + "\n"
	if has == want {
		return
	}
	if !*write {
		t.Fatalf("%s is not in step: %s", docs, strings.TrimSpace(tableBegins))
	}
	if err := os.WriteFile(docs, []byte(before+tableBegins+want+tableEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestExceptionsSayWhy: a story that is told otherwise in an engine has a reason, and is none where all
// engines tell it so.
func TestExceptionsSayWhy(t *testing.T) {
	for _, story := range stories {
		for engine, except := range story.in {
			if except.note == "" || except.tell == nil {
				t.Errorf("%s in %s: it is told otherwise, and the reason or the story is missing", story.name,
					engine.Name())
			}
		}
		if len(story.in) == len(All()) {
			t.Errorf("%s is told nowhere as it is", story.name)
		}
	}
}
