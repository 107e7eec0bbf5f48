package cluster_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

// What a store that is damaged, or full, is to a page.

// held starts a cluster with a call that is held before its step 4, and returns the store's stream of events,
// whose last one is that of step 3.
func held(t *testing.T, o rig.Options) (*rig.Cluster, *rig.Client, engine.CallID, jetstream.Stream) {
	t.Helper()
	c := rig.Start(t, o)
	client := rig.Connect(t, c.URL)
	c.World.Hold("a", 4)
	id := client.Count("a", 8)
	client.AwaitProgress(id, 3)
	c.World.Await("a")
	s, err := embedded.Connect(t, c.Store).Stream(t.Context(), events)
	if err != nil {
		t.Fatal(err)
	}
	return c, client, id, s
}

// last is the place of the last event of all.
func last(t *testing.T, s jetstream.Stream) uint64 {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.LastSeq
}

// lost checks that the page was told that a call is lost, having heard of these steps, and that the next call
// works.
func lost(t *testing.T, c *rig.Cluster, client *rig.Client, id engine.CallID, steps int) {
	t.Helper()
	if how, text := client.Outcome(id); how != "failure" || !strings.HasPrefix(text, "lost:") {
		t.Errorf("ended with %s: %s", how, text)
	}
	if heard := rig.Progress(client.Effects(), id); len(heard) != steps {
		t.Errorf("heard of steps %v, want 1 to %d", heard, steps)
	}
	client.Whole(client.Count("b", 3), 3)
	once(t, c.World, "b", 3)
}

// TestFault411_TheTailOfACall: the store loses the last events of a call, and the node that runs it is
// killed. Another one goes on behind what is left; the page has more than that, and is told that its call is
// lost.
func TestFault411_TheTailOfACall(t *testing.T) {
	t.Parallel()
	c, client, id, s := held(t, rig.Options{})
	for end, i := last(t, s), uint64(0); i < 2; i++ {
		if err := s.DeleteMsg(t.Context(), end-i); err != nil {
			t.Fatal(err)
		}
	}
	c.Running("a").Kill()
	lost(t, c, client, id, 3)
}

// TestFault410_PoisonInACall: something else has published behind the last event of a call. Neither its node
// nor its page goes on behind that.
func TestFault410_PoisonInACall(t *testing.T) {
	t.Parallel()
	c, client, id, s := held(t, rig.Options{Lease: unhurried})
	message, err := s.GetMsg(t.Context(), last(t, s))
	if err != nil {
		t.Fatal(err)
	}
	poison := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":4}}`
	if _, err := embedded.Connect(t, c.Store).Publish(
		t.Context(), message.Subject, []byte(poison)); err != nil {
		t.Fatal(err)
	}
	c.World.Release("a")
	lost(t, c, client, id, 3)
}

// TestFault412_FullDiskInACall: the disk of the store is full in the middle of a call. Nothing comes to the
// page that is not stored; the nodes cannot say that they live, and give up what they run. With room again
// the call goes on.
func TestFault412_FullDiskInACall(t *testing.T) {
	if testing.Short() {
		t.Skip("make cluster plays it")
	}
	c, client, id, _ := held(t, rig.Options{StoreBytes: 1 << 20})
	kept, err := jetstore.Open(t.Context(), embedded.Connect(t, c.Store), jetstore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	others := store.Stream{Session: "another", Name: "s"}
	at := others.Start()
	for size := 64 << 10; size > 0; { // to the last byte
		next, err := kept.Log().Append(t.Context(), others, at, "message", make([]byte, size))
		switch store.CodeOf(err) {
		case "":
			at = next
		case store.Full:
			size /= 2
		default:
			t.Fatal(err)
		}
	}
	runs := c.Running("a")
	c.World.Release("a")
	runs.AwaitGivenUp()
	if heard := rig.Progress(client.Effects(), id); len(heard) != 3 || client.Ended(id) {
		t.Errorf("with a full disk the page has heard of steps %v", heard)
	}
	if err := kept.Log().Forget(t.Context(), others.Session); err != nil {
		t.Fatal(err)
	}
	client.Whole(id, 8)
	once(t, c.World, "a", 8)
}
