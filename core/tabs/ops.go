package tabs

import "github.com/holdfast-mcp/holdfast/core/journal"

// An operation is eleven words. What it is copied by, wherever it is, weighs more in the
// wasm than what is decided about it: so a list is read into one place, and an operation
// is appended by its address.

// reader reads a list of operations.
type reader struct {
	in journal.Ops
	op journal.Op // the last one
}

func readOps(ops []byte) *reader { return &reader{in: journal.ReadOps(ops)} }

// next reads the next one; false at the end.
//
//go:noinline
func (r *reader) next() bool {
	var ok bool
	r.op, ok = r.in.Next()
	return ok
}

// about reads the head of the call that a list begins with; false where it is about none.
func (r *reader) about() bool { return r.next() && r.op.Kind == journal.OpCall }

// appendOp appends an operation to a list.
//
//go:noinline
func appendOp(list []byte, op *journal.Op) []byte { return journal.AppendOp(list, *op) }

// loaded is a call as it was read.
type loaded struct {
	call   uint64
	flags  journal.OpFlags
	epoch  uint32
	n      uint32 // the last row of its epoch
	sealed uint32 // and of the one before
	owner  []byte // lent
}

func (l *loaded) owned() bool { return l.flags&journal.OpOwned != 0 }

// call reads the next head with its log, which may begin with the last operation that was
// read; nil at the end.
func (r *reader) call() *loaded {
	op := &r.op
	for op.Kind != journal.OpCall {
		if !r.next() {
			return nil
		}
	}
	l := &loaded{call: op.Call, flags: op.Flags, epoch: op.Epoch, owner: op.Secret}
	for r.next() && op.Kind != journal.OpCall {
		if op.Kind != journal.OpLog || op.IsAck() {
			continue
		}
		switch l.epoch - op.Epoch {
		case 0:
			l.n = max(l.n, op.N)
		case 1:
			l.sealed = max(l.sealed, op.N)
		}
	}
	return l
}

// cut takes the one at i out of a list that is in no other place. All lists share the code.
func cut[P any](list []P, i int) []P { return append(list[:i], list[i+1:]...) }
