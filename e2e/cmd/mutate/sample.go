//go:build !js

package main

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// place is a line of a file.
type place struct {
	file string
	line int
}

// sample draws lines until they have at least count mutants. A line is as likely as
// any other, and each comes with all its mutants.
func sample(all []mutant, count int, random *rand.Rand) []mutant {
	byLine := map[place][]mutant{}
	for _, m := range all {
		at := place{m.File, m.Line}
		byLine[at] = append(byLine[at], m)
	}
	lines := slices.SortedFunc(maps.Keys(byLine), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	var chosen []mutant
	for _, at := range lines {
		if len(chosen) >= count {
			break
		}
		chosen = append(chosen, byLine[at]...)
	}
	return chosen
}

// lines counts the lines that mutants are on.
func lines(mutants []mutant) int {
	seen := map[place]bool{}
	for _, m := range mutants {
		seen[place{m.File, m.Line}] = true
	}
	return len(seen)
}
