package engine_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestEnter: what may follow is entered silently, staying included; what may not is
// entered, and counted.
func TestEnter(t *testing.T) {
	type state uint8
	const (
		first state = iota
		second
		last state = 15
	)
	table := engine.Transitions{first: 1 << second, second: 1 << last}
	now, illegal := first, uint32(0)
	for i, step := range []struct {
		next state
		want uint32
	}{{first, 0}, {second, 0}, {last, 0}, {last, 0}, {first, 1}, {last, 2}} {
		if engine.Enter(&table, &now, step.next, &illegal); now != step.next || illegal != step.want {
			t.Errorf("step %d: in state %d, %d illegal, want %d, %d", i, now, illegal, step.next, step.want)
		}
	}
}
