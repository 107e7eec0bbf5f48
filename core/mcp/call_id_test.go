package mcp

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/link"
)

// TestRequestIDs: calls are counted, and their requests have ids of the client's
// epoch, which is brought below its limit.
func TestRequestIDs(t *testing.T) {
	c := New(Config{Epoch: link.EpochLimit + 5})
	for n := uint64(1); n <= 3; n++ {
		if call, id := c.newID(); uint64(call) != n || uint64(id) != 5<<24+n {
			t.Errorf("call %d has id %d", call, id)
		}
	}
}
