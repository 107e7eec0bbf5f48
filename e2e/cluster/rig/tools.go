package rig

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/sdknode"
)

// input is that of both tools.
type input struct {
	Label string `json:"label"`
	N     int    `json:"n"`
}

// tools is a server, for sessions and for requests of 2026-07-28, of the Go SDK's with two tools that change the world: count, which goes on on another node behind
// what it has said, and ship, which cannot.
func tools(world string) (*sdknode.Backend, http.Handler) {
	server := mcp.NewServer(&mcp.Implementation{Name: "cluster", Version: "1"}, nil)
	backend := sdknode.New(sdknode.Options{Server: server, Durable: func(tool string) bool { return tool == "count" }})
	for _, name := range []string{"count", "ship"} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "Changes the world in n steps."},
			func(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
				return act(ctx, r, in, backend.Call(r), world)
			})
	}
	// Under 2026-07-28 the SDK has no sessions and no tasks: a call is its connection.
	modern := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return backend, modern
}

func act(ctx context.Context, r *mcp.CallToolRequest, in input, call *node.Call, world string) (*mcp.CallToolResult, any, error) {
	if call == nil {
		call = &node.Call{Epoch: 1}
	}
	say := func(what string, step int) error { return tell(ctx, world, what, in.Label, call.Epoch, step) }
	what := "begin"
	if call.Taken {
		what = "continue"
	}
	if err := say(what, 0); err != nil {
		return nil, nil, err
	}
	for step := len(call.Past) + 1; step <= in.N; step++ {
		if err := say("step", step); err != nil {
			return nil, nil, err
		}
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: float64(step), Total: float64(in.N),
		}); err != nil {
			return nil, nil, err
		}
		if err := call.Err(); err != nil {
			return nil, nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s: %d steps", in.Label, in.N)}}}, nil, nil
}

func tell(ctx context.Context, world, what, label string, epoch, step int) error {
	form := url.Values{"label": {label}, "epoch": {strconv.Itoa(epoch)}, "step": {strconv.Itoa(step)}, "node": {strconv.Itoa(os.Getpid())}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, world+"/"+what+"?"+form.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New("the world has refused a step")
	}
	return nil
}
