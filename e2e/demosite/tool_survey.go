//go:build !js

package demosite

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// GateSurvey is where the report stops before each part while a test holds it
// (peer.Peer.Hold); else everything passes.
const GateSurvey = "survey"

// addSurvey adds a report that comes part by part. On its way some parts are lost
// and some come twice.
func addSurvey(p *peer.Peer) {
	p.Release(GateSurvey)
	p.ToolFunc("survey_shore", func(c peer.Call) peer.Script {
		in := struct{ Parts, DelayMs int }{24, 450}
		json.Unmarshal(c.Arguments, &in)
		in.Parts, in.DelayMs = min(max(in.Parts, 1), 60), min(max(in.DelayMs, 0), 10_000)
		script := peer.Script{peer.Prime(0), peer.Progress(0, float64(in.Parts), "")}
		begun := p.Now()
		for i := range in.Parts {
			n := i + 1
			script = append(script,
				peer.Gate(GateSurvey),
				peer.Until(begun.Add(time.Duration(n*in.DelayMs)*time.Millisecond)),
				peer.TextSegment(fmt.Sprintf("%s: %s", places[i%len(places)],
					finds[(i*5+i/len(places))%len(finds)])))
			if twice(n) {
				script = append(script, peer.Send(n))
			}
		}
		return append(script, peer.Merged(`"isError":false`))
	}, peer.ReadOnly, peer.Describe("Survey the shore", "Writes a report in numbered parts. Some are lost on their way, and some come twice."), peer.Schema(`{"type":"object","properties":{
		"parts":{"type":"integer","title":"Parts","minimum":1,"maximum":60,"default":24},
		"delayMs":{"type":"integer","title":"Delay","description":"Milliseconds before each part.","minimum":0,"maximum":10000,"default":450}}}`),
		longWork(&peer.Streaming{Lanes: func(peer.Call) func(int) peer.Lane {
			return func(n int) peer.Lane {
				if lost(n) {
					return peer.Fetch
				}
				return peer.Push
			}
		}}))
}

// lost parts are not on the stream: two holes, of one and of two parts, in
// every 24. They are there for whoever asks for them.
func lost(n int) bool {
	n %= 24
	return n == 5 || n == 14 || n == 15
}

// twice come those that are sent again at once.
func twice(n int) bool {
	n %= 24
	return n == 3 || n == 11 || n == 22
}

var places = []string{
	"The jetty", "North rocks", "The long pool", "Below the light", "The sand bar", "The old slip",
	"South rocks", "The mussel bed", "The sluice", "Gull ledge", "The kelp line", "The river mouth",
}

var finds = []string{
	"limpets in four rows, none of them moving.", "two shore crabs, one without a claw.",
	"a starfish with five and a half arms.",
	"beadlet anemones, closed until the tide is back.", "kelp torn loose by the last storm.",
	"a blenny that hides as soon as a shadow falls.",
	"barnacles on everything that stands still.",
}
