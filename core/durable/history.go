package durable

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// History is what follows from the rows of any record, whatever its protocol.
type History struct {
	Head       journal.Head
	Position   uint32 // of the last event
	Checkpoint uint32 // events up to here are not stored
	Bytes      int    // stored, head included
}

// NewHistory returns the History of a record of which nothing but the head is known,
// size bytes long.
func NewHistory(head journal.Head, size int) History {
	head.Params = bytes.Clone(head.Params)
	head.Meta = bytes.Clone(head.Meta)
	return History{Head: head, Bytes: size}
}

// Folder is what a protocol makes of the entries of a record.
type Folder interface {
	// Fold takes an entry; its bytes are lent. Events and Checkpoint are in the History.
	Fold(e journal.Entry)
	// Unsealed drops what the secret part of a row may have replaced, which could not be
	// read: a cursor older than the events would bring some of them twice.
	Unsealed()
}

// Each is told of an event with its position; its data is lent.
type Each func(kind engine.EventKind, position uint32, data []byte)

// Apply folds one row. secret is nil where the row has no secret part or where that
// could not be unsealed; each may be nil. A row that cannot be read changes nothing.
func (h *History) Apply(of Folder, plain, secret []byte, each Each) error {
	err := h.Check(plain, secret)
	if err == nil {
		h.Reapply(of, plain, secret, each)
	}
	return err
}

// Check reports why the next row cannot be read, nil where it can be.
func (h *History) Check(plain, secret []byte) error {
	_, err := checkRow(uint64(h.Position), plain, secret)
	return err
}

// checkRow reads a row that comes after the event of that position, and returns the
// position of its last event.
func checkRow(position uint64, plain, secret []byte) (uint64, error) {
	for _, part := range [][]byte{plain, secret} {
		row := journal.ReadRow(part)
		for e, ok := row.Next(); ok; e, ok = row.Next() {
			switch e.Kind {
			case journal.Event:
				position++
			case journal.Checkpoint:
				position = max(position, e.N[0])
			}
		}
		if row.Err() != nil {
			return 0, row.Err()
		}
	}
	if position > 1<<32-1 {
		return 0, journal.ErrCorrupt // the next event would have the position of an old one
	}
	return position, nil
}

// Reapply folds a row that was read before, after the same rows: nothing in it is looked
// at with suspicion again.
func (h *History) Reapply(of Folder, plain, secret []byte, each Each) {
	h.Bytes += len(plain) + len(secret)
	// Plain first: an entry there may clear what the secret part then sets. So a row may
	// hold no secret that one of its own plain entries has made void.
	for _, part := range [][]byte{plain, secret} {
		row := journal.ReadRow(part)
		for e, ok := row.Next(); ok; e, ok = row.Next() {
			switch {
			case e.Kind == journal.Event:
				h.Position++
				if each != nil {
					each(engine.EventKind(e.N[0]), h.Position, e.Data)
				}
			case e.Kind == journal.Checkpoint:
				n := uint32(e.N[0])
				// else it is a hole behind events that are stored
				if n <= h.Position || h.Position == h.Checkpoint {
					h.Checkpoint = max(h.Checkpoint, n)
				}
				h.Position = max(h.Position, n)
			case e.Kind != journal.Sealed:
				of.Fold(e)
			case len(secret) == 0:
				of.Unsealed()
			}
		}
	}
}
