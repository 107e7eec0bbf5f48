package cluster_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

// TestFault424_LeaderKilled: the store is a cluster of three, and the server that leads the stream of events is ended while calls
// run. An election takes NATS some seconds; appends wait for it, and nothing is lost.
func TestFault424_LeaderKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("an election takes NATS up to ten seconds")
	}
	c := rig.Start(t, rig.Options{Replicated: true})
	client := rig.Connect(t, c.URL)
	labels := []string{"a", "b", "c"}
	ids := rig.Calls{}
	for _, label := range labels {
		c.World.Hold(label, 3)
		ids[label] = client.Count(label, 8)
		client.AwaitProgress(ids[label], 2)
	}
	js := embedded.Connect(t, c.Store)
	leader := embedded.LeaderOf(t, js, "MCP-events")
	c.Stop(leader)
	for _, label := range labels {
		c.World.Release(label)
	}
	for _, label := range labels {
		client.Whole(ids[label], 8)
		once(t, c.World, label, 8)
	}
	if now := embedded.LeaderOf(t, js, "MCP-events"); now == leader {
		t.Errorf("%s leads still", now)
	}
	client.Whole(client.Count("after", 3), 3)
	once(t, c.World, "after", 3)
}
