package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
	"github.com/holdfast-mcp/holdfast/e2e/everything"
)

// plain is a server of the Go SDK's without an event store: its streams have no ids. Its tool waits at a gate
// before each step.
func plain(t *testing.T) (url string, gate chan struct{}, runs *atomic.Int32) {
	gate, runs = make(chan struct{}), new(atomic.Int32)
	server := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1"}, nil)
	type input struct {
		Label string `json:"label"`
		N     int    `json:"n"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "count"},
		func(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			runs.Add(1)
			for i := 1; i <= in.N; i++ {
				select {
				case <-gate:
				case <-ctx.Done():
					return nil, nil, ctx.Err()
				}
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: float64(in.N),
				}); err != nil {
					return nil, nil, err
				}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.TextContent{Text: fmt.Sprintf("%d steps", in.N)}}}, nil, nil
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL, gate, runs
}

// unhurried is a lease for stories in which no node is taken for dead: a busy machine may take a second to
// say that one lives.
const unhurried = 10 * time.Second

// TestGateway: nodes in front of a server that cannot resume. The page is reloaded, and every node that does
// not read the server's stream is killed: nothing is lost.
func TestGateway(t *testing.T) {
	t.Parallel()
	url, gate, runs := plain(t)
	c := rig.Start(t, rig.Options{Upstream: url, Lease: unhurried})
	client := rig.Connect(t, c.URL)
	id := client.Count("a", 6)
	for i := range 2 {
		gate <- struct{}{}
		client.AwaitProgress(id, i+1)
	}
	client = client.Reload()
	id = client.Find("a")
	client.AwaitProgress(id, 2)
	for _, p := range c.Nodes {
		if !c.Runs(p) {
			p.Kill()
			p.Start()
		}
	}
	for range 4 {
		gate <- struct{}{}
	}
	client.Whole(id, 6)
	if runs.Load() != 1 {
		t.Errorf("the tool has run %d times", runs.Load())
	}
}

// TestFault425_GatewayKilled: the node that reads the server's stream is killed. What it had not read nobody
// has: the call ends with an error that says so, and the tool is not run again.
func TestFault425_GatewayKilled(t *testing.T) {
	t.Parallel()
	url, gate, runs := plain(t)
	c := rig.Start(t, rig.Options{Upstream: url})
	client := rig.Connect(t, c.URL)
	id := client.Count("a", 6)
	gate <- struct{}{}
	client.AwaitProgress(id, 1)
	for _, p := range c.Nodes {
		if c.Runs(p) {
			p.Kill()
		}
	}
	if how, text := client.Outcome(id); how != "error" ||
		!strings.Contains(text, "nobody knows how far it got") {
		t.Errorf("ended with %s: %s", how, text)
	}
	if steps := rig.Progress(client.Effects(), id); len(steps) != 1 || runs.Load() != 1 {
		t.Errorf("steps %v, %d runs", steps, runs.Load())
	}
}

// TestGatewayEverything: the same with the official server-everything, whose own store does not go on live.
func TestGatewayEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("needs npm's files")
	}
	script, err := filepath.Abs("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(everything.ScriptVariable, script)
	c := rig.Start(t, rig.Options{Upstream: everything.Start(t), Lease: unhurried})
	client := rig.Connect(t, c.URL)
	id := client.Call("trigger-long-running-operation", map[string]any{"duration": 3, "steps": 6})
	client.AwaitProgress(id, 2)
	client = client.Reload()
	id = client.Find("")
	client.AwaitProgress(id, 3)
	client = client.Reload()
	id = client.Find("")
	if how, text := client.Outcome(id); how != "result" {
		t.Errorf("ended with %s: %s", how, text)
	}
	steps := rig.Progress(client.Effects(), id)
	for i := range 6 {
		if len(steps) != 6 || steps[i] != i+1 {
			t.Fatalf("steps %v, want 1 to 6", steps)
		}
	}
}
