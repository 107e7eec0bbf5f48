package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// An outcome that is acknowledged by being handed over is deleted at once. Another tab that holds the call
// may not have heard of it by then: it was loading, or rested in the back/forward cache. The tab that carried
// the call has the outcome in memory for a while, and tells whoever asks (core/tabs).

const (
	// rememberFor is how long it does, in ms.
	rememberFor = 60_000
	// rememberBytes and rememberMost bound what is remembered: the oldest goes first.
	rememberBytes = 4 << 20
	rememberMost  = 256
)

// remembered is how a call has ended.
type remembered struct {
	record   uint64
	outcome  engine.Outcome
	data     []byte // as the journal has it
	position uint32 // of its last event
	until    engine.Time
}

// memory is what a client remembers, the oldest first.
type memory struct {
	list  []remembered
	bytes int
}

// remember keeps how a call has ended that this tab carries, where being handed over acknowledges it. data is
// the client's from here on.
func (c *Client) remember(call *call, outcome engine.Outcome, data []byte) {
	if call.flags&journal.ManualAck != 0 || call.record.undecided || len(data) > rememberBytes {
		return
	}
	m := &c.memory
	m.list = append(m.list, remembered{call.record.ID, outcome, data, call.position,
		c.effects.Now.After(rememberFor)})
	m.bytes += len(data)
	for m.bytes > rememberBytes || len(m.list) > rememberMost || c.effects.Now >= m.list[0].until {
		m.bytes -= len(m.list[0].data)
		m.list[0] = remembered{}
		m.list = m.list[1:]
	}
}

// Remembered returns how a call has ended, for a tab that asks: an OpForget with the outcome, and with the
// position of its last event for a number. nil where that is not known any more.
func (c *Client) Remembered(now engine.Time, record uint64) []byte {
	for _, r := range c.memory.list {
		if r.record == record && now < r.until {
			return journal.AppendOp(nil, journal.Op{
				Kind: journal.OpForget, Flags: journal.OpOutcome(journal.GoneAcked, r.outcome), Call: record,
				N: r.position, Plain: r.data,
			})
		}
	}
	return nil
}

// rememberEffect does it with an outcome that the app is told.
func (c *Client) rememberEffect(call *call, e *engine.Effect) {
	data := e.Data
	if e.Failure != nil {
		data = journal.AppendFailure(nil, e.Failure)
	} else if rests := call.rests(data); len(rests) != len(data) {
		data = bytes.Clone(rests)
	}
	c.remember(call, min(e.Outcome, engine.OutcomeFailure), data)
}

// told takes from the tab that carried a followed call how it has ended. The events after the last one that
// came are gone from the store, which a reader is told.
func (c *Client) told(now engine.Time, call *call, op journal.Op) {
	var failure *engine.Error
	data, outcome := op.Plain, op.Flags.Outcome()
	if outcome == engine.OutcomeFailure {
		var err error
		if failure, err = journal.ParseFailure(data); err != nil {
			failure = goneError(call.method, op.Flags)
		}
		data = nil
	}
	if op.N > call.position {
		c.tellGap(call, op.N)
	}
	c.tellForgotten(call)
	c.partAs(now, call, outcome, data, failure)
}

// tellGap tells the app which events there are no more.
func (c *Client) tellGap(call *call, to uint32) {
	from := call.position + 1
	b := appendUint([]byte(`{"events":`), uint64(to-call.position))
	b = appendUint(jsonrpc.Raw(b, `,"from":`), uint64(from))
	b = appendUint(jsonrpc.Raw(b, `,"to":`), uint64(to))
	c.counters.MissingEvents += to - call.position
	call.position = to
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventGap, C: call.id, Position: to,
		Data: append(b, '}')})
}
