package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Log tests a [store.Log]. open returns an empty one, seen from one node or several.
func Log(t *testing.T, open func(t *testing.T, o Options) []store.Log) {
	for _, test := range []struct {
		name string
		opts Options
		run  func(t *testing.T, nodes []store.Log)
	}{
		{"AppendAndReplay", Options{}, appendAndReplay},
		{"AppendAgainAddsOnce", Options{}, appendAgain},
		{"OneOfManyWriters", Options{}, manyWriters},
		{"FollowOnAnotherNode", Options{}, followElsewhere},
		{"FollowersAndWriterRace", Options{}, race},
		{"UnknownStream", Options{}, unknown},
		{"ForeignPosition", Options{}, foreign},
		{"PositionBeyondTheEnd", Options{}, beyond},
		{"RetentionIsTold", Options{PerStream: 3}, retention},
		{"Forget", Options{}, forget},
		{"Full", Options{Bytes: 16 << 10}, full},
		{"BadArguments", Options{}, badArguments},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t, test.opts)) })
	}
}

var mine = store.Stream{Session: "a session.with *odd> names", Name: "stream/1"}

func must(t *testing.T, l store.Log, s store.Stream, after store.Position, data string) store.Position {
	t.Helper()
	next, err := l.Append(t.Context(), s, after, "message", []byte(data))
	if err != nil {
		t.Fatalf("Append of %q: %v", data, err)
	}
	return next
}

func fill(t *testing.T, l store.Log, s store.Stream, n int) (all []store.Position) {
	t.Helper()
	last := s.Start()
	for i := range n {
		last = must(t, l, s, last, fmt.Sprint("event ", i+1))
		all = append(all, last)
	}
	return all
}

// collect returns the data of what is yielded, and the error.
func collect(events iter.Seq2[store.Event, error]) (data []string, err error) {
	for event, err := range events {
		if err != nil {
			return data, err
		}
		data = append(data, string(event.Data))
	}
	return data, nil
}

func refused(t *testing.T, what string, err error, code store.Code) {
	t.Helper()
	if store.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
	if err != nil && (strings.Contains(err.Error(), mine.Session) ||
		strings.Contains(err.Error(), "event ")) {
		t.Errorf("%s: the error has a name or data in it: %v", what, err)
	}
}

func appendAndReplay(t *testing.T, nodes []store.Log) {
	a, b := at(nodes, 0), at(nodes, 1)
	all := fill(t, a, mine, 5)
	for from, after := range append([]store.Position{mine.Start()}, all...) {
		// A position goes to a client as text, and comes back.
		again, ok := store.ParsePosition(after.String())
		if !ok || again != after {
			t.Fatalf("ParsePosition(%q) = %v, %t", after, again, ok)
		}
		data, err := collect(b.After(t.Context(), mine, again))
		want := []string{"event 1", "event 2", "event 3", "event 4", "event 5"}[from:]
		if err != nil || strings.Join(data, ";") != strings.Join(want, ";") {
			t.Errorf("after event %d: %q, %v; want %q", from, data, err, want)
		}
	}
	last, err := b.Last(t.Context(), mine)
	if err != nil || last.Position != all[4] || last.Label != "message" || string(last.Data) != "event 5" {
		t.Errorf("Last: %+v, %v", last, err)
	}
	for event := range b.After(t.Context(), mine, mine.Start()) { // a reader may stop
		if event.Number != 1 || event.Position != all[0] {
			t.Errorf("first event: %+v", event)
		}
		break
	}
}

func appendAgain(t *testing.T, nodes []store.Log) {
	a, b := at(nodes, 0), at(nodes, 1)
	first := must(t, a, mine, mine.Start(), "event 1")
	if again := must(t, b, mine, mine.Start(), "event 1"); again != first {
		t.Errorf("the same again is %v, was %v", again, first)
	}
	_, err := b.Append(t.Context(), mine, mine.Start(), "message", []byte("event of another"))
	refused(t, "another event at the same place", err, store.Conflict)
	if data, err := collect(b.After(t.Context(), mine, mine.Start())); err != nil || len(data) != 1 {
		t.Errorf("kept: %q, %v", data, err)
	}
}

func manyWriters(t *testing.T, nodes []store.Log) {
	const writers = 8
	won := make(chan int, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			_, err := at(nodes, i%2).Append(t.Context(), mine, mine.Start(), "owner", fmt.Append(nil, i))
			if err == nil {
				won <- i
			} else if store.CodeOf(err) != store.Conflict {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if len(won) != 1 {
		t.Fatalf("%d writers have won", len(won))
	}
	last, err := at(nodes, 0).Last(t.Context(), mine)
	if want := fmt.Sprint(<-won); err != nil || string(last.Data) != want || last.Number != 1 {
		t.Errorf("kept: %+v, %v; want that of %s", last, err, want)
	}
}

func followElsewhere(t *testing.T, nodes []store.Log) {
	a, b := at(nodes, 0), at(nodes, 1)
	last := must(t, a, mine, mine.Start(), "event 1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for event, err := range b.Follow(ctx, mine, mine.Start()) {
		if errors.Is(err, context.Canceled) && n == 20 {
			return
		}
		if err != nil {
			t.Fatalf("after %d events: %v", n, err)
		}
		if n++; event.Number != uint64(n) || string(event.Data) != fmt.Sprint("event ", n) {
			t.Fatalf("event %d is %+v", n, event)
		}
		if n == 20 {
			cancel()
			continue
		}
		last = must(t, a, mine, last, fmt.Sprint("event ", n+1))
	}
	t.Error("Follow ended without an error")
}

func race(t *testing.T, nodes []store.Log) {
	const events, followers = 50, 4
	first := must(t, at(nodes, 0), mine, mine.Start(), "event 1")
	var all sync.WaitGroup
	for i := range followers {
		all.Go(func() {
			n := 0
			for event, err := range at(nodes, i%2).Follow(t.Context(), mine, mine.Start()) {
				if err != nil {
					t.Errorf("follower %d after %d: %v", i, n, err)
					return
				}
				if n++; string(event.Data) != fmt.Sprint("event ", n) {
					t.Errorf("follower %d: event %d is %q", i, n, event.Data)
					return
				}
				if n == events {
					return
				}
			}
		})
	}
	for n := 2; n <= events; n++ {
		first = must(t, at(nodes, 0), mine, first, fmt.Sprint("event ", n))
	}
	all.Wait()
}

func unknown(t *testing.T, nodes []store.Log) {
	l := at(nodes, 0)
	fill(t, l, mine, 2)
	for _, s := range []store.Stream{{Session: mine.Session, Name: "other"},
		{Session: "other", Name: mine.Name}, {}} {
		_, err := collect(l.After(t.Context(), s, s.Start()))
		refused(t, "After", err, store.Unknown)
		_, err = collect(l.Follow(t.Context(), s, s.Start()))
		refused(t, "Follow", err, store.Unknown)
		_, err = l.Last(t.Context(), s)
		refused(t, "Last", err, store.Unknown)
	}
}

func foreign(t *testing.T, nodes []store.Log) {
	l := at(nodes, 0)
	all := fill(t, l, mine, 3)
	other := store.Stream{Session: mine.Session, Name: "another stream"}
	stranger := store.Stream{Session: "another session", Name: mine.Name}
	positions := append(fill(t, l, other, 3), fill(t, l, stranger, 3)...)
	must(t, l, mine, all[2], "event 4")
	for i, p := range append(positions, other.Start(), stranger.Start()) {
		data, err := collect(l.After(t.Context(), mine, p))
		if len(data) > 0 {
			t.Errorf("position %d of another stream gets %q", i, data)
		}
		refused(t, "a position of another stream", err, store.Foreign)
	}
}

func beyond(t *testing.T, nodes []store.Log) {
	l := at(nodes, 0)
	all := fill(t, l, mine, 3)
	// What a client has that was told of events which the store has lost.
	p := all[2]
	for i := range 3 {
		p = p.Next("message", fmt.Append(nil, "lost ", i))
		p.Place = all[2].Place + uint64(i) + 1
		_, err := collect(l.After(t.Context(), mine, p))
		refused(t, "a position beyond the end", err, store.Truncated)
		_, err = l.Append(t.Context(), mine, p, "message", nil)
		refused(t, "an append beyond the end", err, store.Conflict)
	}
	// And what it has been filled with since is no continuation of that.
	for i := range 6 {
		all = append(all, must(t, l, mine, all[len(all)-1], fmt.Sprint("event ", i+4)))
	}
	data, err := collect(l.After(t.Context(), mine, p))
	if store.CodeOf(err) != store.Foreign || len(data) > 0 {
		t.Errorf("a position of a lost tail: %q, %v", data, err)
	}
}

func retention(t *testing.T, nodes []store.Log) {
	l := at(nodes, 1)
	all := fill(t, at(nodes, 0), mine, 6) // 4, 5 and 6 are kept
	for number, p := range append([]store.Position{mine.Start()}, all...) {
		data, err := collect(l.After(t.Context(), mine, p))
		if number >= 3 {
			if err != nil || len(data) != 6-number {
				t.Errorf("after event %d: %q, %v", number, data, err)
			}
			continue
		}
		var e *store.Error
		if !errors.As(err, &e) || e.Code != store.Dropped || e.From != uint64(number+1) || e.To != 3 ||
			len(data) > 0 {
			t.Errorf("after event %d: %q, %v; want that events %d to 3 were dropped", number, data, err,
				number+1)
		}
	}
}

func forget(t *testing.T, nodes []store.Log) {
	l := at(nodes, 0)
	all := fill(t, l, mine, 3)
	fill(t, l, store.Stream{Session: mine.Session, Name: "other"}, 1)
	kept := store.Stream{Session: "kept", Name: mine.Name}
	fill(t, l, kept, 2)
	if err := at(nodes, 1).Forget(t.Context(), mine.Session); err != nil {
		t.Fatal(err)
	}
	_, err := collect(l.After(t.Context(), mine, all[1]))
	refused(t, "After", err, store.Unknown)
	// by a node that still works for that session
	_, err = l.Append(t.Context(), mine, all[2], "message", nil)
	refused(t, "Append", err, store.Conflict)
	if data, err := collect(l.After(t.Context(), kept, kept.Start())); err != nil || len(data) != 2 {
		t.Errorf("another session: %q, %v", data, err)
	}
	if err := l.Forget(t.Context(), "nobody's"); err != nil {
		t.Errorf("Forget of nothing: %v", err)
	}
}

func full(t *testing.T, nodes []store.Log) {
	l := at(nodes, 0)
	last, n := mine.Start(), 0
	for ; n < 100; n++ {
		next, err := l.Append(t.Context(), mine, last, "message", make([]byte, 1000))
		if err != nil {
			refused(t, "Append", err, store.Full)
			break
		}
		last = next
	}
	if n < 2 || n >= 100 {
		t.Fatalf("%d events had room", n)
	}
	if data, err := collect(l.After(t.Context(), mine, mine.Start())); err != nil || len(data) != n {
		t.Errorf("what was kept: %d events, %v; want %d", len(data), err, n)
	}
	other := store.Stream{Session: "another", Name: "s"}
	_, err := l.Append(t.Context(), other, other.Start(), "message", make([]byte, 1000))
	refused(t, "Append of another session", err, store.Full)
	if err := l.Forget(t.Context(), mine.Session); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), other, other.Start(), "message", make([]byte, 1000)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func badArguments(t *testing.T, nodes []store.Log) {
	l := at(nodes, 0)
	for _, label := range []string{"two\nlines", "ä", strings.Repeat("x", store.MaxLabel+1)} {
		_, err := l.Append(t.Context(), mine, mine.Start(), label, nil)
		refused(t, "Append", err, store.Invalid)
	}
	for _, text := range []string{"", "1.2", "1.2.3.4", "-1.0.0", "1.2.x!", "01.2.3", "1.2.3 ",
		"1.2.zzzzzzzzzzzzzz"} {
		if p, ok := store.ParsePosition(text); ok {
			t.Errorf("ParsePosition(%q) = %v", text, p)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, mine, mine.Start(), "message", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Append without time: %v", err)
	}
}
