package durable

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// A store that is away, or fails for a commit, misses deletions: a later page would find what
// its app has done with. They are kept until it works again, and may be tried before.

// keepDeletion keeps one. It is no other page's record that is deleted then.
func (w *Writer) keepDeletion(op journal.Op) {
	if op.Kind == journal.OpForget && w.state != StoreClosed { // else it is gone with all the others
		op.Flags |= journal.OpOwned
		w.missing = journal.AppendOp(w.missing, op)
	}
}

// Deletions calls each with those that no commit has stored yet, but for those of records whose
// head follows: they are rewritten, and not deleted (Log.BeginAgain).
func (w *Writer) Deletions(each func(journal.Op)) {
	var last journal.Op
	deletion := func(next journal.Op) {
		if last.Kind == journal.OpForget && (next.Kind != journal.OpCall || next.Call != last.Call) {
			each(last)
		}
		last = next
	}
	w.Unstored(deletion)
	deletion(journal.Op{})
}

// Missed takes deletions among ops that counted as stored, since nobody waited for them, and are
// not: they are in the next commit, which is waited for.
func (w *Writer) Missed(ops []byte) {
	r := journal.ReadOps(ops)
	for op, ok := r.Next(); ok; op, ok = r.Next() {
		if op.Kind == journal.OpForget {
			op.Flags |= journal.OpOwned
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
