package cluster_test

import (
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

// The store is a cluster of three servers here, each a process of its own.

const events = "MCP-events" // the stream of JetStream's

// elections skips a story that waits for one.
func elections(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("an election takes NATS up to ten seconds")
	}
}

// replicated starts a cluster with three calls that stop before their step 3.
func replicated(t *testing.T) (c *rig.Cluster, client *rig.Client, ids rig.Calls) {
	t.Helper()
	elections(t)
	c = rig.Start(t, rig.Options{Replicated: true})
	client = rig.Connect(t, c.URL)
	ids = rig.Calls{}
	for _, label := range []string{"a", "b", "c"} {
		c.World.Hold(label, 3)
		ids[label] = client.Count(label, 8)
		client.AwaitProgress(ids[label], 2)
	}
	return c, client, ids
}

// whole lets the calls go on, and checks that each has ended with all its steps, once.
func whole(t *testing.T, c *rig.Cluster, client *rig.Client, ids rig.Calls) {
	t.Helper()
	for label := range ids {
		c.World.Release(label)
	}
	for label, id := range ids {
		client.Whole(id, 8)
		once(t, c.World, label, 8)
	}
}

// opened is the store as somebody sees it who is connected to these servers.
func opened(t *testing.T, url string, patience time.Duration) *jetstore.Store {
	t.Helper()
	kept, err := jetstore.Open(t.Context(), embedded.Connect(t, url),
		jetstore.Config{Replicas: 3, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kept.Close)
	return kept
}

// TestFault424_LeaderKilled: the server that leads the stream of events is ended in order while calls run.
// Appends wait for the next leader, and nothing is lost.
func TestFault424_LeaderKilled(t *testing.T) {
	c, client, ids := replicated(t)
	js := embedded.Connect(t, c.Store)
	leader := embedded.LeaderOf(t, js, events)
	c.Stores.Stop(leader)
	whole(t, c, client, ids)
	if now := embedded.LeaderOf(t, js, events); now == leader {
		t.Errorf("%s leads still", now)
	}
	client.Whole(client.Count("after", 3), 3)
	once(t, c.World, "after", 3)
}

// TestFault427_LeaderCrashes: the server that leads the stream of events is killed by SIGKILL while calls
// run: it hands nothing over. Started again it has to catch up: the next leader is killed, too, and then what
// it has is needed.
func TestFault427_LeaderCrashes(t *testing.T) {
	c, client, ids := replicated(t)
	js := embedded.Connect(t, c.Store)
	first := embedded.LeaderOf(t, js, events)
	c.Stores.Kill(first)
	whole(t, c, client, ids)
	c.Stores.Start(first)
	c.World.Hold("d", 3)
	more := rig.Calls{"d": client.Count("d", 8)}
	client.AwaitProgress(more["d"], 2)
	second := embedded.LeaderOf(t, js, events)
	c.Stores.Kill(second)
	if first == second {
		t.Fatalf("%s was started again, and leads: the second kill asks nothing of it", first)
	}
	whole(t, c, client, more)
}

// TestFault428_StorePartition: the server that leads is cut off from the other two, and lives: its clients
// reach it, and it takes itself for the leader for a while. The other two elect another. Nothing that only it
// has taken counts, and the node that is connected to it gives its calls up.
func TestFault428_StorePartition(t *testing.T) {
	c, client, ids := replicated(t)
	js := embedded.Connect(t, c.Store)
	c.Stores.Part(embedded.LeaderOf(t, js, events))
	whole(t, c, client, ids)
	c.Stores.Mend()
	client.Whole(client.Count("after", 3), 3)
	once(t, c.World, "after", 3)
}

// TestFault355_ConnectedToTheMinority: all nodes are connected to the server of the store that is cut off
// from the others, and lives. They do not wait for the network: they go on by way of another server, and the
// page's call with them.
func TestFault355_ConnectedToTheMinority(t *testing.T) {
	elections(t)
	c := rig.Start(t, rig.Options{Replicated: true, OneServer: true})
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 3)
	ids := rig.Calls{"a": client.Count("a", 8)}
	client.AwaitProgress(ids["a"], 2)
	c.Stores.Part("n1") // nothing is stored by way of it from here on
	whole(t, c, client, ids)
}

// TestFault429_NoMajority: all three servers of the store are cut off from each other. No append succeeds, so
// that the page hears nothing more, and its calls wait: none ends. With the network back each goes on where
// it was.
func TestFault429_NoMajority(t *testing.T) {
	c, client, ids := replicated(t)
	mine := store.Stream{Session: "the test's", Name: "one"}
	impatient := opened(t, c.Store, 3*time.Second).Log()
	c.Stores.PartAll()
	for label := range ids {
		c.World.Release(label)
	}
	if _, err := impatient.Append(t.Context(), mine, mine.Start(), "message", []byte("1")); store.CodeOf(
		err) != store.Unavailable {
		t.Errorf("an append without a majority: %v", err)
	}
	for label, id := range ids {
		if steps := rig.Progress(client.Effects(), id); len(steps) != 2 {
			t.Errorf("%s: without a majority the page has heard of steps %v", label, steps)
		}
		if client.Ended(id) {
			t.Errorf("%s has ended without a majority", label)
		}
	}
	c.Stores.Mend()
	whole(t, c, client, ids)
	// Nobody knew whether it got there. The same again is there once.
	patient := opened(t, c.Store, time.Minute).Log()
	if _, err := patient.Append(t.Context(), mine, mine.Start(), "message", []byte("1")); err != nil {
		t.Errorf("the same append again: %v", err)
	}
	if last, err := patient.Last(t.Context(), mine); err != nil || last.Number != 1 {
		t.Errorf("the same append again: %+v, %v", last, err)
	}
}

// TestFault431_LeaderThatIsNone: a leader that was cut off does not know of the next one, and answers whoever
// reaches it with what it had. A cursor of an event that the next leader has taken is not lost because of
// that, nor is a session: both are unavailable.
func TestFault431_LeaderThatIsNone(t *testing.T) {
	elections(t)
	stores := rig.NewStores(t)
	js := embedded.Connect(t, stores.Address("n1"))
	old := embedded.LeaderOf(t, js, events)
	before := opened(t, stores.Address(old), 3*time.Second)
	after := opened(t, stores.Address(stores.Another(old)), time.Minute)
	stream := store.Stream{Session: "s", Name: "one"}
	at, err := after.Log().Append(t.Context(), stream, stream.Start(), "message", []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	stores.Part(old)
	if at, err = after.Log().Append(t.Context(), stream, at, "message", []byte("2")); err != nil {
		t.Fatal(err)
	}
	key := store.Key{Kind: "sessions", Group: "all", ID: "s"}
	if _, err := after.Records().Put(t.Context(), key, []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	behind := func(kept *jetstore.Store) (err error) {
		for event, err := range kept.Log().After(t.Context(), stream, at) {
			if err != nil {
				return err
			}
			t.Errorf("got event %d, which is not behind the last one", event.Number)
		}
		return nil
	}
	if err := behind(before); store.CodeOf(err) != store.Unavailable {
		t.Errorf("behind the last event, at the old leader: %v", err)
	}
	other := store.Stream{Session: "s", Name: "two"} // one that the old leader knows nothing of
	if _, err := after.Log().Append(t.Context(), other, other.Start(), "message", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := before.Log().Last(t.Context(), other); store.CodeOf(err) != store.Unavailable {
		t.Errorf("a new stream, at the old leader: %v", err)
	}
	if _, err := before.Records().Get(t.Context(), key); store.CodeOf(err) != store.Unavailable {
		t.Errorf("a new session, at the old leader: %v", err)
	}
	stores.Mend()
	back := opened(t, stores.Address(old), time.Minute)
	if err := behind(back); err != nil {
		t.Errorf("with the network back: %v", err)
	}
	if record, err := back.Records().Get(t.Context(), key); err != nil || string(record.Value) != "x" {
		t.Errorf("with the network back: %q, %v", record.Value, err)
	}
}
