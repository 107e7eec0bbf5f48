package durable

import "slices"

// MayFollow reports whether some change of a store leads from one state to the other.
func MayFollow(from, next int) bool { return slices.Contains(states[from][:], State(next)) }
