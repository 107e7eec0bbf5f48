//go:build !js

package main

import (
	"fmt"
	"io"
	"strings"
)

// survivor is what a surviving mutant is known by: it outlives a line that moves.
type survivor struct{ file, kind, line string }

// parseJustified reads the list of survivors that need no test: a line each, its
// file, the kind of the mutant, the line of source and the reason, with " | "
// between them. Empty lines and those that begin with # are none.
func parseJustified(list string) (map[survivor]string, error) {
	justified := map[survivor]string{}
	for i, line := range strings.Split(list, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) < 4 {
			return nil, fmt.Errorf("justified.txt:%d: want file | kind | line of source | reason", i+1)
		}
		last := len(fields) - 1 // the source may hold the separator
		source := strings.Join(fields[2:last], " | ")
		justified[survivor{fields[0], fields[1], source}] = fields[last]
	}
	return justified, nil
}

// report prints what became of the mutants. Its error says that one survived that
// nobody has justified.
func report(w io.Writer, t tree, results []tried, justified map[survivor]string) error {
	count := map[outcome]int{}
	excused := 0
	for _, m := range results {
		count[m.outcome]++
		if m.outcome != survived {
			continue
		}
		s := survivor{m.File, m.Type, t.source(m.mutant)}
		if justified[s] != "" {
			excused++
			continue
		}
		fmt.Fprintf(w, "survived at %s:%d:%d: %s | %s | %s | \n", m.File, m.Line, m.Column, s.file, s.kind,
			s.line)
	}
	made := len(results) - count[unbuilt]
	if made == 0 {
		return fmt.Errorf("no mutant was made")
	}
	fmt.Fprintf(w,
		"%d mutants: %d killed by a test, %d by time, %d survived (%.1f %%), %d of them justified\n",
		made, count[killed], count[timedOut], count[survived], 100*float64(count[survived])/float64(made),
		excused)
	if left := count[survived] - excused; left > 0 {
		return fmt.Errorf("%d survivors are neither killed by a test nor justified", left)
	}
	return nil
}
