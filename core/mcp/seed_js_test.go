//go:build js

package mcp_test

import "testing"

// slow divides what a test does where it runs several times slower.
const slow = 20

// seeds returns the first seed of random histories and how many there are. A
// browser has no environment to ask.
func seeds(_ *testing.T, count uint64) (first, n uint64) { return 1, count / slow }

// sampled returns which of many cases a test plays: one of so many.
func sampled(_ *testing.T, every int) (first, step int) { return 0, every }
