package durable

import "github.com/holdfast-mcp/holdfast/core/engine"

// Trial hears what became of a Try.
type Trial interface {
	Tried(now engine.Time, stored bool)
}

// Try makes one strict commit of ops after the store has failed: a deletion may fit where
// nothing else does. then gets the result. The Writer stays failed. Try returns false
// while another commit is under way, or while the store works: the caller writes ops with
// the next commit.
func (w *Writer) Try(now engine.Time, ops []byte, then Trial) (engine.Effect, bool) {
	if w.Open() || w.flying {
		return engine.Effect{}, false
	}
	w.ticket++
	w.flying, w.firm, w.missed = true, true, false
	w.blob, w.alone = ops, then
	w.by = now.After(CommitWithin)
	return w.effect(), true
}

// tried ends a Try, and gives its result to the Trial. A commit that lands later than
// that is CommitLate.
func (w *Writer) tried(now engine.Time, stored bool) {
	then := w.alone
	w.alone, w.flying, w.by, w.blob = nil, false, engine.Never, nil
	then.Tried(now, stored)
}
