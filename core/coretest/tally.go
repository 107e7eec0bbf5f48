package coretest

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Tally is a host that keeps nothing but counts, and what a test must answer: a World
// copies and describes each effect, and would be all that is measured.
type Tally[M Durable] struct {
	Client   M
	Now      engine.Time
	Sent     []engine.Effect // Fetch, Socket and Frame, until the test takes them
	Events   [32]int         // by kind
	Settled  int
	Ended    map[engine.CallID]bool // calls that have ended, until the test has acknowledged them
	Recalled int
	Commits  int
	See      func(engine.Effect) // where it is set, it is given each effect first

	driver *engine.Driver
	ticket uint32
}

// Durable is a machine that stores.
type Durable interface {
	engine.Machine
	Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason)
}

// NewTally returns a host of that machine, whose time is now.
func NewTally[M Durable](machine M, now engine.Time) *Tally[M] {
	h := &Tally[M]{Client: machine, Now: now, Ended: map[engine.CallID]bool{}}
	h.driver = engine.NewDriver(machine, h)
	return h
}

// Do counts an effect.
func (h *Tally[M]) Do(e engine.Effect) {
	if h.See != nil {
		h.See(e)
	}
	switch e.Kind {
	case engine.Fetch, engine.Socket:
		h.Sent = append(h.Sent, e)
	case engine.Frame:
		e.Data = bytes.Clone(e.Data)
		h.Sent = append(h.Sent, e)
	case engine.Deliver, engine.Replay:
		for one := range engine.Unpacked(e) {
			h.Events[one.Event]++
		}
	case engine.Settle:
		h.Settled++
		h.Ended[e.C] = true
	case engine.Recall:
		h.Recalled++
	case engine.Store:
		h.ticket = e.Ticket
		h.Commits++
	}
}

// Wake does nothing: time passes where the test says so.
func (h *Tally[M]) Wake(int64) {}

// Drain takes all effects that there are.
func (h *Tally[M]) Drain() { h.driver.Drain(h.Now) }

// Take returns the oldest effect that was sent and that no one has taken.
func (h *Tally[M]) Take() engine.Effect {
	e := h.Sent[0]
	h.Sent = append(h.Sent[:0], h.Sent[1:]...)
	return e
}

// Store lands the commit under way, if there is one, and those that follow it.
func (h *Tally[M]) Store() {
	for h.ticket != 0 {
		ticket := h.ticket
		h.ticket = 0
		h.Client.Stored(h.Now, ticket, journal.ResultOK, 0)
		h.Drain()
	}
}
