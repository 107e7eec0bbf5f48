package sse

import (
	"errors"
	"fmt"
	"testing"
)

// record is an Event with memory of its own.
type record struct {
	kind          Kind
	typ, data, id string
	hasID         bool
	retry         int64
}

func recordOf(ev Event) record {
	return record{ev.Kind, string(ev.Type), string(ev.Data), string(ev.ID), ev.HasID, ev.Retry}
}

// outcome is all that can be seen of a parser after its last connection.
type outcome struct {
	events []record
	lastID string
	retry  int64
	err    Code
	stats  Stats // without Copied, which does depend on the chunking
}

// diff describes the first difference, or is empty.
func (o outcome) diff(got outcome) string {
	for i := range min(len(o.events), len(got.events)) {
		if o.events[i] != got.events[i] {
			return fmt.Sprintf("event %d:\n got %v\nwant %v", i, got.events[i], o.events[i])
		}
	}
	if len(o.events) != len(got.events) {
		return fmt.Sprintf("got %d events, want %d", len(got.events), len(o.events))
	}
	if o.lastID != got.lastID || o.retry != got.retry || o.err != got.err {
		return fmt.Sprintf("at the end:\n got id %q retry %d err %q\nwant id %q retry %d err %q",
			got.lastID, got.retry, got.err, o.lastID, o.retry, o.err)
	}
	if o.stats != got.stats {
		return fmt.Sprintf("counters:\n got %+v\nwant %+v", got.stats, o.stats)
	}
	return ""
}

func (r record) String() string {
	s := fmt.Sprintf("%v type=%+q data=%+q id=%+q new=%v retry=%d", r.kind, r.typ, r.data, r.id, r.hasID,
		r.retry)
	if len(s) > 400 {
		s = s[:400] + fmt.Sprintf("... (%d bytes)", len(s))
	}
	return s
}

// cutter says how long the next chunk is, given what is left of a connection
// and how much was pushed. 0 pushes an empty chunk.
type cutter func(left, done int) int

func whole(left, _ int) int { return left }

func everyByte(_, _ int) int { return 1 }

// cutAt cuts at the given offsets of every connection.
func cutAt(offsets ...int) cutter {
	return func(left, done int) int {
		for _, o := range offsets {
			if o > done {
				return min(o-done, left)
			}
		}
		return left
	}
}

// feed pushes the connections cut by cut through one parser. All chunks use
// the same memory, which is overwritten as soon as a caller may do so, and
// events are compared at the end of their promised life with what they were at first.
func feed(t testing.TB, limits Limits, conns []string, cut cutter) outcome {
	t.Helper()
	return (&feeder{t: t, p: New(limits)}).feed(conns, cut)
}

func (f *feeder) feed(conns []string, cut cutter) outcome {
	t, p := f.t, f.p
	t.Helper()
	for i, conn := range conns {
		if i > 0 {
			p.Reset()
		}
		for done := 0; done < len(conn); {
			n := min(cut(len(conn)-done, done), len(conn)-done)
			f.push(conn[done : done+n])
			done += n
		}
		p.EOF()
		if _, ok := p.Next(); ok {
			t.Fatal("an event after EOF")
		}
	}
	f.out.lastID, f.out.retry = string(p.LastEventID()), p.Retry()
	if err := p.Err(); err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("error of type %T", err)
		}
		f.out.err = e.Code
	}
	f.out.stats = p.Stats()
	f.out.stats.Copied = 0
	for _, k := range f.kept {
		if string(k.data) != k.was {
			t.Fatalf("data that was kept became %+.100q, and was %+.100q", k.data, k.was)
		}
	}
	return f.out
}

type feeder struct {
	t   testing.TB
	p   *Parser
	mem []byte
	out outcome

	keeps func() bool // whether the data of the next event is to be kept; nil for never
	kept  []kept
}

// kept is data that is the caller's own, and what it was at first.
type kept struct {
	data []byte
	was  string
}

// push feeds one chunk and returns how many events it gave.
func (f *feeder) push(s string) int {
	f.t.Helper()
	if cap(f.mem) < len(s)+8 {
		f.mem = make([]byte, 2*len(s)+8)
	}
	chunk := append(f.mem[:0], s...)
	f.p.Push(chunk)
	var events []Event
	first := len(f.out.events)
	for {
		ev, ok := f.p.Next()
		if !ok {
			break
		}
		events = append(events, ev)
		f.out.events = append(f.out.events, recordOf(ev))
		if f.keeps != nil && f.keeps() && f.p.KeepData() {
			f.kept = append(f.kept, kept{ev.Data, string(ev.Data)})
			if f.p.KeepData() {
				f.t.Fatal("the same memory was given twice")
			}
		}
		if string(f.p.LastEventID()) != string(ev.ID) {
			f.t.Fatalf("LastEventID %q, event %d has %q", f.p.LastEventID(), len(f.out.events)-1, ev.ID)
		}
	}
	if _, ok := f.p.Next(); ok {
		f.t.Fatal("Next said false, then true")
	}
	for i, ev := range events {
		if recordOf(ev) != f.out.events[first+i] {
			f.t.Fatalf("event %d changed while its chunk was read:\n got %v\nwant %v",
				first+i, recordOf(ev), f.out.events[first+i])
		}
		// An append of the caller must not run into bytes not its own.
		for _, s := range [][]byte{ev.Type, ev.Data, ev.ID} {
			_ = append(s, "overrun"...)
		}
	}
	if string(chunk) != s {
		f.t.Fatal("the parser wrote to the chunk, or gave out more of it than an event")
	}
	id := string(f.p.LastEventID())
	for i := range f.mem {
		f.mem[i] = "\ndata: poison\nid: poison\n\n"[i%26]
	}
	if string(f.p.LastEventID()) != id {
		f.t.Fatalf("LastEventID %q lived in the chunk", id)
	}
	return len(events)
}

// drain takes all events of a push and returns their number and data bytes.
func drain(p *Parser) (events, size int) {
	for {
		ev, ok := p.Next()
		if !ok {
			return events, size
		}
		events++
		size += len(ev.Data)
	}
}
