package tabs

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

// heardStored takes what another tab says that it has stored.
func (m *Machine) heardStored(from string, ops []byte) {
	for r := readOps(ops); r.next(); {
		op := &r.op
		c := m.calls.find(op.Call)
		switch {
		case op.Kind == journal.OpForget:
			m.forget(op.Call, op.Flags)
		case c != nil && (c.state == unreadable || c.state == asked && op.Kind == journal.OpLog):
		case op.Kind == journal.OpCall && (c == nil || c.state != owned):
			m.written(from, op, ops)
		case op.Kind == journal.OpLog:
			m.row(from, op)
		}
	}
}

// missed reads a call again of which rows were missed.
func (m *Machine) missed(ops []byte) {
	r := readOps(ops)
	if !r.about() {
		return
	}
	if c := m.calls.find(r.op.Call); c != nil && c.state == followed {
		m.readAnew(c.id, nil)
	}
}

// written takes a call that another tab has begun, or written again. The client gets
// the rows that were stored with its head along with that: of a call that has changed
// hands it decides by them, and by the head alone it would wrongly.
func (m *Machine) written(from string, head *journal.Op, ops []byte) {
	list := appendOp(nil, &journal.Op{Kind: journal.OpCall, Call: head.Call, Epoch: head.Epoch,
		Plain: head.Plain})
	n := uint32(0)
	for r := readOps(ops); r.next(); {
		if op := &r.op; op.Kind == journal.OpLog && op.Call == head.Call && op.Epoch == head.Epoch &&
			op.N == n+1 {
			n++
			list = appendOp(list, op)
		}
	}
	m.follow(m.add(head.Call), from, head.Epoch, n)
	m.restore(head.Call, list)
}

// row takes a row of a call's log.
func (m *Machine) row(from string, op *journal.Op) {
	c := m.calls.find(op.Call)
	if c != nil && (c.state == unreadable || c.state == asked) {
		return
	}
	if c != nil && c.state == owned {
		if op.Epoch <= c.epoch {
			return // by one who has not noticed that it lost the call
		}
		m.follow(c, from, 0, 0)
	}
	switch {
	case c == nil:
		m.read(op.Call, nil)
	case c.read != nil:
		op.Secret = nil
		c.read.wait(&Input{Kind: HearStored, Tab: from, Ops: appendOp(nil, op)})
	case op.Epoch < c.epoch || op.Epoch == c.epoch && op.N <= c.n: // known
	case op.Epoch != c.epoch || op.N != c.n+1:
		m.read(op.Call, nil)
	default:
		c.n = op.N
		m.restore(op.Call, appendOp(nil, op))
	}
}

// taken takes that another tab carries a call.
func (m *Machine) taken(in *Input) {
	r := readOps(in.Ops)
	if !r.about() {
		return
	}
	call, epoch, n := r.op.Call, r.op.Epoch, r.op.N
	c := m.calls.find(call)
	switch {
	case c == nil: // its first owner died before it said so (fault 177)
	case c.state == followed && epoch == c.epoch && c.read == nil: // it was read before (fault 179)
		m.client.TakenOver(m.now, call, epoch)
		return
	case c.state == unreadable || c.state == asked || epoch <= c.epoch && (c.state == owned || c.read == nil):
		return
	case c.state == owned:
		m.follow(c, in.Tab, 0, 0)
		c.handed, c.seal = epoch, n
	case c.read != nil:
		c.read.wait(&Input{Kind: HearTaken, Tab: in.Tab, Ops: bytes.Clone(in.Ops)})
		return
	default:
		before := epoch - 1
		for c.epoch == before && r.next() {
			if op := &r.op; op.Kind == journal.OpLog && op.Call == call {
				m.row(in.Tab, op)
			}
		}
		if c.state == followed && c.epoch == before && c.n == n && c.read == nil {
			m.follow(c, in.Tab, epoch, 0)
			m.client.TakenOver(m.now, call, epoch)
			return
		}
	}
	m.read(call, nil)
}

// released takes that nobody has a call: whoever can read it takes it over.
func (m *Machine) released(in *Input) {
	r := readOps(in.Ops)
	if !r.about() {
		return
	}
	switch c := m.calls.find(r.op.Call); {
	case c != nil && c.state != followed:
	case c != nil && c.read != nil:
		c.read.wait(&Input{Kind: HearReleased, Ops: appendOp(nil, &r.op)})
	default:
		m.read(r.op.Call, nil)
	}
}

// forget takes that a call is no longer stored; flags say how it had ended.
func (m *Machine) forget(call uint64, flags journal.OpFlags) {
	ops := appendOp(nil, &journal.Op{Kind: journal.OpForget, Flags: flags & outcomeFlags, Call: call})
	if c := m.calls.find(call); c != nil && c.read != nil {
		c.read.wait(&Input{Kind: HearStored, Ops: ops})
		return
	}
	if m.Carries(call) {
		m.tellOver(ops)
	}
	if c := m.calls.find(call); c != nil && (c.state == asked || m.asks(c, flags)) {
		return
	}
	m.remove(call)
	m.client.Restore(m.now, ops)
}

// tellOver says of a call that this tab has carried that it is not stored any more: what was
// told of it here may reach others after who deleted it has said so, and begin it there again.
func (m *Machine) tellOver(ops []byte) { m.emit(Broadcast, 0).Ops = ops }

// outcomeFlags are those of a deletion that say how the call had ended (journal.OpOutcome), and whether that
// can be asked for.
const outcomeFlags = 0xf0 | journal.OpEnded
