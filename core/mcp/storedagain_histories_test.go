package mcp_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// storedAgain lets the store fail and work again, and checks that the call's
// rewritten record says what was stored before.
func (l *taskLife) storedAgain() {
	l.t.Helper()
	l.allStored()
	record := l.record()
	if record == 0 || l.settled != nil {
		return
	}
	before := knownOf(l.Store.Record(record))
	l.StoreBack()
	l.audit()
	l.base = base{l.position, l.told}
	l.allStored()
	if l.record() == 0 {
		l.fatal("it is stored no more")
	}
	after := knownOf(l.Store.Record(l.record()))
	fetching := slices.ContainsFunc(l.UnderWay(), func(x engine.ExchangeID) bool {
		return strings.Contains(string(l.Request(x).Body), `"tasks/result"`)
	})
	for i := range before {
		if before[i] != after[i] && (fetching || !strings.HasPrefix(before[i], "Fetching")) {
			l.fatal("stored was\n%s, and is, rewritten,\n%s", before[i], after[i])
		}
	}
}

// base says what the events before a Checkpoint were, which the next page is not told.
type base struct {
	position uint32
	told     int // segments
}

func (l *taskLife) allStored() {
	for l.Store.Flying() != 0 {
		l.landed()
	}
}

// knownOf returns what a record says of its call that a later page needs: but for its
// events, which are gone, and for what may have been heard since, or is counted from the start.
func knownOf(r *recorded.Call) (list []string) {
	known := *r
	known.History, known.Sends, known.Seen, known.Rounds, known.Withdrawn, known.TaskAt, known.TaskHeardAt =
		durable.History{}, 0, nil, 0, nil, 0, 0
	slices.SortFunc(known.Taken, func(a, b []byte) int { return slices.Compare(a, b) })
	known.Taken = slices.CompactFunc(known.Taken, slices.Equal)
	if known.TaskDialect == 2 {
		known.Taken = nil // tasks/continue: its keys may mean another request by then
	}
	known.Asked = slices.Clone(known.Asked)
	slices.SortFunc(known.Asked, func(a, b durable.Question) int { return slices.Compare(a.ID, b.ID) })
	v := reflect.ValueOf(known)
	for i := range v.NumField() {
		list = append(list, fmt.Sprintf("%s: %q", v.Type().Field(i).Name, fmt.Sprint(v.Field(i))))
	}
	return list
}

// Fault 468: whatever has happened to a task, its record says the same after it was
// written again: what it asks, what was answered, what was taken, and by which stream of
// which request a later page hears of the rest.
func TestFault468_Histories(t *testing.T) {
	first, n := seeds(t, 1_000/slow)
	for seed := first; seed < first+n; seed++ {
		playStoredAgain(t, seed)
	}
}

func playStoredAgain(t *testing.T, seed uint64) {
	defer func() {
		if t.Failed() {
			t.Logf("play it again with HOLDFAST_SEED=%d", seed)
		}
	}()
	l := newTaskLife(t, seed, []taskWay{streamedWay, updateWay, continueWay}[seed%3])
	l.start()
	l.call()
	l.becomesTask()
	for range 25 + l.rng.IntN(60) {
		if l.step(); l.rng.IntN(6) == 0 {
			l.storedAgain()
		}
	}
	l.finish()
}
