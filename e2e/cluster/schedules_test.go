package cluster_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

var (
	schedules = flag.Int("schedules", 1, "how many random schedules of faults are played")
	first     = flag.Int64("first", 0, "the seed of the first one; 0 for the clock's")
)

// TestSchedules plays faults at random while calls run: kills, restarts in order, partitions, processes that
// are stopped, page loads. Each fault is followed by a call more, so that there are always some under way;
// what follows when is decided by the seed alone, and how far the calls are by then is the machine's. Where
// the seed is a multiple of 5 the store is a cluster of three, whose leader crashes, or is cut off, too.
// Control: each call has a label, and the world counts.
func TestSchedules(t *testing.T) {
	if testing.Short() {
		t.Skip("make cluster plays them")
	}
	seed := *first
	if seed == 0 {
		seed = time.Now().UnixNano() % 1_000_000
	}
	for i := range *schedules {
		t.Run(fmt.Sprint("seed ", seed+int64(i)), func(t *testing.T) { schedule(t, uint64(seed)+uint64(i)) })
	}
}

const (
	faults = 8
	steps  = 12
)

// tally is what a schedule came to. Again are steps that were done by two nodes: the first was killed between
// the step and the event that tells of it. A tool's steps have to be such that the world can tell (here by
// their numbers). Refused are calls that no node took, since none had a lease just then (503): the app makes
// such a call once more.
type tally struct {
	kills, leaves, cuts, silences, stops, reloads, crashes, parted int
	calls, refused, events, takeovers, again                       int
}

func schedule(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 21))
	replicated := seed%5 == 0
	c := rig.Start(t, rig.Options{Replicated: replicated})
	client := rig.Connect(t, c.URL)
	js := embedded.Connect(t, c.Store)
	var n tally
	var labels []string
	call := func() {
		step := 2 + random.IntN(steps-1)
		for {
			label := fmt.Sprintf("call-%d", len(labels)+n.refused)
			c.World.Hold(label, step)
			if !client.Refused(client.Count(label, steps)) {
				labels = append(labels, label) // its stream has an id, and the page has it
				return
			}
			if n.refused++; c.World.Of(label).Began > 0 {
				t.Fatalf("%s was refused, and has begun", label)
			}
			c.AwaitServing()
		}
	}
	call()
	call()
	for range faults {
		p := c.Nodes[random.IntN(len(c.Nodes))]
		kinds := 6
		if replicated {
			kinds = 8
		}
		switch random.IntN(kinds) {
		case 0, 1:
			p.Kill()
			p.Start()
			n.kills++
		case 2:
			p.Leave()
			p.Start()
			n.leaves++
		case 3:
			if random.IntN(2) == 0 {
				p.Link.Cut()
				n.cuts++
			} else {
				p.Link.Silence() // what it has said meanwhile arrives late
				n.silences++
			}
			call()                                  // by way of the others
			if random.IntN(2) == 0 && !replicated { // else it goes around
				p.AwaitGivenUp()
			}
			p.Link.Mend()
		case 4:
			client = client.Reload()
			n.reloads++
		case 5:
			c.Serve(p) // the balancer sees that it does not answer
			p.Stop()
			call()
			p.Continue()
			c.Serve(nil)
			n.stops++
		case 6:
			leader := embedded.LeaderOf(t, js, events)
			c.Stores.Kill(leader)
			call() // once the others have a leader
			c.Stores.Start(leader)
			n.crashes++
		case 7:
			c.Stores.Part(embedded.LeaderOf(t, js, events))
			call()
			c.Stores.Mend()
			n.parted++
		}
		c.World.Release(labels[random.IntN(len(labels))])
		call()
	}
	for _, label := range labels {
		c.World.Release(label)
	}
	client = client.Reload()
	n.reloads++
	n.calls = len(labels)
	var all sync.WaitGroup
	for _, label := range labels {
		all.Go(func() {
			client.Whole(client.Find(label), steps)
		})
	}
	all.Wait()
	for _, label := range labels {
		d := once(t, c.World, label, steps)
		n.takeovers += d.Continued
		for _, times := range d.Steps {
			n.again += times - 1
		}
	}
	n.events = n.calls * steps
	t.Logf("%+v", n)
	for i, p := range c.Nodes {
		if strings.Contains(p.Log(), "panic") {
			t.Errorf("node %d: %s", i, p.Log())
		}
	}
}
