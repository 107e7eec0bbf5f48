package cluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

// asked checks how a call of the tool ask has ended, and that the person was asked each thing once.
func asked(t *testing.T, c *rig.Cluster, client *rig.Client, id engine.CallID, text string, n int) {
	t.Helper()
	if how, got := client.Outcome(id); how != "result" || !strings.Contains(got, text) {
		t.Errorf("ended with %s: %s, want %q", how, got, text)
	}
	if questions := rig.Questions(client.Effects(), id); len(questions) != n {
		t.Errorf("the person was asked %d times, want %d", len(questions), n)
	}
	once(t, c.World, "a", n)
	noAnswers(t, c)
}

// noAnswers waits until the store has no answers any more.
func noAnswers(t *testing.T, c *rig.Cluster) {
	t.Helper()
	records, err := embedded.Connect(t, c.Store).Stream(t.Context(), "MCP-records")
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-tick.C {
		info, err := records.Info(t.Context(), jetstream.WithSubjectFilter("MCP.records.answers.>"))
		if err != nil {
			t.Fatal(err)
		}
		if len(info.State.Subjects) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d answers stay in the store", len(info.State.Subjects))
		}
	}
}

// TestFault432_AnswerElsewhere: a tool asks the person, and the answer comes to a node that does not run the
// call.
func TestFault432_AnswerElsewhere(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{Lease: unhurried})
	client := rig.Connect(t, c.URL)
	id := client.Call("ask", map[string]any{"label": "a", "n": 2})
	first := client.AwaitQuestion(id, 1)
	c.Serve(c.Running("a"))
	client.Answer(first, "yes")
	client.Answer(client.AwaitQuestion(id, 2), "no")
	asked(t, c, client, id, "a: yes no 2 steps", 2)
}

// TestFault433_NodeKilledWhileItAsks: the node is killed whose tool waits for the person. The next one waits
// for the same answer: whether it comes before another node has taken the call over, or after that, the
// person is asked once.
func TestFault433_NodeKilledWhileItAsks(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{})
	client := rig.Connect(t, c.URL)
	id := client.Call("ask", map[string]any{"label": "a", "n": 3})
	client.Answer(client.AwaitQuestion(id, 1), "one")

	second := client.AwaitQuestion(id, 2)
	victim := c.Running("a")
	victim.Kill()
	client.Answer(second, "two") // nobody runs the call

	third := client.AwaitQuestion(id, 3)
	victim.Start()
	c.Running("a").Kill()
	c.World.AwaitEpoch("a", 3) // another one waits for the answer
	client.Answer(third, "three")
	asked(t, c, client, id, "a: one two three 3 steps", 3)
}
