package durable

import "github.com/holdfast-mcp/holdfast/core/journal"

// Position is how far a log is read or written: the epoch of its owner, and the number
// of the last row of that epoch, 0 where it has none.
type Position struct{ Epoch, N uint32 }

// IsNext reports whether a row that was stored just now comes next: that of the same
// owner, or the first of a later one, of which the host knows that all before it has
// come. A row of an earlier owner is fenced. Who finds a row out of turn leaves it out,
// and reads the whole log instead.
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
