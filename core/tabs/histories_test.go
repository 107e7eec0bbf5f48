package tabs_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// TestHistories plays random lives of several tabs: calls with keys and without, commits
// and reads that land late, messages that come late, tabs that die, freeze with a word or
// without, thaw, and come. In the end every tab that lives is awake and all is delivered.
// Then: no two tabs ever carried a call under one epoch; what is stored without an outcome
// is carried by one tab that lives; every call of an app has ended, once; and the server
// has done each job once that may be done once only.
func TestHistories(t *testing.T) { playHistories(t, false) }

// TestFault418_Histories plays them where calls wait for connections: they are taken over before they
// have left, and what says that they leave is fenced.
func TestFault418_Histories(t *testing.T) { playHistories(t, true) }

func playHistories(t *testing.T, scarce bool) {
	histories := uint64(1_500)
	if runtime.GOARCH == "wasm" {
		histories /= 20 // each takes ten times as long there
	}
	taken := 0
	for seed := range histories {
		w := newWorld(t, seed, scarce)
		taken += w.play()
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(w.lines, "\n"))
		}
	}
	t.Logf("%d histories, %d takeovers", histories, taken)
	if taken < int(histories)/2 {
		t.Error("hardly a call changes hands: nothing is shown")
	}
}

// most is how many jobs there are.
func (w *world) most() int {
	if w.scarce {
		return 12
	}
	return 6
}

func (w *world) play() (taken int) {
	rerun := map[string]bool{}
	jobs := 0
	for range 120 {
		living := w.living()
		if len(living) == 0 {
			w.open()
			continue
		}
		p := living[w.rng.IntN(len(living))]
		switch n := w.rng.IntN(100); {
		case w.scarce && n >= 80:
			p.connect(1 + w.rng.IntN(3))
		case w.scarce && n == 79:
			p.client.Hide(w.now) // it stores beside a commit under way
			p.drain()
		case n < 8 && jobs < w.most():
			name, keyed := fmt.Sprintf("n%d", jobs), w.rng.IntN(2) == 0
			if keyed {
				name = fmt.Sprintf("k%d", w.rng.IntN(2))
			}
			if _, known := p.calls[name]; known {
				continue
			}
			jobs++
			flags := []journal.Flags{0, 0, journal.ReadOnly}[w.rng.IntN(3)]
			rerun[name] = rerun[name] || flags != 0
			p.call(name, keyed, flags)
		case n < 12 && len(w.tabs) < 7:
			w.open()
		case n < 14 && len(living) > 1:
			p.die()
		case n < 17 && len(living) > 1:
			p.freeze(w.rng.IntN(2) == 0)
		case n < 22:
			if q := w.tabs[w.rng.IntN(len(w.tabs))]; q.frozen && !q.dead {
				q.thaw()
			}
		case n < 25:
			for x := range engine.ExchangeID(100) {
				if p.streams[x] != nil {
					p.cut(x)
					break
				}
			}
		case n < 32:
			w.advance(int64(w.rng.IntN(2_000)))
		default:
			p.step(w.rng.IntN(5))
		}
	}
	w.finish()
	w.check(rerun)
	for _, c := range w.store.calls {
		taken += int(c.head.Epoch - 1)
	}
	for _, line := range w.lines {
		if strings.Contains(line, ": effect 7 ") {
			taken++
		}
	}
	return taken
}

// finish thaws all, and lets all that is under way come to its end.
func (w *world) finish() {
	for _, p := range w.tabs {
		if p.frozen && !p.dead {
			p.thaw()
		}
	}
	w.quiet()
	for _, c := range w.store.calls {
		for _, p := range w.living() {
			if o := w.named(c.owner); o != nil && o.dead && !c.ended() && p.m.Follows(c.head.Call) {
				w.t.Errorf("%s follows %d, which %s has carried that is gone", p.name, c.head.Call, c.owner)
			}
		}
	}
	// What a tab had stored and not broadcast when it died, the next one finds.
	w.open()
	w.quiet()
}

// quiet lets all that is due happen.
func (w *world) quiet() {
	for range 40 {
		for _, p := range w.living() {
			w.settle(p)
		}
		w.advance(5_000)
	}
}

func (w *world) check(rerun map[string]bool) {
	for _, c := range w.store.calls {
		carrying := 0
		for _, p := range w.living() {
			if epoch, is := p.m.Epoch(c.head.Call); is {
				carrying++
				if epoch != c.head.Epoch || c.owner != p.name {
					w.t.Errorf("%s carries %d under epoch %d; in the store it is %s's, under %d", p.name,
						c.head.Call, epoch, c.owner, c.head.Epoch)
				}
			}
		}
		if !c.ended() && carrying != 1 {
			w.t.Errorf("%d tabs carry %d, which has no outcome, and is %q's in the store", carrying,
				c.head.Call, c.owner)
		}
	}
	for _, p := range w.living() {
		for name, id := range p.calls {
			if p.ended[id] == "" {
				w.t.Errorf("%s: its call %s has not ended", p.name, name)
			}
		}
	}
	for name, runs := range w.runs {
		if runs > 1 && !rerun[name] {
			w.t.Errorf("%s ran %d times", name, runs)
		}
	}
}
