package engine

// Transitions says of each state of a machine, of which there are 16 at most, which may
// follow it: bit n for state n. It is written with constants (1<<a | 1<<b), so that it is
// data and no code.
type Transitions [16]uint16

// May reports whether next may follow from. To stay where it is, a machine always may.
func (table *Transitions) May(from, next uint8) bool {
	return from == next || table[from&15]>>(next&15)&1 != 0
}

// Enter has a machine in another state. One that may not follow is counted in illegal: a
// defect, which a page survives and a test does not. All machines of the core share it.
func Enter[S ~uint8](t *Transitions, state *S, next S, illegal *uint32) {
	if !t.May(uint8(*state), uint8(next)) {
		*illegal++
	}
	*state = next
}
