//go:build !js

package mcp_test

import (
	"os"
	"strconv"
	"testing"
)

// slow divides what a test does where it runs several times slower.
const slow = 1

// seeds returns the first seed of random histories and how many there are.
// HOLDFAST_SEED=n plays history n alone; HOLDFAST_HISTORIES=n plays n of them.
func seeds(t *testing.T, count uint64) (first, n uint64) {
	t.Helper()
	number := func(name string, otherwise uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	if os.Getenv("HOLDFAST_SEED") != "" {
		return number("HOLDFAST_SEED", 1), 1
	}
	return 1, number("HOLDFAST_HISTORIES", count)
}
