//go:build !js

package mcp_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// slow divides what a test does where it runs several times slower.
const slow = 1

// seeds returns the first seed of random histories and how many there are.
// HOLDFAST_SEED=n plays history n alone; HOLDFAST_HISTORIES=n plays n of them, from
// HOLDFAST_FIRST on.
func seeds(t *testing.T, count uint64) (first, n uint64) {
	t.Helper()
	if seed, ok := setting(t, "HOLDFAST_SEED"); ok {
		return seed, 1
	}
	first = 1
	if given, ok := setting(t, "HOLDFAST_FIRST"); ok {
		first = given
	}
	if given, ok := setting(t, "HOLDFAST_HISTORIES"); ok {
		count = given
	}
	return first, count
}

// sampled returns which of many cases a test plays: every one of so many, from a random
// one on. HOLDFAST_EVERY=1 plays all of them, HOLDFAST_SEED=n those from n on.
func sampled(t *testing.T, every int) (first, step int) {
	t.Helper()
	if given, ok := setting(t, "HOLDFAST_EVERY"); ok {
		every = max(int(given), 1)
	}
	seed := rand.Uint64() >> 32
	if given, ok := setting(t, "HOLDFAST_SEED"); ok {
		seed = given
	}
	first = int(seed % uint64(every))
	t.Logf("HOLDFAST_SEED=%d: one of %d", first, every)
	return first, every
}

func setting(t *testing.T, name string) (n uint64, given bool) {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n, true
}
