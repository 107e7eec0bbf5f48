//go:build !js

package demosite

import (
	"fmt"
	"math"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// readings is how often the tide is read, once a minute.
const readings = 60

// addTide adds work that takes an hour, by the server's own clock.
func addTide(p *peer.Peer) {
	p.ToolFunc("watch_tide", func(peer.Call) peer.Script {
		begun := p.Now()
		script := peer.Script{peer.Prime(0), peer.Progress(0, readings, "")}
		for i := range readings {
			height := 2.6 + 1.9*math.Sin(float64(i)*math.Pi/372) // half a tide in 6 h 12 min
			script = append(script, peer.Until(begun.Add(time.Duration(i)*time.Minute)),
				peer.TextSegment(fmt.Sprintf("minute %d: %.2f m, rising", i, height)))
		}
		return append(script, peer.Until(begun.Add(readings*time.Minute)), peer.Merged(`"isError":false`))
	}, peer.ReadOnly, peer.Describe("Watch the tide for an hour",
		"Reads the tide once a minute, for an hour. Whoever started it need not stay."),
		longWork(&peer.Streaming{}))
}
