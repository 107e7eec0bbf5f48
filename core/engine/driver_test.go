package engine

import (
	"slices"
	"testing"
)

// echo is a machine whose input n emits a Read for exchange n.
type echo struct{ queue Queue }

func (m *echo) input(x ExchangeID) {
	m.queue.Reset()
	m.queue.Add(Effect{Kind: Read, X: x})
}
func (m *echo) Head(Time, ExchangeID, Head)          {}
func (m *echo) Chunk(Time, ExchangeID, []byte)       {}
func (m *echo) End(Time, ExchangeID, Ending, string) {}
func (m *echo) Advance(Time)                         {}
func (m *echo) Next() (Effect, bool)                 { return m.queue.Next() }
func (m *echo) Deadline() (Time, bool)               { return Never, false }

// reentrant is a host that, carrying out an effect, gives the machine another
// input, as an app's listener does that makes a call.
type reentrant struct {
	machine *echo
	driver  *Driver
	done    []ExchangeID
	depth   int
	deepest int
}

func (h *reentrant) Wake(int64) {}
func (h *reentrant) Do(e Effect) {
	h.depth++
	h.deepest = max(h.deepest, h.depth)
	h.done = append(h.done, e.X)
	if e.X < 5 {
		h.machine.input(e.X + 1)
		h.driver.Drain(0)
	}
	h.depth--
}

// TestFault59_NestedInputs: what an input within an effect leads to is carried
// out by the outer drain, in order, and the stack stays flat.
func TestFault59_NestedInputs(t *testing.T) {
	h := &reentrant{machine: &echo{}}
	h.driver = NewDriver(h.machine, h)
	h.machine.input(1)
	h.driver.Drain(0)
	if !slices.Equal(h.done, []ExchangeID{1, 2, 3, 4, 5}) || h.deepest != 1 {
		t.Errorf("carried out %v, %d deep", h.done, h.deepest)
	}
}
