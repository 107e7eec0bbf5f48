//go:build !js

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// TestBenchRuns proves that the benchmark still works: every contender connects,
// streams, calls and resumes, a little of each. It looks at no figure: those are
// of a quiet machine only.
func TestBenchRuns(t *testing.T) {
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newField(context.Background(), root, contenders(filepath.Join(root, "web", "dist")), true)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	s := settings{rounds: 1, events: 40, calls: 4, unit: 1000, noPeaks: true, cutPatience: 10_000}
	r := newResults()
	for i, take := range []func(*field, *results, settings) error{
		measureServer, measureBurst, measureCalls, measureHTTP2, measureLarge} {
		if err := take(f, r, s); err != nil {
			t.Fatalf("measurement %d: %v", i, err)
		}
	}
	// What a page has not read when its connection ends the browser throws away, and a
	// machine that runs all tests at once takes its time.
	retry := cutKinds[1]
	retry.Pause = 1_000
	if err := f.cuts(r, s, retry); err != nil {
		t.Fatal(err)
	}
	for _, e := range f.entrants {
		for _, figure := range []string{"200B rate", "each cpu", "call p50", "calls 32", "16MB json",
			"16MB sse"} {
			if len(r.samples[key{e.name, figure}]) != s.rounds && (e.progress || !isBurst(figure)) {
				t.Errorf("%s has no %s", e.name, figure)
			}
		}
	}
	for _, name := range overHTTP2 {
		if len(r.samples[key{name, "h2 100"}]) != s.rounds {
			t.Errorf("%s has no figure over HTTP/2", name)
		}
	}
	for _, name := range []string{raw, official, holdfast} {
		if got := r.median(name, "cut retry lost"); got != 0 {
			t.Errorf("%s lost %v events to a cut", name, got)
		}
	}
	var tables bytes.Buffer
	markdown(&tables, about{Rounds: s.rounds}, f, r, s.events)
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+resultsBegin+"\nold\n"+resultsEnd+"\nafter\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is something to replace
		if err := write(page, about{Rounds: s.rounds}, f, r, s.events); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(page)
	if want := "before\n" + resultsBegin + "\n\n" + tables.String() + "\n" + resultsEnd +
		"\nafter\n"; err != nil || string(written) != want {
		t.Errorf("the page is %s (%v)", written, err)
	}
	encoded, err := os.ReadFile(strings.TrimSuffix(page, ".md") + ".json")
	var samples struct{ Results []outcome }
	if err := cmp.Or(err, json.Unmarshal(encoded, &samples)); err != nil || len(samples.Results) < 100 {
		t.Errorf("the JSON has %d results (%v)", len(samples.Results), err)
	}
	for _, heading := range []string{"### 40 events of 2 KB", "### Small calls", "### One large result",
		"### A stream that breaks", "### Goals"} {
		if !strings.Contains(tables.String(), heading) {
			t.Errorf("the report has no %q", heading)
		}
	}
}

func isBurst(figure string) bool {
	return strings.HasSuffix(figure, " rate") || strings.HasSuffix(figure, "cpu") && figure != "call cpu"
}

// TestRatiosAreOfOneRound: a round in which the machine is slow counts no more
// than any other.
func TestRatiosAreOfOneRound(t *testing.T) {
	r := newResults()
	for _, slow := range []float64{1, 10, 1, 1, 3} {
		r.add("a", "ms", 20*slow)
		r.add("b", "ms", 10*slow)
	}
	if low, mid, high := r.ratio("a", "b", "ms"); low != 2 || mid != 2 || high != 2 {
		t.Errorf("ratio %v (%v-%v), want 2", mid, low, high)
	}
}

func TestGoalsSayByHowMuch(t *testing.T) {
	r := newResults()
	for range 3 {
		r.add(raw, "200B rate", 100)
		r.add(holdfastOff, "200B rate", 60)
		r.add(holdfast, "200B rate", 90)
		r.add(holdfast, "cut twice lost", 1)
	}
	got := map[string]string{}
	for _, v := range judge(r) {
		got[v.Goal] = v.String()
	}
	want := map[string]string{
		"events of 200 B: events/s, not kept, x raw": "**missed** by 14 %",
		"events of 200 B: events/s, kept, x raw":     "met by 100 %",
		"cut twice: events lost":                     "**missed**",
	}
	if len(got) != len(want) {
		t.Errorf("verdicts: %v", got)
	}
	for goal, says := range want {
		if got[goal] != says {
			t.Errorf("%s: %q, want %q", goal, got[goal], says)
		}
	}
}

// TestEventsAreOfTheSizeAskedFor: every client gets the same bytes, however long
// its progress token.
func TestEventsAreOfTheSizeAskedFor(t *testing.T) {
	for _, of := range []shape{{3, 200, 1, true, false}, {3, 200, 30, true, false},
		{3, 2048, 12, false, false}, {3, 2048, 12, true, true}, {3, 201, 1, true, true}} {
		built := build(of)
		if len(built.ends) != of.count || len(built.gaps) != of.count {
			t.Fatalf("%v: %d events", of, len(built.ends))
		}
		for event := range strings.SplitSeq(strings.TrimSpace(string(built.body)), "\n\n") {
			_, data, _ := strings.Cut(event, "data: ")
			if got := len(data) + of.token; got < of.size-1 || got > of.size {
				t.Errorf("%v: %d bytes", of, got)
			}
			if !utf8.ValidString(data) {
				t.Errorf("%v: a character is cut: %s", of, data)
			}
		}
	}
}
