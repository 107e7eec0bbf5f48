//go:build !js

package coretest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/core/engine"
	holdfast "github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestAgainstGoSDK runs the core natively against the official Go SDK server:
// its connections are closed in the middle of a call, twice, and every progress
// notification still arrives once and in order.
func TestAgainstGoSDK(t *testing.T) {
	const steps = 30
	step := make(chan struct{})
	sdk := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	type args struct{}
	mcp.AddTool(sdk, &mcp.Tool{Name: "count"},
		func(ctx context.Context, r *mcp.CallToolRequest, _ args) (*mcp.CallToolResult, any, error) {
			for i := 1; i <= steps; i++ {
				<-step
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: steps,
				}); err != nil {
					return nil, nil, err
				}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
		})
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return sdk },
		&mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}))
	defer server.Close()

	h := NewHost(holdfast.Config{URL: server.URL, ClientInfo: []byte(`{"name":"t","version":"1"}`), Seed: 7})
	defer h.Close()
	h.Input((*holdfast.Client).Start)
	if !h.Wait(has(engine.State, `"state":"open"`)) {
		t.Fatal("did not connect")
	}
	var id engine.CallID
	h.Input(func(c *holdfast.Client, now engine.Time) {
		id = c.Call(now, "tools/call", []byte(`{"name":"count","arguments":{}}`), holdfast.CallOptions{})
	})
	for i := 1; i <= steps; i++ {
		step <- struct{}{}
		if i%10 == 5 {
			if !h.Wait(has(engine.Deliver, fmt.Sprintf(`"progress":%d`, i))) {
				t.Fatalf("progress %d did not arrive", i)
			}
			server.CloseClientConnections()
		}
	}
	if !h.Wait(func(effects []engine.Effect) bool {
		last := effects[len(effects)-1]
		return last.Kind == engine.Settle && last.C == id
	}) {
		t.Fatal("the call did not end")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n, resumes := 0, 0
	for _, e := range h.effects {
		if e.C != id {
			continue
		}
		switch {
		case e.Kind == engine.Settle && !strings.Contains(string(e.Data), "done"):
			t.Errorf("settled with %s", Describe(e))
		case e.Event == engine.EventResumed:
			resumes++
		case e.Event == engine.EventProgress:
			if n++; !strings.Contains(string(e.Data), fmt.Sprintf(`"progress":%d,`, n)) {
				t.Errorf("progress %d is %s", n, e.Data)
			}
		}
	}
	if n != steps || resumes < 2 {
		t.Errorf("%d of %d progress events, %d resumes", n, steps, resumes)
	}
}

func has(kind engine.Kind, text string) func([]engine.Effect) bool {
	return func(effects []engine.Effect) bool {
		for _, e := range effects {
			if e.Kind == kind && strings.Contains(string(e.Data), text) {
				return true
			}
		}
		return false
	}
}
