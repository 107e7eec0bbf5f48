package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestTwoHoldAStream: the app looks elsewhere, and the host has no connection. Each
// takes back only what it has said itself: the stream comes when neither holds it.
func TestTwoHoldAStream(t *testing.T) {
	for _, test := range []struct {
		steps  string
		opened int // streams, with the first
		parked int // times that the app was told
	}{
		{"park", 1, 1},
		{"hold", 1, 1},
		{"park unpark", 2, 1},
		{"hold release", 2, 1},
		{"park park unpark", 2, 1},
		{"hold hold release", 2, 1},
		{"unpark release", 1, 0},
		{"park release", 1, 1},
		{"hold unpark", 1, 1},
		{"park hold unpark", 1, 2},
		{"park hold release", 1, 2},
		{"hold park unpark", 1, 2},
		{"hold park release", 1, 2},
		{"park hold unpark release", 2, 2},
		{"park hold release unpark", 2, 2},
		{"hold park unpark release", 2, 2},
		{"hold park release unpark", 2, 2},
		{"park unpark park", 2, 2},
		{"hold release hold", 2, 2},
	} {
		o := connected(t, mcp.Config{}).primed("p")
		o.progress(1)
		opened := 1
		for _, step := range strings.Fields(test.steps) {
			o.input(step, func(c *mcp.Client, now engine.Time) {
				switch step {
				case "park", "unpark":
					c.Park(now, o.c, step == "park")
				default:
					c.Hold(now, o.c, step == "hold")
				}
			})
			if x, _ := o.nextFetch(1_000); x != 0 {
				opened++
				o.Head(x, 200, "content-type", coretest.Stream)
			}
		}
		parked := 0
		for _, e := range o.call(o.c).events {
			if e.Event == engine.EventStatus && strings.Contains(string(e.Data), `"parked"`) {
				parked++
			}
		}
		if opened != test.opened || parked != test.parked {
			o.fatal("%s: %d streams, want %d; parked %d times, want %d", test.steps, opened, test.opened,
				parked, test.parked)
		}
	}
}
