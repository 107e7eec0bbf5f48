package durable

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// A store that is away, or fails for a commit, misses deletions: a later page would find what
// its app has done with. They are kept until it works again, and may be tried before.

// madeAgain is what a deletion has that is made once more: it is no other page's record that is deleted then,
// and its end is waited for, which tells it from one that only makes room for the head that follows
// (Log.BeginAgain).
const madeAgain = journal.OpOwned | journal.OpAwaited

// keepDeletion keeps one.
func (w *Writer) keepDeletion(op journal.Op) {
	if op.Kind == journal.OpForget && w.state != StoreClosed { // else it is gone with all the others
		op.Flags |= madeAgain
		w.missing = journal.AppendOp(w.missing, op)
	}
}

// keepDeletions keeps those that no commit has stored, but for those of records whose head
// follows: they are rewritten, and not deleted (Log.BeginAgain).
func (w *Writer) keepDeletions() {
	var last journal.Op
	w.Unstored(func(op journal.Op) {
		if op.Kind != journal.OpCall || op.Call != last.Call {
			w.keepDeletion(last)
		}
		last = op
	})
	w.keepDeletion(last)
}

// Missed takes deletions among ops that counted as stored, since nobody waited for them, and are
// not: they are in the next commit, which is waited for.
func (w *Writer) Missed(ops []byte) {
	r := journal.ReadOps(ops)
	for op, ok := r.Next(); ok; op, ok = r.Next() {
		if op.Kind == journal.OpForget {
			op.Flags |= madeAgain
			w.Put(op)
		}
	}
}

// TryDeletions is a Try of those, where there are any: a deletion needs no room. Who hears
// that they are stored says so by Deleted.
func (w *Writer) TryDeletions(now engine.Time, then Trial) (engine.Effect, bool) {
	if len(w.missing) == 0 || w.flying {
		return engine.Effect{}, false
	}
	w.trying = len(w.missing)
	return w.Try(now, w.missing, then)
}

// Deleted notes that those that were tried are stored; more may have come since.
func (w *Writer) Deleted() {
	w.missing, w.trying = w.missing[min(w.trying, len(w.missing)):], 0
}

// WithDeletions returns ops behind those that the store has missed, for a Try of both: what
// the app has done with does not have its key any more.
func (w *Writer) WithDeletions(ops []byte) []byte {
	return append(slices.Clone(w.missing), ops...)
}
