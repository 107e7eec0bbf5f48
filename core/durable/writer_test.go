package durable_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// line is a Log that writes one row for each Touch.
type line struct {
	n      uint32
	sealed []bool // of each row that is stored
}

func (l *line) AppendRow(b []byte) []byte {
	l.n++
	return journal.AppendOp(b, journal.Op{Kind: journal.OpLog, Call: 1, Epoch: 1, N: l.n, Plain: []byte("row")})
}

func (l *line) Landed(sealed bool) { l.sealed = append(l.sealed, sealed) }

// desk is a Writer whose waiters leave their names.
type desk struct {
	durable.Writer
	t   *testing.T
	log line
	ran []string
}

func (d *desk) InMemory(durable.Reason) {}
func (d *desk) WriteAgain()             {}

func newDesk(t *testing.T) *desk { return &desk{Writer: durable.NewWriter(true), t: t} }

func (d *desk) wait(now engine.Time, name string, strict bool) {
	d.WhenStored(now, strict, named{d, name})
}

// named is a waiter that leaves its name, and a trial that leaves how it went.
type named struct {
	d    *desk
	name string
}

func (n named) After() string { return n.name }

func (n named) Stored(engine.Time) { n.d.ran = append(n.d.ran, n.name) }

func (d *desk) commit(now engine.Time) engine.Effect {
	d.t.Helper()
	e, ok := d.Commit(now)
	if !ok {
		d.t.Fatal("nothing is committed")
	}
	return e
}

func (d *desk) want(names string) {
	d.t.Helper()
	if got := strings.Join(d.ran, " "); got != names {
		d.t.Errorf("%q ran, want %q", got, names)
	}
	d.ran = nil
}

func (d *desk) commitEnds(now engine.Time, ticket uint32, result journal.Result, want durable.CommitResult) {
	d.t.Helper()
	if got := d.Stored(now, ticket, result); got != want {
		d.t.Errorf("ticket %d, result %d: %d, want %d", ticket, result, got, want)
	}
}

// One commit is under way at a time; who waits is told by the one that has what
// was written, and is strict only where somebody asked for it.
func TestWriterGroups(t *testing.T) {
	d := newDesk(t)
	d.wait(0, "nothing", true)
	d.want("nothing")
	d.Put(journal.Op{Kind: journal.OpServer})
	d.Touch(&d.log)
	d.wait(0, "first", false)
	first := d.commit(0)
	d.wait(1, "also first", true) // it is under way as it is
	d.Touch(&d.log)
	d.wait(1, "second", true)
	if _, ok := d.Commit(1); ok {
		t.Error("two commits are under way")
	}
	d.want("")
	d.commitEnds(2, first.Ticket, journal.ResultOK, durable.CommitStored)
	d.want("first also first")
	second := d.commit(2)
	d.commitEnds(3, first.Ticket, journal.ResultOK, durable.CommitIgnored)
	d.commitEnds(3, second.Ticket, journal.ResultUnsealed, durable.CommitStored)
	d.want("second")
	if first.Strict || !second.Strict {
		t.Errorf("strict: %v, %v", first.Strict, second.Strict)
	}
	if !slices.Equal(d.log.sealed, []bool{true, false}) {
		t.Errorf("rows are sealed: %v", d.log.sealed)
	}
	d.Put(journal.Op{Kind: journal.OpServer})
	if d.commit(3).Strict {
		t.Error("the third is strict")
	}
	d.Put(journal.Op{Kind: journal.OpServer})
	d.Flush()
	d.commitEnds(4, d.Next()-1, journal.ResultOK, durable.CommitStored)
	if !d.commit(4).Strict {
		t.Error("the fourth is not flushed")
	}
}

// Room is made for a commit, as often as some can be: by a commit that only deletes,
// which is the one under way then. The same ticket again follows it, and twice as much
// is asked for each time.
func TestWriterRetries(t *testing.T) {
	d := newDesk(t)
	d.Touch(&d.log)
	d.wait(0, "row", true)
	first := d.commit(0)
	d.commitEnds(1, first.Ticket, journal.ResultQuota, durable.CommitFull)
	if writes, free := d.Needs(); writes != len("row") || free != writes {
		t.Errorf("%d bytes are written, %d are needed", writes, free)
	}
	d.Put(journal.Op{Kind: journal.OpServer})
	deletions := journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Call: 7})
	room := d.MakeRoom(deletions)
	if _, ok := d.Commit(1); ok {
		t.Error("a commit overtakes the deletions")
	}
	if room.Ticket != first.Ticket || room.Strict || !bytes.Equal(room.Data, deletions) {
		t.Errorf("room is made by %+v", room)
	}
	d.commitEnds(1, room.Ticket, journal.ResultOK, durable.CommitRoomMade)
	d.want("")
	again := d.Retry()
	if _, ok := d.Commit(1); ok {
		t.Error("a commit overtakes the one that is tried again")
	}
	if again.Ticket != first.Ticket || again.Strict != first.Strict {
		t.Errorf("it is another commit: %+v", again)
	}
	if !bytes.Equal(again.Data, first.Data) {
		t.Errorf("it writes %q, and %q before", again.Data, first.Data)
	}
	d.want("")
	if writes, free := d.Needs(); writes != len("row") || free != 2*writes {
		t.Errorf("%d bytes were not enough, and %d are needed", writes, free)
	}
	d.commitEnds(2, again.Ticket, journal.ResultQuota, durable.CommitFull)
	d.Fail(2, durable.ReasonQuota, d)
	d.want("row")
	if d.Open() || d.Deadline() != engine.Never {
		t.Error("it still writes")
	}

	d = newDesk(t)
	for range 2 { // for each commit again
		d.Touch(&d.log)
		ticket := d.commit(0).Ticket
		d.commitEnds(1, ticket, journal.ResultQuota, durable.CommitFull)
		d.MakeRoom(nil)
		d.commitEnds(1, ticket, journal.ResultOK, durable.CommitRoomMade)
		d.Retry()
		d.commitEnds(2, ticket, journal.ResultOK, durable.CommitStored)
	}

	// What hangs now has nothing of the commit; what fails fails it.
	for _, result := range []journal.Result{journal.ResultQuota, journal.ResultFailed} {
		d = newDesk(t)
		head := d.Next()
		d.Put(journal.Op{Kind: journal.OpCall, Call: 1})
		ticket := d.commit(0).Ticket
		d.commitEnds(1, ticket, journal.ResultQuota, durable.CommitFull)
		d.MakeRoom(nil)
		if !d.GivesUp(durable.CommitWithin) || d.EndsBetween(head, head+1) {
			t.Error("the commit may be stored yet")
		}
		d.commitEnds(2, ticket, result, durable.CommitFailed)
	}
}

// A commit that hangs is given up, and may be stored yet: what the store ends
// with is not known. One that failed for certain is not stored.
func TestWriterGivesUp(t *testing.T) {
	for name, end := range map[string]func(d *desk, ticket uint32){
		"hangs": func(d *desk, _ uint32) {
			d.Hear(&link.News{Kind: link.NewsWoke, Gap: 500})
			if d.GivesUp(durable.CommitWithin + 499) {
				t.Error("it is given up too soon")
			}
			if !d.GivesUp(durable.CommitWithin + 500) {
				t.Error("it is not given up")
			}
		},
		"hangs unseen": func(d *desk, _ uint32) {
			// A page that was frozen, or busy, reads what came meanwhile first.
			late := engine.Time(durable.CommitWithin + 400)
			if d.GivesUp(late) || d.GivesUp(d.Deadline()-1) {
				t.Error("it is given up before the answer could be read")
			}
			if !d.GivesUp(d.Deadline()) {
				t.Error("it is not given up")
			}
		},
		"fails": func(d *desk, ticket uint32) { d.commitEnds(1, ticket, journal.ResultFailed, durable.CommitFailed) },
	} {
		d := newDesk(t)
		d.Held = 10
		head := d.Next()
		d.Put(journal.Op{Kind: journal.OpCall, Call: 1})
		first := d.commit(0)
		d.commitEnds(0, first.Ticket, journal.ResultOK, durable.CommitStored)
		middle := d.Next()
		d.Put(journal.Op{Kind: journal.OpCall, Call: 2})
		under := d.commit(0)
		d.Touch(&d.log)
		d.wait(0, "row", false)
		sent := d.Next()
		end(d, under.Ticket)
		d.Fail(4000, durable.ReasonQuota, d)
		d.want("row")
		if !d.EndsBetween(head, sent) || d.EndsBetween(sent, sent+1) || d.EndsBetween(middle, sent) != (name != "fails") {
			t.Errorf("%s: what the store ends with: %v %v %v", name, d.EndsBetween(head, sent), d.EndsBetween(sent, sent+1), d.EndsBetween(middle, sent))
		}
		if !d.Has(head) || d.Has(middle) || d.Held != 10 {
			t.Errorf("%s: it has the first: %v, the second: %v, %d bytes", name, d.Has(head), d.Has(middle), d.Held)
		}
		if rows, _ := d.Commit(4000); rows.Data != nil {
			t.Errorf("%s: it still writes", name)
		}
		d.wait(4000, "at once", true)
		d.want("at once")
		d.commitEnds(4001, under.Ticket, journal.ResultFailed, durable.CommitIgnored)
		d.commitEnds(4001, under.Ticket, journal.ResultUnsealed, durable.CommitLate)
		d.commitEnds(4001, under.Ticket, journal.ResultOK, durable.CommitLate)
		if waiters, rows := d.Waiting(); waiters != 0 || rows != 0 {
			t.Errorf("%s: %d wait, %d rows", name, waiters, rows)
		}
	}
}

// Reading waits while too much does, written or on its way; a row that is taken
// back does not count any more.
func TestWriterFull(t *testing.T) {
	d := newDesk(t)
	d.Touch(&d.log)
	d.Grow(durable.MaxUncommitted + 1)
	if !d.Full() {
		t.Error("it is not full")
	}
	d.Untouch(&d.log, durable.MaxUncommitted+1)
	d.Untouch(&d.log, 100) // it waits no more
	if d.Full() {
		t.Error("it is full of nothing")
	}
	d.Put(journal.Op{Kind: journal.OpServer, Plain: make([]byte, durable.MaxUncommitted)})
	if !d.Full() {
		t.Error("what waits does not count")
	}
	ticket := d.commit(0).Ticket
	if !d.Full() {
		t.Error("what is under way does not count")
	}
	d.commitEnds(1, ticket, journal.ResultOK, durable.CommitStored)
	if d.Full() {
		t.Error("what is stored counts")
	}
}

// The client ends: nobody waits any more, and what is under way is left alone.
func TestWriterReleases(t *testing.T) {
	d := newDesk(t)
	d.Touch(&d.log)
	d.wait(0, "under way", true)
	ticket := d.commit(0).Ticket
	d.Touch(&d.log)
	d.wait(0, "next", true)
	d.Release(1)
	d.want("under way next")
	d.commitEnds(2, ticket, journal.ResultOK, durable.CommitStored)
	d.want("")
	d.commit(2)
}

// Rows are written in buffers that the Writer keeps.
func TestWriterAllocatesNothing(t *testing.T) {
	d := newDesk(t)
	d.log.sealed = make([]bool, 0, 1000)
	round := func() {
		d.Touch(&d.log)
		e, _ := d.Commit(0)
		d.Stored(0, e.Ticket, journal.ResultOK)
	}
	for range 3 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations for a commit", n)
	}
}

// What nobody waits for goes with the first commit from a time on, or at another in its own;
// and with the next where somebody waits after all, or the client ends.
func TestWriterPutsLater(t *testing.T) {
	forget := journal.Op{Kind: journal.OpForget, Call: 7}
	put := func(d *desk) { d.Put(journal.Op{Kind: journal.OpServer}) }
	for name, row := range map[string]struct {
		then func(d *desk)
		at   engine.Time
		ops  int // in the commit then; 0 for none
	}{
		"before its time":              {func(*desk) {}, 49, 0},
		"at its time":                  {func(*desk) {}, 50, 1},
		"with another later":           {func(d *desk) { d.PutLater(forget, 70, 90) }, 50, 2},
		"not with an op too soon":      {put, 24, 1},
		"with an op":                   {put, 25, 2},
		"with a row":                   {func(d *desk) { d.Touch(&d.log) }, 25, 2},
		"not for who waits for others": {func(d *desk) { d.wait(1, "acked", false) }, 49, 0},
		"in haste":                     {func(d *desk) { d.Hasten() }, 1, 1},
		"for who waits for it":         {func(d *desk) { d.Hasten(); d.wait(1, "acked", false) }, 1, 1},
		"at the end":                   {func(d *desk) { d.Release(1) }, 1, 1},
	} {
		d := newDesk(t)
		d.PutLater(forget, 25, 50)
		if _, ok := d.Commit(0); ok || d.Deadline() != 50 {
			t.Errorf("%s: it does not wait, and is due at %d", name, d.Deadline())
		}
		row.then(d)
		e, _ := d.Commit(row.at)
		ops := 0
		for r := journal.ReadOps(e.Data); ; ops++ {
			if _, ok := r.Next(); !ok {
				break
			}
		}
		if ops != row.ops {
			t.Errorf("%s: %d ops, want %d", name, ops, row.ops)
		}
		if row.ops == 0 {
			continue
		}
		d.commitEnds(row.at, e.Ticket, journal.ResultOK, durable.CommitStored)
		_, more := d.Commit(100)
		if late := row.at == 24; more != late || !late && d.Deadline() != engine.Never {
			t.Errorf("%s: it goes twice, or never, or is due at %d", name, d.Deadline())
		}
	}

	// While a commit is under way it is not due: a driver would spin.
	d := newDesk(t)
	d.Touch(&d.log)
	first := d.commit(0)
	d.PutLater(forget, 25, 50)
	if at := d.Deadline(); at != durable.CommitWithin {
		t.Errorf("due at %d while a commit is under way", at)
	}
	d.commitEnds(60, first.Ticket, journal.ResultOK, durable.CommitStored)
	d.commit(60)

	// Without a store nothing is due.
	d = newDesk(t)
	d.Fail(0, durable.ReasonFailed, d)
	if d.PutLater(forget, 25, 50); d.Deadline() != engine.Never {
		t.Errorf("due at %d without a store", d.Deadline())
	}
}

// Fault 492: what a commit was to write is taken back, since the record is another tab's by
// now or is gone. Who waits for it goes on: nothing may be written after that.
func TestFault492_NothingIsLeftToWrite(t *testing.T) {
	d := newDesk(t)
	d.Touch(&d.log)
	d.wait(0, "a", false)
	if d.ReleaseIdle(0) {
		t.Error("it goes on before its row is written")
	}
	d.Untouch(&d.log, 0)
	if _, ok := d.Commit(0); ok || !d.ReleaseIdle(0) || !slices.Equal(d.ran, []string{"a"}) {
		t.Errorf("%v goes on after its row was taken back", d.ran)
	}
	if d.ReleaseIdle(0) {
		t.Error("something goes on twice")
	}
}

// Fault 490: of what a commit that fails was to delete, what is to be gone is deleted once the
// store works again, by its owner alone; a record that was to be rewritten is not.
func TestFault490_DeletionsOfACommitThatFails(t *testing.T) {
	d := newDesk(t)
	d.Put(journal.Op{Kind: journal.OpForget, Call: 1})
	d.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: 2})
	d.Put(journal.Op{Kind: journal.OpCall, Call: 2, Epoch: 1, Plain: []byte("head")})
	d.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: 3})
	d.commit(0)
	d.Fail(0, durable.ReasonFailed, d)
	d.Put(journal.Op{Kind: journal.OpForget, Call: 4})
	d.Return(d)
	var deleted []uint64
	r := journal.ReadOps(d.commit(0).Data)
	for op, ok := r.Next(); ok; op, ok = r.Next() {
		if op.Kind != journal.OpForget || op.Flags&journal.OpOwned == 0 {
			t.Errorf("it writes %+v", op)
		}
		deleted = append(deleted, op.Call)
	}
	if !slices.Equal(deleted, []uint64{1, 3, 4}) {
		t.Errorf("deleted are %v", deleted)
	}
}
