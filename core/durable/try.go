package durable

import "github.com/holdfast-mcp/holdfast/core/engine"

// Trial hears what became of a Try.
type Trial interface {
	Tried(now engine.Time, stored bool)
}

// Try commits ops by themselves once the store has failed, strictly, and tells then
// whether they are stored. What fails for want of room may still have some for a
// deletion. It does not bring the Writer back. Returns false where another commit is
// under way, or the store works: then they go with its next one.
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

// tried ends a Try. What is stored after all, later than anybody waits for it, is
// told as the store being back.
func (w *Writer) tried(now engine.Time, stored bool) {
	then := w.alone
	w.alone, w.flying, w.by, w.blob = nil, false, engine.Never, nil
	then.Tried(now, stored)
}
