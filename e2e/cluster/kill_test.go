package cluster_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

// once checks what a call did to the world.
func once(t *testing.T, w *rig.World, label string, steps int) rig.Deeds {
	t.Helper()
	d := w.Of(label)
	// A node may end before its tool begins: then the one that goes on with the call is the first.
	if d.Began > 1 || d.Began+d.Continued == 0 {
		t.Errorf("%s was begun %d times, and gone on with %d times", label, d.Began, d.Continued)
	}
	if len(d.Steps) != steps {
		t.Errorf("%s has done steps %v, want %d", label, d.Steps, steps)
	}
	return d
}

// TestFault420_NodeKilled: the node that runs a call is killed in the middle of it, by SIGKILL. Another one
// goes on with it behind what was said, and the client hears everything once, on one call.
func TestFault420_NodeKilled(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 4)
	id := client.Count("a", 8)
	client.AwaitProgress(id, 3)
	c.World.Await("a")
	victim := c.Running("a")
	victim.Kill()
	c.World.Release("a")
	client.Whole(id, 8)
	if d := once(t, c.World, "a", 8); d.Continued == 0 {
		t.Error("no node has gone on with it")
	}
	// The session has survived the node that made it: the next call works in it.
	victim.Start()
	client.Whole(client.Count("b", 3), 3)
	once(t, c.World, "b", 3)
}

// TestFault421_CallThatCannotGoOn: the same with a tool that cannot go on elsewhere. The store says so: the
// call ends with an error that says what is known, and is not run again.
func TestFault421_CallThatCannotGoOn(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 2)
	id := client.Call("ship", map[string]any{"label": "a", "n": 3})
	client.AwaitProgress(id, 1)
	c.World.Await("a")
	c.Running("a").Kill()
	c.World.Release("a")
	if how, text := client.Outcome(id); how != "error" ||
		!strings.Contains(text, "nobody knows how far it got") {
		t.Errorf("ended with %s: %s", how, text)
	}
	if d := c.World.Of("a"); d.Began != 1 || d.Continued != 0 {
		t.Errorf("the world: %+v", d)
	}
}

// TestFault422_RollingRestart: all nodes are restarted one by one, in order, while calls run on each.
func TestFault422_RollingRestart(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	labels := []string{"a", "b", "c", "d", "e", "f"}
	ids := rig.Calls{}
	for _, label := range labels {
		c.World.Hold(label, 3)
		ids[label] = client.Count(label, 6)
	}
	for _, label := range labels {
		client.AwaitProgress(ids[label], 2)
	}
	for i, p := range c.Nodes {
		epochs := map[string]int{}
		for _, label := range labels {
			if c.Running(label) == p {
				epochs[label] = c.World.Of(label).Epoch
			}
		}
		p.Leave()
		// another one goes on before the next restart, which it may be the victim of
		for label, epoch := range epochs {
			c.World.AwaitEpoch(label, epoch+1)
		}
		p.Start()
		for _, label := range labels { // each call moves, and the page is back, before the next one
			c.World.Hold(label, 4+i)
			client.AwaitProgress(ids[label], 3+i)
		}
	}
	for _, label := range labels {
		c.World.Release(label)
	}
	for _, label := range labels {
		client.Whole(ids[label], 6)
		once(t, c.World, label, 6)
	}
	if requests, nodes := c.Took(); nodes != 3 {
		t.Errorf("%d requests went to %d nodes", requests, nodes)
	}
}

// TestFault423_Partition: a node is cut off from the store, and does not know whether it is dead. It gives
// its calls up before the others go on with them, and what it still does is refused.
func TestFault423_Partition(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 4)
	id := client.Count("a", 8)
	client.AwaitProgress(id, 3)
	c.World.Await("a")
	cut := c.Running("a")
	cut.Link.Cut()
	c.World.AwaitEpoch("a", 2) // another one goes on
	cut.AwaitGivenUp()
	c.World.Release("a")
	client.Whole(id, 8)
	once(t, c.World, "a", 8)
	cut.Link.Mend()
	servesAgain(t, c, client)
}

// servesAgain has a node that was away, and is back, serve its part of some more calls.
func servesAgain(t *testing.T, c *rig.Cluster, client *rig.Client) {
	t.Helper()
	for i := range 4 {
		label := string(rune('b' + i))
		client.Whole(client.Count(label, 2), 2)
		once(t, c.World, label, 2)
	}
}

// TestFault363_SilentNetwork: the network between a node and the store brings nothing, and tells nobody; an
// event is on its way. Another node goes on. Then the network brings the event: it is refused, for the other
// node has said the same by now.
func TestFault363_SilentNetwork(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 4)
	id := client.Count("a", 8)
	client.AwaitProgress(id, 3)
	c.World.Await("a")
	away := c.Running("a")
	away.Link.Silence()
	c.World.Hold("a", 5) // it does step 4, and says so
	c.World.AwaitEpoch("a", 2)
	away.AwaitGivenUp()
	client.AwaitProgress(id, 4) // by way of another node
	away.Link.Mend()
	c.World.Release("a")
	client.Whole(id, 8)
	if d := once(t, c.World, "a", 8); d.Steps[4] != 2 {
		t.Errorf("steps %v, want the fourth done by both nodes", d.Steps)
	}
	servesAgain(t, c, client)
}

// TestFault361_ProcessStopped: the process of the node that runs a call is stopped, until another has taken
// the call over, and goes on: a machine that was moved does that. Its tool is told to stop, before it says
// anything more.
func TestFault361_ProcessStopped(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 4)
	id := client.Count("a", 8)
	client.AwaitProgress(id, 3)
	c.World.Await("a")
	stopped := c.Running("a")
	c.Serve(stopped) // the balancer sees that it does not answer
	stopped.Stop()
	c.World.AwaitEpoch("a", 2)
	c.World.AwaitWaiting("a", 2)
	stopped.Continue()
	c.World.AwaitWaiting("a", 1)
	c.World.Release("a")
	client.Whole(id, 8)
	if d := once(t, c.World, "a", 8); d.Stale != 0 {
		t.Errorf("the world had to refuse %d steps of the node that was stopped", d.Stale)
	}
}

// TestReloads: the page is reloaded again and again while nodes are killed.
func TestReloads(t *testing.T) {
	if testing.Short() {
		t.Skip("make cluster plays it")
	}
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 4)
	id := client.Count("a", 8)
	client.AwaitProgress(id, 3)
	client = client.Reload()
	client.AwaitProgress(client.Find("a"), 3)
	c.World.Await("a")
	c.Running("a").Kill()
	client = client.Reload()
	c.World.Release("a")
	client.Whole(client.Find("a"), 8)
	once(t, c.World, "a", 8)
}

// TestFault426_NodeKilledModern: under 2026-07-28 the Go SDK has neither sessions nor tasks, and a call is
// its connection. It ends as of unknown outcome, and is not run again; the next call comes to another node.
func TestFault426_NodeKilledModern(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.ConnectIn(t, c.URL, "2026-07-28")
	c.World.Hold("a", 3)
	id := client.Count("a", 6)
	client.AwaitProgress(id, 2)
	c.World.Await("a")
	c.Running("a").Kill()
	if how, text := client.Outcome(id); how != "failure" || !strings.Contains(text, "outcome_unknown") {
		t.Errorf("ended with %s: %s", how, text)
	}
	for _, label := range []string{"b", "c", "d"} {
		client.Whole(client.Count(label, 2), 2)
		once(t, c.World, label, 2)
	}
	if d := c.World.Of("a"); d.Began != 1 || d.Continued != 0 {
		t.Errorf("the world: %+v", d)
	}
}
