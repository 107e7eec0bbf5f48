//go:build !js

package mcp_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 439: what an app has seen as the time of a call's making is that time after a reload,
// by whichever clock its page goes. One that a set clock has put elsewhere is not believed: by it the
// record is aged.
func TestFault439_RestoredWhenItWasMade(t *testing.T) {
	const wall = 1_700_000_000_000
	for _, made := range []struct{ said, want string }{
		{"-3", "-3"}, {"+2", "+2"}, {"-300000", "-300000"}, {"+1001", "0"}, {"-600000", "0"}, {"none", "0"},
	} {
		w := coretest.NewMCP(t, mcp.Config{Journal: true, Wall: wall})
		w.Handshake("2025-11-25")
		offset := map[string]int64{"-3": -3, "+2": 2, "-300000": -300_000, "+1001": 1_001,
			"-600000": -600_000}
		options := mcp.CallOptions{Durable: true, Made: wall + int64(w.Now) + offset[made.said]}
		if made.said == "none" {
			options.Made = 0
		}
		want := wall + int64(w.Now) + offset[made.want]
		w.Call("tools/call", `{"name":"t"}`, options)
		w.Stored(journal.ResultOK, 0) // the session
		w.Stored(journal.ResultOK, 0)
		recalled := ""
		for _, e := range w.Reload() {
			if e.Kind == engine.Recall {
				recalled = string(e.Data)
			}
		}
		if !strings.Contains(recalled, `"createdAt":`+strconv.FormatInt(want, 10)+`,`) {
			t.Errorf("said %s: recalled as %s, want %d", made.said, recalled, want)
		}
	}
}
