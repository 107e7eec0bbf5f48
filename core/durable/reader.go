package durable

import (
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Item is one thing that the host restores. Its bytes are lent.
type Item struct {
	// Op is the server's row, a record's head, a row alone, or a record that is
	// forgotten.
	Op journal.Op
	// Key is what a record has lost to the one in Op, where that was first; its Kind is 0
	// for all other items. Op is empty where that one is gone.
	Key journal.Op
	// Log has the rows of the record whose head is Op.
	Log []journal.Op
}

// Reader reads what the host restores, item by item. A record comes as one: its head,
// and the rows that follow it.
type Reader struct {
	ops  journal.Ops
	next journal.Op // read, and of the item that comes
	log  []journal.Op
}

// NewReader returns a Reader of encoded ops.
func NewReader(ops []byte) *Reader {
	r := &Reader{ops: journal.ReadOps(ops)}
	r.advance()
	return r
}

func (r *Reader) advance() {
	r.next, _ = r.ops.Next()
}

// Next takes the next item, which holds until the one after it is taken.
func (r *Reader) Next() (Item, bool) {
	if r.next.Kind == 0 {
		return Item{}, false
	}
	var item Item
	if r.next.Kind == journal.OpKey {
		item.Key = r.next
		if r.advance(); r.next.Kind != journal.OpCall {
			return item, true
		}
	}
	item.Op = r.next
	r.advance()
	if item.Op.Kind != journal.OpCall {
		return item, true
	}
	r.log = r.log[:0]
	for ; r.next.Kind == journal.OpLog && r.next.Call == item.Op.Call; r.advance() {
		r.log = append(r.log, r.next)
	}
	item.Log = r.log
	return item, true
}

// Err returns journal.ErrCorrupt where Next has stopped before the end of the input.
func (r *Reader) Err() error { return r.ops.Err() }

// Open checks a record as it was stored, whole: nothing is taken of one whose head or
// row is corrupt or of a newer build, or whose row is missing between others. What a
// page cannot read as a whole it does not own (fault 135). usable says
// whether the protocol can use the head.
func Open(head journal.Op, log []journal.Op, usable func(journal.Head) bool) (journal.Head, error) {
	h, err := journal.ParseHead(head.Plain)
	if err == nil && !usable(h) {
		err = journal.ErrCorrupt
	}
	var last Position
	var position uint64
	for _, row := range log {
		if err != nil {
			break
		}
		switch {
		case row.IsAck(): // it stands beside the log (journal.TakeAcks)
			continue
		case row.Epoch == last.Epoch && row.N != last.N+1, row.Epoch != last.Epoch && row.N != 1:
			return h, journal.ErrCorrupt
		}
		position, err = checkRow(position, row.Plain, row.Secret)
		last = Position{row.Epoch, row.N}
	}
	return h, err
}
