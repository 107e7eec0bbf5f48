package durable

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Recorder is what writes rows: the record of a call, or of a session with an agent.
type Recorder interface {
	// AppendRow ends the row that waits and appends it, as an Op.
	AppendRow(b []byte) []byte
	// Landed notes that the row last appended is stored; sealed is false where
	// its secret part is not, for want of a cipher.
	Landed(sealed bool)
}

// Writer is the group commit: one is under way at a time, and what comes
// meanwhile is the next. While the store is not open everything counts as
// stored at once, and nothing outlives the page.
//
// A commit is known by its ticket. That of the one which takes up what is
// written now is Next.
type Writer struct {
	Held  int // bytes of all logs in the store, as far as this page knows
	state State

	ops     []byte
	dirty   []Recorder // with a row that waits
	strict  bool       // what waits has to be flushed to disk
	waiting int        // bytes of it
	waiters []waiter

	later   []byte      // ops that nobody waits for (PutLater)
	ridesAt engine.Time // when a commit first takes them along
	laterBy engine.Time // when they go in one of their own
	missing []byte      // deletions that the store has missed (deletions.go)
	trying  int         // bytes of those that TryDeletions tries

	ticket uint32 // of the last commit
	landed uint32 // of the last that was stored
	hung   uint32 // of the last that took too long: it may be stored yet
	flying bool   // the last commit is under way
	firm   bool   // it is strict
	tries  int    // how often it found no room
	making bool   // deletions are under way in its place: they make room for it
	apart  bool   // something counts as stored that a commit beside it has (Apart)
	by     engine.Time
	missed bool   // by has passed unseen, and was moved on
	blob   []byte // what it writes: kept for a second try
	flown  []Recorder
	spare  []byte
	alone  Trial  // hears of the commit under way, which is a Try
	row    []byte // memory of the largest row that was written: for the next that grows large
}

// Waiter is what goes on once a commit is stored. It is data and no closure, so that a
// trace can show what is waited for (Writer.After).
type Waiter interface {
	// Stored goes on.
	Stored(now engine.Time)
}

type waiter struct {
	next   Waiter
	ticket uint32
}

const (
	// CommitWithin is how long a commit may take, in ms: a store that hangs must
	// not hold up the calls.
	CommitWithin = 3_000
	// If the timer fires missedBy ms late, the page was frozen or busy, and the store's
	// answer may be waiting unread. The answer gets answerWithin ms more. A page that
	// gives its store up acts without it, on calls that another tab may have taken over
	// (fault 76).
	missedBy     = 250
	answerWithin = 1_000
	// MaxUncommitted is how much may wait to be stored before streams are not
	// read further, in bytes: the memory of a page whose store is slow stays bounded.
	MaxUncommitted = 1 << 20
)

// CommitResult is what a Writer makes of a journal.Result.
type CommitResult uint8

// What became of a commit.
const (
	CommitIgnored  CommitResult = iota // it is not the one under way, and nobody waits for it
	CommitLate                         // it was given up: the store works after all
	CommitStored                       // what waited for it has run
	CommitFull                         // no room: MakeRoom where some can be made, else Fail
	CommitRoomMade                     // some was made: Retry
	CommitFailed                       // Fail
)

// NewWriter returns a Writer that has nothing to write; stores is false where there is
// no store.
func NewWriter(stores bool) Writer {
	w := Writer{by: engine.Never}
	if stores {
		w.state = StoreOpen
	}
	return w
}

// Open reports whether what is written gets stored.
func (w *Writer) Open() bool { return w.state == StoreOpen }

// Closed reports whether nothing is stored any more, for good: a logout.
func (w *Writer) Closed() bool { return w.state == StoreClosed }

// Full reports whether reading has to wait for the store.
func (w *Writer) Full() bool { return w.Open() && w.waiting+len(w.blob) > MaxUncommitted }

// Put puts an op other than a row into the next commit.
func (w *Writer) Put(op journal.Op) {
	if !w.Open() {
		w.keepDeletion(op)
		return
	}
	before := len(w.ops)
	w.ops = journal.AppendOp(w.ops, op)
	w.waiting += len(w.ops) - before
}

// PutLater puts an op for whose commit nobody waits: it goes with the first one from ridesAt on,
// or at that time in one of its own. What is put later goes together, by the times of the first:
// a deletion took a third of the time of each small call's commit, and many deletions of calls that
// follow each other take hardly more than one.
func (w *Writer) PutLater(op journal.Op, ridesAt, by engine.Time) {
	if !w.Open() {
		w.keepDeletion(op)
		return
	}
	if len(w.later) == 0 {
		w.ridesAt, w.laterBy = ridesAt, by
	}
	before := len(w.later)
	w.later = journal.AppendOp(w.later, op)
	w.waiting += len(w.later) - before
}

// Hasten has what was put later go with the next commit, since somebody waits for it.
func (w *Writer) Hasten() {
	w.ops, w.later = append(w.ops, w.later...), w.later[:0]
}

// Touch notes that l has a row for the next commit. Once for each row.
func (w *Writer) Touch(l Recorder) { w.dirty = append(w.dirty, l) }

// Untouch takes that back: the row, of which n bytes were counted, is not to be
// written.
func (w *Writer) Untouch(l Recorder, n int) {
	for i, other := range w.dirty {
		if other == l {
			w.dirty = append(w.dirty[:i], w.dirty[i+1:]...)
			w.waiting -= n
			return
		}
	}
}

// Room returns the row that is written with room for an entry of n bytes more, in
// what a row before it has left behind if that will do.
func (w *Writer) Room(row []byte, n int) []byte {
	need := len(row) + n + journal.MaxEntryHead
	switch {
	case need <= cap(row):
		return row
	case need <= cap(w.row):
		larger := append(w.row[:0], row...)
		w.row = row[:0]
		return larger
	}
	return grown(row, need)
}

// grown returns b with room for need bytes, in steps where it is large: append's own
// of a quarter leave four times its memory behind as garbage.
func grown(b []byte, need int) []byte {
	for _, size := range [...]int{4 * keepRow, largestRow} {
		if keepRow < need && need <= size {
			return slices.Grow(b, size-len(b))
		}
	}
	return b
}

// Done takes back the memory of a row that was appended to the commit. Returns
// what the log may keep of it: one at a time grows large, as a rule, and memory
// of a wasm that was taken once is never given back. last: it writes next to nothing
// after that row, and keeps none.
func (w *Writer) Done(row []byte, last bool) []byte {
	if !last && cap(row) <= keepRow {
		return row[:0]
	}
	if cap(row) <= 2*MaxUncommitted && cap(row) > cap(w.row) {
		w.row = row[:0]
	}
	return nil
}

// keepRow is what a log keeps of memory for its rows, in bytes; largestRow is more
// than a stream gets, before it is not read further: another chunk, at most.
const (
	keepRow    = 64 << 10
	largestRow = MaxUncommitted + 2*keepRow
)

// Grow counts bytes that wait in a row.
func (w *Writer) Grow(n int) { w.waiting += n }

// Idle reports whether no commit is under way.
func (w *Writer) Idle() bool { return !w.flying }

// Waiting returns how many wait for a commit, and how many rows for the next.
func (w *Writer) Waiting() (waiters, rows int) { return len(w.waiters), len(w.dirty) }

// Unstored calls each with the ops that no commit has stored yet, of the one under
// way first; their bytes are lent.
func (w *Writer) Unstored(each func(journal.Op)) {
	for _, ops := range [...][]byte{w.blob, w.ops, w.later} {
		r := journal.ReadOps(ops)
		for op, ok := r.Next(); ok; op, ok = r.Next() {
			each(op)
		}
	}
}

// Flush has the next commit wait for the disk.
func (w *Writer) Flush() { w.strict = true }

// Next returns the ticket of the commit that takes up what is written now.
func (w *Writer) Next() uint32 { return w.ticket + 1 }

// Beside is the ticket of a commit that is made beside the one under way, since the page is
// being left. Nobody waits for it; the host reports only that it has failed.
const Beside = 0

// Apart returns the ticket that what is in such a commit goes by: it counts as stored before
// all that is written from here on.
func (w *Writer) Apart() uint32 {
	w.apart = true
	return w.landed
}

// Has reports whether the commit of a ticket is stored.
func (w *Writer) Has(ticket uint32) bool { return ticket <= w.landed }

// EndsBetween reports whether a crash now could keep commit a and lose the later
// commit b.
func (w *Writer) EndsBetween(a, b uint32) bool {
	between := func(last uint32) bool { return a <= last && last < b }
	return between(w.landed) || w.hung > w.landed && between(w.hung)
}

// Commit gathers what waits into one transaction, unless one is under way.
func (w *Writer) Commit(now engine.Time) (engine.Effect, bool) {
	waits := len(w.ops) > 0 || len(w.dirty) > 0
	rides := len(w.later) > 0 && (now >= w.laterBy || waits && now >= w.ridesAt)
	if !w.Open() || w.flying || !waits && !rides {
		return engine.Effect{}, false
	}
	if rides {
		w.Hasten()
	}
	w.blob = w.spare[:0]
	if w.waiting > keepRow {
		w.blob = grown(w.blob, w.waiting+keepRow) // with their heads and secrets
	}
	w.blob = append(w.blob, w.ops...)
	w.spare, w.ops = nil, w.ops[:0]
	for _, l := range w.dirty {
		w.blob = l.AppendRow(w.blob)
	}
	w.flown, w.dirty = append(w.flown[:0], w.dirty...), w.dirty[:0]
	w.ticket++
	w.flying, w.tries, w.firm, w.strict, w.waiting, w.missed = true, 0, w.strict, false, len(w.later), false
	w.by = now.After(CommitWithin)
	return w.effect(), true
}

// Needs returns how many bytes the commit that found no room writes, counted as those
// of a record are, and how many to free for it: twice as much each time that this was
// not enough.
func (w *Writer) Needs() (writes, free int) {
	r := journal.ReadOps(w.blob)
	for op, ok := r.Next(); ok; op, ok = r.Next() {
		writes += len(op.Plain) + len(op.Secret)
	}
	writes = max(writes, 1)
	return writes, writes << min(w.tries, 16)
}

// MakeRoom commits operations that only delete, in place of the commit that found no
// room: in a transaction of their own, since a browser looks for the room that a
// transaction takes before that transaction has deleted anything. What only deletes
// needs none.
func (w *Writer) MakeRoom(deletions []byte) engine.Effect {
	w.flying, w.making = true, true
	w.tries++
	return engine.Effect{Kind: engine.Store, Ticket: w.ticket, Data: deletions}
}

// Retry is the commit that found no room once more, after MakeRoom.
func (w *Writer) Retry() engine.Effect {
	w.flying = true
	return w.effect()
}

func (w *Writer) effect() engine.Effect {
	return engine.Effect{Kind: engine.Store, Ticket: w.ticket, Strict: w.firm, Data: w.blob}
}

// WhenStored has next go on once everything written so far is stored, on disk where
// strict, but for what was put later; at once where nothing waits or there is no store.
func (w *Writer) WhenStored(now engine.Time, strict bool, next Waiter) {
	ticket := w.ticket
	switch {
	case !w.Open():
		next.Stored(now)
		return
	case len(w.ops) > 0 || len(w.dirty) > 0:
		ticket++
		w.strict = w.strict || strict
	case !w.flying:
		next.Stored(now)
		return
	}
	w.waiters = append(w.waiters, waiter{next, ticket})
}

// Deadline returns until when the commit under way has to be stored; where there is none,
// when the next begins.
func (w *Writer) Deadline() engine.Time {
	if len(w.later) > 0 && !w.flying {
		return min(w.by, w.laterBy)
	}
	return w.by
}

// Unwatch has no limit for the commit under way any more: the client is closed.
func (w *Writer) Unwatch() { w.by = engine.Never }

// Hear moves that on by the time that the page has slept: a commit slept as well, and that it has landed may
// not have been reported yet.
func (w *Writer) Hear(n *link.News) (moved bool) {
	w.by = n.Later(w.by)
	return false
}

// GivesUp reports whether the commit under way has taken too long. It is not
// waited for any more then, though it may be stored yet: Fail.
func (w *Writer) GivesUp(now engine.Time) bool {
	if now < w.by {
		return false
	}
	if !w.missed && now > w.by.After(missedBy) {
		w.missed, w.by = true, now.After(answerWithin)
		return false
	}
	if w.alone != nil {
		w.tried(now, false)
		return false
	}
	if !w.making { // else it failed for certain, and was not tried again
		w.hung = w.ticket
	}
	return true
}

// Stored takes the host's answer to effect Store.
func (w *Writer) Stored(now engine.Time, ticket uint32, result journal.Result) CommitResult {
	stored := result == journal.ResultOK || result == journal.ResultUnsealed
	if ticket == Beside && w.apart && w.Open() && !stored {
		return CommitFailed // the page is there still, and what was in it counts as stored
	}
	if !w.flying || ticket != w.ticket {
		if w.state == StoreAway && stored {
			return CommitLate
		}
		return CommitIgnored
	}
	if w.alone != nil {
		w.tried(now, stored)
		return CommitIgnored
	}
	making := w.making
	w.flying, w.making = false, false
	switch {
	case making && stored:
		return CommitRoomMade
	case making:
		return CommitFailed
	case stored:
		w.land(now, result == journal.ResultOK)
		return CommitStored
	case result == journal.ResultQuota:
		return CommitFull
	}
	return CommitFailed
}

// land takes the end of the commit under way: it is stored.
func (w *Writer) land(now engine.Time, sealed bool) {
	w.by, w.landed = engine.Never, w.ticket
	w.spare, w.blob = w.blob, nil
	if cap(w.spare) > 2*MaxUncommitted {
		w.spare = nil
	}
	for _, l := range w.flown {
		l.Landed(sealed)
	}
	w.flown = w.flown[:0]
	w.release(now, w.ticket)
}

// Fail stops writing: what waited counts as stored. After ReasonClosed that is for ever.
func (w *Writer) Fail(now engine.Time, why Reason, of Owner) {
	if w.Open() {
		of.InMemory(why)
	}
	alone := w.alone
	if alone == nil { // else what is under way is kept already
		w.keepDeletions()
	}
	*w = Writer{state: states[w.state][changeOf(why)], Held: w.Held, ticket: w.Next(), landed: w.landed, hung: w.hung, by: engine.Never, waiters: w.waiters, missing: w.missing}
	w.release(now, w.ticket)
	if alone != nil {
		alone.Tried(now, false)
	}
}

// Return goes on storing, after CommitLate.
func (w *Writer) Return(of Owner) {
	if w.state = states[w.state][storeReturns]; w.Open() {
		w.ops, w.waiting, w.missing = append(w.ops, w.missing...), w.waiting+len(w.missing), nil
		of.WriteAgain()
	}
}

// ReleaseIdle has all go on that waits for a commit with nothing to write: what it was to have
// was taken back (Untouch), and nothing may come after it. Reports whether anything did.
func (w *Writer) ReleaseIdle(now engine.Time) bool {
	if w.flying || len(w.waiters) == 0 || len(w.ops)+len(w.dirty)+len(w.later) > 0 {
		return false
	}
	w.release(now, w.Next())
	return true
}

// WhenHas has next go on once the commit of a ticket is stored, at once where it is.
func (w *Writer) WhenHas(now engine.Time, ticket uint32, next Waiter) {
	if w.Has(ticket) {
		next.Stored(now)
		return
	}
	w.waiters = append(w.waiters, waiter{next, ticket})
	for at := len(w.waiters) - 1; at > 0 && w.waiters[at-1].ticket > ticket; at-- {
		// they stand in the order of their tickets
		w.waiters[at-1], w.waiters[at] = w.waiters[at], w.waiters[at-1]
	}
}

// Release runs all that waits to be stored: the client ends, and what is under
// way gets there without it.
func (w *Writer) Release(now engine.Time) {
	w.Hasten()
	w.release(now, w.Next())
}

func (w *Writer) release(now engine.Time, ticket uint32) {
	n := 0
	for n < len(w.waiters) && w.waiters[n].ticket <= ticket {
		n++
	}
	due := append([]waiter(nil), w.waiters[:n]...)
	w.waiters = append(w.waiters[:0], w.waiters[n:]...)
	for _, d := range due {
		d.next.Stored(now)
	}
}
