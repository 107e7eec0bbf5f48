package link

import "testing"

// TestRequestIDs: an id is the epoch and a counter. It stays below 2^53, where
// JavaScript's numbers are exact, and a full counter moves on to the next epoch.
func TestRequestIDs(t *testing.T) {
	r := RequestIDs{Epoch: 5}
	for n := uint64(1); n <= 3; n++ {
		if id := r.Next(); id != 5<<24+n || !r.Own(id) {
			t.Errorf("id %d is %d", n, id)
		}
	}
	r = RequestIDs{Epoch: EpochLimit - 1, counter: 1<<24 - 2}
	if id := r.Next(); id != 1<<53-1 {
		t.Errorf("the last id is %d", id)
	}
	if id := r.Next(); id != 1 || r.Own(1<<53-1) {
		t.Errorf("after the last id comes %d", id)
	}
}
