package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// newStages is a task's life in which all goes well, one input at a time, but
// for the reloads that a test puts in.
func newStages(t testing.TB, way taskWay, seed uint64) *taskLife {
	l := newTaskLife(t, seed, way)
	l.kind, l.plan, l.resuming = true, []int{1, 2, 3, 4}, fromNumber
	l.start()
	l.call()
	return l
}

// tick does the next input; false where nothing is left to be done. A commit
// lands after so many inputs.
func (l *taskLife) tick(lag int) bool {
	l.t.Helper()
	if l.settled != nil || l.c == 0 && l.pages > 1 {
		return false
	}
	if l.Store.Flying() != 0 {
		if l.hung++; l.hung > lag {
			l.landed()
			return true
		}
	}
	for len(l.waiting) > 0 {
		w := l.wires[l.waiting[0]]
		l.waiting = l.waiting[1:]
		if !w.Over {
			l.serveOne(w)
			return true
		}
	}
	for _, w := range l.open() {
		if l.deliverOn(w) {
			return true
		}
	}
	if len(l.prompts) > 0 {
		l.answer()
		return true
	}
	done, over := l.done, l.over
	if l.work(); l.done != done || l.over != over {
		return true
	}
	if l.Store.Flying() != 0 {
		l.landed()
		return true
	}
	if d := l.NextDeadline(); d >= 0 && d < 3_000 {
		l.advance(d)
		return true
	}
	return false
}

// Fault 73: the page is reloaded after every input of a task's life, and once
// more soon after, with commits that land at once or late: segments are told in
// order and once, none is asked from that is not stored, what is asked is asked
// once and answered in the same words, and the result is the whole.
func TestFault73_TaskReloadedAfterEveryInput(t *testing.T) {
	reloads, segments, asks := 0, 0, 0
	for way := range ways {
		ends := map[string]int{}
		for _, lag := range []int{0, 2, 6} {
			for seed := uint64(1); seed <= 4; seed++ { // which server, which pieces
				l := newStages(t, way, seed)
				inputs := 0
				for l.tick(lag) {
					inputs++
				}
				for at := 0; at <= inputs; at += slow {
					for _, again := range []int{-1, 0, 3} {
						l := newStages(t, way, seed)
						for range at {
							l.tick(lag)
						}
						l.reload()
						l.start()
						reloads++
						for n := 0; n <= again; n++ {
							l.tick(lag)
						}
						if again >= 0 {
							l.reload()
							l.start()
							reloads++
						}
						l.finish()
						segments, asks = segments+l.told, asks+l.asks
						switch {
						case l.settled == nil:
							ends["never stored"]++
						case l.settled.Failure != nil:
							ends[string(l.settled.Failure.Code)]++
						default:
							ends["result"]++
						}
					}
				}
			}
		}
		t.Logf("way %d: %v", way, ends)
		for end := range ends {
			if end != "result" && end != "never stored" && end != string(engine.CodeOutcomeUnknown) {
				t.Errorf("way %d: a call ends as %s", way, end)
			}
		}
	}
	t.Logf("%d reloads, %d segments, %d questions: 0 lost, 0 twice", reloads, segments, asks)
}
