package cluster_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

// report calls the tool that is a task under 2026-07-28, and returns once the client knows the task.
func report(t *testing.T, c *rig.Cluster, client *rig.Client, label string, n int) engine.CallID {
	t.Helper()
	id := client.Call("report", map[string]any{"label": label, "n": n})
	client.AwaitTask(id)
	c.World.Await(label)
	return id
}

// ended checks that a task has ended with its result, and what it did to the world.
func ended(t *testing.T, c *rig.Cluster, client *rig.Client, id engine.CallID, label string, n int) {
	t.Helper()
	if how, text := client.Outcome(id); how != "result" || !strings.Contains(text, label+": ") {
		t.Errorf("ended with %s: %s", how, text)
	}
	once(t, c.World, label, n)
}

// TestFault434_TaskOnAnotherNode: under 2026-07-28 a tool is served as a task. The node that has made it, and
// runs it, is killed; the page is reloaded; other nodes are asked. One goes on with the work, and whichever
// is asked after that has the result.
func TestFault434_TaskOnAnotherNode(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.ConnectIn(t, c.URL, "2026-07-28")
	c.World.Hold("a", 3)
	id := report(t, c, client, "a", 5)
	victim := c.Running("a")
	victim.Kill()
	client = client.Reload()
	id = client.Find("a")
	c.World.AwaitEpoch("a", 2)
	c.World.Release("a")
	ended(t, c, client, id, "a", 5)

	// Its work is done, and the node that did it is killed: the others know what it has come to.
	c.World.Hold("b", 2)
	id = report(t, c, client, "b", 2)
	victim.Start()
	runs := c.Running("b")
	c.Serve(runs) // nobody asks it
	c.World.Release("b")
	ended(t, c, client, id, "b", 2)
}

// TestTaskCancelled: the cancellation comes to a node that does not run the task. The tool hears of it.
func TestTaskCancelled(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{Lease: unhurried})
	client := rig.ConnectIn(t, c.URL, "2026-07-28")
	c.World.Hold("a", 1)
	id := report(t, c, client, "a", 3)
	c.Serve(c.Running("a"))
	client.Input(func(m *mcp.Client, now engine.Time) { m.Cancel(now, id, "enough") })
	if how, text := client.Outcome(id); how != "failure" || !strings.Contains(text, "cancelled") {
		t.Errorf("ended with %s: %s", how, text)
	}
	c.World.AwaitWaiting("a", 0)
	if d := c.World.Of("a"); d.Began != 1 || len(d.Steps) != 0 {
		t.Errorf("the world: %+v", d)
	}
}

// TestTaskOfAnother: nobody gets a task by another id, whatever node is asked, and the answer says no more
// than that.
func TestTaskOfAnother(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{Lease: unhurried})
	client := rig.ConnectIn(t, c.URL, "2026-07-28")
	for _, method := range []string{"tasks/get", "tasks/cancel"} {
		var id engine.CallID
		client.Input(func(m *mcp.Client, now engine.Time) {
			id = m.Call(now, method, []byte(`{"taskId":"made up"}`), mcp.CallOptions{})
		})
		how, text := client.Outcome(id)
		var said struct{ Code int }
		if json.Unmarshal([]byte(text), &said) != nil || how != "error" || said.Code != -32602 {
			t.Errorf("%s: ended with %s: %s", method, how, text)
		}
	}
}
