package tabs

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// commit is one of this tab's under way.
type commit struct {
	ticket    uint32
	ops       []byte
	unawaited bool // nobody waits for its end
	// made: calls that it begins, or writes again: their deletion before that is nothing to tell of
	made    []uint64
	foreign []uint64 // calls of it that turned out to be other tabs': nothing of them is broadcast
	awaits  int      // reads that have to be over before it is reported
	result  journal.Result
	why     durable.Reason
	deleted []byte // of a commit that is stored: the deletions in it
}

// Committing takes the client's Store effect: the calls that begin with it are this
// tab's. It reports whether nobody waits for the end of the commit: of what a page stores
// that is being left, and, as a rule, of what is only deleted. That the host reports as Stored at once, where it has
// a ticket, and as Landed or Failed later. The client's next commit need not wait either: the store does one after
// another.
func (m *Machine) Committing(now engine.Time, ticket uint32, ops []byte) (unawaited bool) {
	m.now = now
	t := &commit{ticket: ticket, ops: ops, unawaited: true}
	for r := readOps(ops); r.next(); {
		op := &r.op
		if op.Kind != journal.OpForget || op.Flags&(journal.OpOwned|journal.OpAwaited) != 0 {
			t.unawaited = false
		}
		switch op.Kind {
		case journal.OpForget:
			if i := slices.Index(t.made, op.Call); i >= 0 {
				t.made[i] = 0 // it is over with this commit
			}
		case journal.OpCall:
			t.made = append(t.made, op.Call)
			m.own(op.Call, op.Epoch).ended = false
		case journal.OpKey:
			m.add(op.Call).keyed = true
		case journal.OpLog:
			if op.Flags&journal.OpEnded != 0 && m.Carries(op.Call) {
				m.add(op.Call).ended = true
			}
		}
	}
	if t.unawaited || ticket == 0 {
		t.unawaited, t.ops = true, bytes.Clone(ops) // the client may use their memory again before it is over
	}
	m.commits = append(m.commits, t)
	m.end()
	return t.unawaited
}

// fenced takes what a commit has found out. What the client does once it is stored it must
// not do any more for calls of other tabs (fault 76).
func (m *Machine) fenced(ticket uint32, ops []byte) {
	t := m.committing(ticket)
	if t == nil {
		t = &commit{} // given up
	}
	var lost []byte // an OpKey, with the call that has the key
	for r := readOps(ops); r.next(); {
		op := &r.op
		if op.Kind == journal.OpKey {
			m.lostKey(lost)
			lost = nil
		}
		if op.Kind != journal.OpKey && lost != nil {
			lost = appendOp(lost, op)
			continue
		}
		t.foreign = append(t.foreign, op.Call)
		if op.Kind == journal.OpKey {
			lost = appendOp(nil, op)
		} else {
			m.fence(t, op.Call)
		}
	}
	m.lostKey(lost)
}

// fence has a commit wait until the client knows that another tab carries a call: that
// tab may have said so first, and what it stored be read still, or not be readable just then.
func (m *Machine) fence(t *commit, call uint64) {
	c := m.calls.find(call)
	if c != nil && (c.state == owned || c.read != nil || c.stale) {
		t.awaits++
		kind := knownForCommit
		if c.read != nil {
			kind = knownTooEarly
		}
		m.read(call, &Input{Kind: kind, Ticket: t.ticket, call: call})
	}
}

// fenceKnown goes on with a commit, one of whose calls was read.
func (m *Machine) fenceKnown(in *Input) {
	c := m.calls.find(in.call)
	if c != nil && c.stale { // it could not be: the client would go on with what is another tab's
		if in.Kind == knownOnceMore {
			in.Kind = knownForCommit
			m.unread = append(m.unread, in)
			return
		}
		in.Kind = knownOnceMore
		m.read(in.call, in)
		return
	}
	if in.Kind == knownTooEarly && m.Carries(in.call) { // that read had begun before it changed hands
		in.Kind = knownForCommit
		m.read(in.call, in)
		return
	}
	if t := m.committing(in.Ticket); t != nil {
		t.awaits--
		if t.awaits == 0 && t.result != 0 {
			m.landed(t)
		}
	}
}

// lostKey takes that a call of this tab's was not added: the one that has its key is
// followed, and the client hears of it.
func (m *Machine) lostKey(ops []byte) {
	if len(ops) == 0 {
		return
	}
	r := readOps(ops)
	r.next()
	m.remove(r.op.Call)
	l := r.call()
	if l != nil && !l.owned() {
		if c := m.calls.find(l.call); c == nil || c.state != followed { // else its tab has said so
			m.book(l)
		}
	}
	m.client.Restore(m.now, ops)
	if l != nil {
		m.takeUnowned(l.call)
	}
}

// Stored takes what became of a commit, and passes it on to the client.
func (m *Machine) Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason) {
	m.now = now
	t := m.committing(ticket)
	stored := result == journal.ResultOK || result == journal.ResultUnsealed
	if t != nil && !t.unawaited && stored {
		t.result, t.why = result, why
		if t.awaits == 0 {
			m.landed(t)
		}
	} else {
		if t != nil && !t.unawaited {
			m.over(t)
		}
		m.client.Stored(now, ticket, result, why)
	}
	m.end()
}

// unawaitedOver takes that a commit is over whose end nobody waited for.
func (m *Machine) unawaitedOver(ticket uint32, stored bool) {
	t := m.committing(ticket)
	if t == nil {
		return
	}
	if stored {
		m.broadcast(t)
		m.deleted(t)
	} else if ticket != 0 { // else the client hears of it (durable.Beside)
		m.client.Missed(m.now, t.ops)
	}
	m.over(t)
}

// landed reports a commit that is stored.
func (m *Machine) landed(t *commit) {
	m.over(t)
	m.broadcast(t) // before the client may use the memory of its ops again
	m.client.Stored(m.now, t.ticket, t.result, t.why)
	m.deleted(t)
}

// deleted ends what the client may have read of calls while it deleted them: nobody else
// tells it that they are gone.
func (m *Machine) deleted(t *commit) {
	for r := readOps(t.deleted); r.next(); {
		op := &r.op
		if c := m.calls.find(op.Call); c != nil && c.state == followed {
			m.forget(op.Call, op.Flags)
		}
	}
}

func (m *Machine) committing(ticket uint32) *commit {
	for _, t := range m.commits {
		if t.ticket == ticket {
			return t
		}
	}
	return nil
}

func (m *Machine) over(t *commit) {
	if i := slices.Index(m.commits, t); i >= 0 {
		m.commits = cut(m.commits, i)
	}
}

// broadcast tells the other tabs what is stored, without its secrets. Where there is
// none, only of calls that a tab may follow which is not known here.
func (m *Machine) broadcast(t *commit) {
	var ops []byte
	any := len(m.peers) > 0
	for r := readOps(t.ops); r.next(); {
		op := &r.op
		if slices.Contains(t.foreign, op.Call) {
			continue
		}
		c := m.calls.find(op.Call)
		if (op.Kind == journal.OpCall || op.Kind == journal.OpLog && op.Epoch > 0) &&
			(c == nil || c.state != owned) {
			continue // it has changed hands since, and may be over
		}
		tells := any || c != nil && c.keyed
		flags := op.Flags
		op.Flags, op.Secret = 0, nil
		switch op.Kind {
		case journal.OpServer:
			if any {
				m.emit(BroadcastSession, 0)
			}
			continue
		case journal.OpLog:
			tells = tells && op.Epoch > 0 // how far an app is done is each tab's own
		case journal.OpForget:
			if slices.Contains(t.made, op.Call) {
				continue // it is only written again
			}
			op.Flags = flags & outcomeFlags
			t.deleted = appendOp(t.deleted, op)
			if m.Carries(op.Call) {
				m.remove(op.Call)
			}
		case journal.OpKey:
			continue
		}
		if tells {
			ops = appendOp(ops, op)
		}
	}
	if ops != nil {
		m.emit(Broadcast, 0).Ops = ops
	}
}
