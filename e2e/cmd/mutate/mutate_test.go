//go:build !js

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSampleIsTheSeeds(t *testing.T) {
	var all []mutant
	for line := range 400 {
		all = append(all, mutant{File: "core/a.go", Line: line + 1},
			mutant{File: "core/b.go", Line: line + 1})
	}
	all = append(all, mutant{File: "core/a.go", Line: 1, Column: 9})
	draw := func(seed uint64, count int) []mutant {
		return sample(
			all, count, rand.New(rand.NewPCG(seed, 0)))
	}
	one := draw(1, 100)
	if len(one) < 100 || len(one) > 101 {
		t.Errorf("%d mutants, want 100, or 101 with a line that has two", len(one))
	}
	if !slices.Equal(one, draw(1, 100)) {
		t.Error("the same seed draws another sample")
	}
	if slices.Equal(one, draw(2, 100)) {
		t.Error("another seed draws the same sample")
	}
	if got := draw(1, 10_000); len(got) != len(all) {
		t.Errorf("%d mutants of %d where more are asked for", len(got), len(all))
	}
}

func TestApply(t *testing.T) {
	const source = "if a <= b &&\n\tc &^ d != 0 {\n"
	for _, test := range []struct {
		mutant mutant
		want   string
	}{
		{mutant{Type: "CONDITIONALS_BOUNDARY", Line: 1, Column: 6}, "if a < b &&\n\tc &^ d != 0 {\n"},
		{mutant{Type: "CONDITIONALS_NEGATION", Line: 1, Column: 6}, "if a > b &&\n\tc &^ d != 0 {\n"},
		{mutant{Type: "INVERT_LOGICAL", Line: 1, Column: 11}, "if a <= b ||\n\tc &^ d != 0 {\n"},
		{mutant{Type: "INVERT_BITWISE", Line: 2, Column: 4}, "if a <= b &&\n\tc & d != 0 {\n"},
		{mutant{Type: "CONDITIONALS_NEGATION", Line: 2, Column: 9}, "if a <= b &&\n\tc &^ d == 0 {\n"},
	} {
		if got, err := apply(source, test.mutant); got != test.want || err != nil {
			t.Errorf("%+v: %q, %v, want %q", test.mutant, got, err, test.want)
		}
	}
	for _, wrong := range []mutant{{Type: "INVERT_LOGICAL", Line: 1, Column: 1},
		{Type: "INVERT_LOGICAL", Line: 9, Column: 1}, {Type: "INVERT_LOGICAL", Line: 1, Column: 99}} {
		if _, err := apply(source, wrong); err == nil {
			t.Errorf("%+v: no error", wrong)
		}
	}
}

func TestReportWantsAReasonForEachSurvivor(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\tx := a | b // why\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	justified, err := parseJustified(
		"# a comment\n\na.go | INVERT_BITWISE | x := a | b // why | the bits are the same\n")
	if err != nil {
		t.Fatal(err)
	}
	at := func(line int, kind string, o outcome) tried {
		return tried{mutant{File: "a.go", Type: kind, Line: line}, o}
	}
	dead, lives, other := at(2, "INVERT_BITWISE", killed), at(2, "INVERT_BITWISE", survived),
		at(1, "INVERT_LOGICAL", survived)
	var out strings.Builder
	if err := report(&out, tree{dir}, []tried{dead, lives, at(2, "INVERT_BITWISE", unbuilt)},
		justified); err != nil {
		t.Errorf("a justified survivor: %v", err)
	}
	if got := out.String(); got !=
		"2 mutants: 1 killed by a test, 0 by time, 1 survived (50.0 %), 1 of them justified\n" {
		t.Errorf("got %q", got)
	}
	if err := report(&out, tree{dir}, []tried{dead, other}, justified); err == nil {
		t.Error("a survivor without a reason is no error")
	}
	if err := report(&out, tree{dir}, nil, justified); err == nil {
		t.Error("a run without mutants is no error")
	}
	if _, err := parseJustified("a.go | X | y"); err == nil {
		t.Error("a line without a reason is no error")
	}
}

func TestJustifiedListIsWellFormed(t *testing.T) {
	if _, err := parseJustified(justifiedList); err != nil {
		t.Error(err)
	}
}
