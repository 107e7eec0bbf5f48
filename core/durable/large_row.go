package durable

import "github.com/holdfast-mcp/holdfast/core/journal"

// A large row lies in memory of its own, behind room for what a commit has before it. The
// commit is made around it then, in that memory: 16 MB of a result were copied once more, and
// held twice until they were stored.
const (
	// largeRow is from how many bytes on, so that nothing keeps the memory for the next row (Done) or
	// commit (land).
	largeRow = 2*MaxUncommitted + 1
	// roomBefore is for other operations of the commit and the row's own header, roomBehind for
	// entries, secrets and rows that come after it, in bytes.
	roomBefore = 16 << 10
	roomBehind = keepRow
)

// newLargeRow returns memory for a large row of need bytes, and a copy of row in its place there.
func newLargeRow(row []byte, need int) (backing, copied []byte) {
	backing = make([]byte, roomBefore, roomBefore+need+roomBehind)
	return backing, append(backing[roomBefore:], row...)
}

// room makes room for an entry of n bytes more in the row that waits.
func (l *Log) room(n int) {
	if l.lent {
		return // the memory that it leaves is not free yet
	}
	need := len(l.plain) + n + journal.MaxEntryHead
	if need < largeRow || need <= cap(l.plain) {
		l.plain = l.writer.Room(l.plain, n)
		return
	}
	l.backing, l.plain = newLargeRow(l.plain, need)
}

// appendRow appends the row as an Op, or has it taken over with the memory that it lies in.
func (l *Log) appendRow(b []byte, op journal.Op) (commit []byte, taken bool) {
	backing := l.backing
	if l.backing = nil; backing == nil || len(b) > roomBefore-journal.OpRoom ||
		&backing[:roomBefore+1][roomBefore] != &l.plain[0] {
		return journal.AppendOp(b, op), false // another row, or one that has outgrown that memory
	}
	return journal.WrapOp(b, op, backing), true
}
