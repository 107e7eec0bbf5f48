//go:build !js

package demosite

import (
	"fmt"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// Gates where the tools of /resume stop before each step while a test holds them
// (peer.Peer.Hold); else everything passes.
const (
	GateSounding = "sounding"
	GateTow      = "tow"
)

// stride is the time from one step of these tools to the next.
const stride = 800 * time.Millisecond

// newResume is a server of 2025-11-25 that has two ways to go on with a call: a
// resume policy (SEP-975), and tasks with tasks/continue (SEP-2339). Neither ends
// with its session, nor when the server restarts.
func newResume() *peer.Peer {
	p := peer.Mounted(peer.Options{
		Path: "/resume", Title: "Holdfast resuming server",
		Instructions: "One tool gives a token for its call, the other makes a task of it. Either call " +
			"outlives its session.",
	})
	p.Tasks(peer.TaskServer{Ways: peer.ByGet | peer.ByContinue, Durable: true})
	p.Release(GateSounding)
	p.Release(GateTow)
	addSounding(p)
	addTow(p)
	return p
}

// soundings are so many that a person has the time to reload in the middle.
const soundings = 20

// addSounding adds a call that its token resumes.
func addSounding(p *peer.Peer) {
	p.ToolFunc("sound_channel", func(peer.Call) peer.Script {
		script := peer.Script{peer.Open()}
		begun := p.Now()
		for i := range soundings {
			n := i + 1
			depth := 9.4 - 0.3*float64((i*7)%11)
			script = append(script,
				peer.Until(begun.Add(time.Duration(n)*stride)), peer.Gate(GateSounding),
				peer.Progress(float64(n), soundings, fmt.Sprintf("sounding %d: %.1f m", n, depth)))
		}
		return append(script, peer.Text("The channel is sounded: 6.4 m at the shallowest."))
	},
		peer.Describe("Sound the channel",
			"Takes twenty soundings. The server gives a token by which the call can be resumed (SEP-975)."),
		peer.Resumable(peer.ResumePolicy{MaxWait: 600, Keeps: peer.Unconfirmed, Outlives: true}))
}

// buoys are where the tow is told of.
var buoys = []string{
	"Outer mark", "Cutter rock", "North spit", "Old wreck", "Middle ground", "Bell buoy",
	"Inner mark", "Ferry lane", "Coal pier", "Fish market", "Turning basin", "Town quay",
}

// addTow adds a call that becomes a task.
func addTow(p *peer.Peer) {
	p.ToolFunc("tow_barge", func(peer.Call) peer.Script {
		var script peer.Script
		begun := p.Now()
		for i, buoy := range buoys {
			script = append(script,
				peer.Until(begun.Add(time.Duration(i+1)*stride*3/2)), peer.Gate(GateTow),
				peer.Note(fmt.Sprintf("%s, %d of %d", buoy, i+1, len(buoys))))
		}
		return append(script, peer.Until(begun.Add(time.Duration(len(buoys)+1)*stride*3/2)),
			peer.Text("The barge is at the quay."))
	}, peer.Describe("Tow the barge", "Passes twelve marks. The server makes a task of the call, and is "+
		"asked for it by tasks/continue (SEP-2339)."),
		peer.AsTask(peer.TaskPolicy{Support: "required", Poll: 600, TTL: int(time.Hour.Milliseconds())}))
}
