package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRowsRefused: each rule of a row, broken in the catalogue as it stands.
func TestRowsRefused(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "faults.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(text); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]struct{ old, new, says string }{
		"an unknown field":    {`"number": 1,`, `"number": 1, "severity": 3,`, "severity"},
		"a number twice":      {`"number": 2,`, `"number": 1,`, "fault 1 stands twice"},
		"a row that has gone": {`"number": 714,`, `"number": 9714,`, "fault 714: its row has gone"},
		"a gap that is none": {`"number": 714,`, `"number": 113,`,
			"fault 113: its row has gone, or it is no gap any more"},
		"no such family": {`"family": "Messages"`, `"family": "Massages"`, `no rows of a family "Massages"`},
		"text behind":    {"\n]\n", "\n]\n[]", "something stands behind"},
	} {
		changed := strings.Replace(string(text), change.old, change.new, 1)
		if _, err := parse([]byte(changed)); err == nil || !strings.Contains(err.Error(), change.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := row{Number: 900, Title: "Stream cut inside an event", Family: "Messages", Happens: "a", Sees: "b",
		Tests: []string{"TestFault900_A"}}
	if list := good.problems(); len(list) > 0 {
		t.Error(list)
	}
	for name, spoil := range map[string]func(*row){
		"no title":       func(r *row) { r.Title = "" },
		"one word":       func(r *row) { r.Title = "Cut" },
		"a sentence":     func(r *row) { r.Title = "The stream is cut." },
		"nine words":     func(r *row) { r.Title = "a b c d e f g h i" },
		"nothing seen":   func(r *row) { r.Sees = "" },
		"no test at all": func(r *row) { r.Tests = nil },
		"a test twice":   func(r *row) { r.Tests = append(r.Tests, r.Tests[0]) },
	} {
		bad := good
		spoil(&bad)
		if len(bad.problems()) != 1 {
			t.Errorf("%s: %q", name, bad.problems())
		}
	}
}
