package jetstore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

func Example() {
	nc, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		return
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return
	}
	_ = appendAndFollow(context.Background(), js, "a session", "a request", []byte(`{"jsonrpc":"2.0"}`), 3)
}

// appendAndFollow has the lines of README.md.
func appendAndFollow(ctx context.Context, js jetstream.JetStream, sessionID, requestName string, data []byte,
	replicas int) error {
	kept, err := jetstore.Open(ctx, js, jetstore.Config{Replicas: replicas, Keep: 24 * time.Hour})
	if err != nil {
		return err
	}
	defer kept.Close()
	stream := store.Stream{Session: sessionID, Name: requestName}
	at, err := kept.Log().Append(ctx, stream, stream.Start(), "message", data)
	if err != nil {
		return err
	}
	if _, err := kept.Log().Append(ctx, stream, at, "message", data); err != nil {
		return err
	}
	for event, err := range kept.Log().Follow(ctx, stream, at) {
		if err != nil {
			return err
		}
		if event.Number == 2 {
			return nil
		}
	}
	return fmt.Errorf("the second event did not come")
}

// TestReadme: the lines of README.md compile, and do what they say.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	block, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("README.md has no block in Go")
	}
	code := strings.ReplaceAll(string(source), "Replicas: replicas", "Replicas: 3")
	for line := range strings.Lines(block) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " /*")
		if !strings.Contains(code, line) {
			t.Errorf("%q is not compiled", line)
		}
	}
	s := embedded.Start(t, embedded.Options{MaxStore: 64 << 20})
	if err := appendAndFollow(t.Context(), embedded.Connect(t, s.ClientURL()), "s", "r", []byte("1"),
		1); err != nil {
		t.Error(err)
	}
}
