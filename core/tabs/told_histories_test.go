package tabs_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Fault 790: apps acknowledge by having an outcome, tabs open, and go to the back/forward cache and come
// back, while calls end. Every tab that holds a call has its result, and none is told in its place that
// another one has acknowledged it, as long as who carried it last is there: one that made no call goes to the
// cache here, or the one that made them all.
func TestFault790_Histories(t *testing.T) {
	histories := uint64(600)
	if runtime.GOARCH == "wasm" {
		histories /= 20
	}
	asked := 0
	for _, maker := range []bool{false, true} {
		for seed := range histories {
			w := newWorld(t, seed, false)
			w.playEndings(maker)
			if t.Failed() {
				t.Fatalf("seed %d, the maker goes: %t:\n%s", seed, maker, strings.Join(w.lines, "\n"))
			}
			if slices.ContainsFunc(w.lines,
				func(line string) bool { return strings.Contains(line, ": effect 10 ") }) {
				asked++
			}
		}
	}
	t.Logf("told in %d of %d histories", asked, 2*histories)
	if asked < int(histories)/4 {
		t.Error("hardly anything is asked after: nothing is shown")
	}
}

func (w *world) playEndings(makerGoes bool) {
	jobs := 0
	for range 150 {
		living := w.living()
		if len(living) == 0 {
			w.tabs[0].back()
			continue
		}
		p := living[w.rng.IntN(len(living))]
		switch n := w.rng.IntN(100); {
		case n < 8 && jobs < 5 && p == w.tabs[0]:
			p.call("n"+string(rune('0'+jobs)), false, 0)
			jobs++
		case n < 12 && len(w.tabs) < 4:
			w.open()
		case n < 16 && (p == w.tabs[0]) == makerGoes && len(living) > 1:
			p.cache()
		case n < 22:
			if q := w.tabs[w.rng.IntN(len(w.tabs))]; q.cached {
				q.back()
			}
		case n < 26:
			w.advance(int64(w.rng.IntN(300)))
		default:
			p.step(w.rng.IntN(5))
		}
	}
	for _, p := range w.tabs {
		if p.cached {
			p.back()
		}
	}
	for range 60 {
		for _, p := range w.tabs {
			w.settle(p)
		}
		w.advance(500)
	}
	for _, p := range w.tabs {
		for name, id := range p.calls {
			if end := p.ended[id]; end == "" || end == "acknowledged" && (!makerGoes || p == w.tabs[0]) {
				w.t.Errorf("%s: its call %s has ended with %q", p.name, name, end)
			}
		}
	}
	for name, runs := range w.runs {
		if runs > 1 {
			w.t.Errorf("%s ran %d times", name, runs)
		}
	}
}
