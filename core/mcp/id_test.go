package mcp

import "testing"

// TestRequestIDs: an id is the epoch and a counter. It stays below 2^53, where
// JavaScript's numbers are exact, and a full counter moves on to the next epoch.
func TestRequestIDs(t *testing.T) {
	c := New(Config{Epoch: 5})
	for n := uint64(1); n <= 3; n++ {
		if call, id := c.newID(); uint64(call) != n || uint64(id) != 5<<24+n {
			t.Errorf("call %d has id %d", call, id)
		}
	}
	c.CounterIs(EpochLimit-1, 1<<24-2)
	if _, id := c.newID(); uint64(id) != 1<<53-1 {
		t.Errorf("the last id is %d", id)
	}
	if call, id := c.newID(); uint64(id) != 1 || call != 5 {
		t.Errorf("after the last id comes %d, of call %d", id, call)
	}
	if c := New(Config{Epoch: EpochLimit + 3}); c.epoch != 3 {
		t.Errorf("an epoch over the limit becomes %d", c.epoch)
	}
}
