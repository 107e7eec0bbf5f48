package coretest

import "github.com/holdfast-mcp/holdfast/core/engine"

// Settled returns the Settle effect of a call among the last effects, nil if
// there is none.
func (w *World[M]) Settled(id engine.CallID) *engine.Effect {
	for i := range w.Effects {
		if e := &w.Effects[i]; e.Kind == engine.Settle && e.C == id {
			return e
		}
	}
	return nil
}

// Delivered returns the payloads of a call's events of one kind among the
// last effects.
func (w *World[M]) Delivered(id engine.CallID, kind engine.EventKind) []string {
	var list []string
	for _, e := range w.Effects {
		if e.Kind == engine.Deliver && e.C == id && e.Event == kind {
			list = append(list, string(e.Data))
		}
	}
	return list
}

// Emitted reports whether the last effects hold one of that kind for x.
func (w *World[M]) Emitted(kind engine.Kind, x engine.ExchangeID) bool {
	for _, e := range w.Effects {
		if e.Kind == kind && e.X == x {
			return true
		}
	}
	return false
}

// NextDeadline returns how many ms from now the client's deadline is, -1 for none.
// One that has passed is due now, as the driver has it.
func (w *World[M]) NextDeadline() int64 {
	at, ok := w.Client.Deadline()
	if !ok {
		return -1
	}
	return max(int64(at-w.Now), 0)
}
