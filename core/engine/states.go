package engine

// States is a set of states of one machine, of which there are 16 at most.
type States uint16

// StatesOf returns the set of these states.
func StatesOf[S ~uint8](states ...S) States {
	var set States
	for _, s := range states {
		set |= 1 << s
	}
	return set
}

// Transitions says of each state which may follow it.
type Transitions[S ~uint8] []States

// May reports whether next may follow from. To stay where it is, a machine always may.
func (t Transitions[S]) May(from, next S) bool { return from == next || t[from]&(1<<next) != 0 }
