package durable

import "github.com/holdfast-mcp/holdfast/core/journal"

// Position is how far a log is read or written: the epoch of its owner, and the number
// of the last row of that epoch, 0 where it has none.
type Position struct{ Epoch, N uint32 }

// IsNext reports whether a row follows directly: the same epoch and row n+1, or row 1 of
// a later epoch, before which the host has delivered all rows. A row of an earlier epoch
// is fenced. A reader that meets any other row leaves it out, and reads the whole log.
func (p Position) IsNext(row journal.Op) bool {
	switch {
	case row.IsAck():
		return false
	case row.Epoch == p.Epoch:
		return row.N == p.N+1
	}
	return row.Epoch > p.Epoch && row.N == 1
}

// Advance moves the position past a row of the log. Rows of the owners before do not
// move it.
func (p *Position) Advance(row journal.Op) {
	if row.Epoch >= p.Epoch {
		p.Epoch, p.N = row.Epoch, row.N
	}
}
