package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/tasks"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/sdknode"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/tasknode"
)

// input is that of all tools.
type input struct {
	Label string `json:"label"`
	N     int    `json:"n"`
}

// tools is a server of the Go SDK's, for sessions and for requests of 2026-07-28, with tools that change the
// world: count, which goes on on another node behind what it has said; ship, which cannot; and ask, which
// goes on, and asks the person before each step. Under 2026-07-28 report, which is count by another name, is
// a task.
func tools(world string, kept store.Records, n func() *node.Node) (*sdknode.Backend, http.Handler) {
	server := mcp.NewServer(&mcp.Implementation{Name: "cluster", Version: "1"}, nil)
	backend := sdknode.New(sdknode.Options{Server: server,
		Durable: func(tool string) bool { return tool != "ship" }})
	for _, name := range []string{"count", "ship", "ask", "report"} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "Changes the world in n steps."},
			func(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
				step := func(int) (string, error) { return "", nil }
				if name == "ask" {
					step = func(n int) (string, error) { return ask(ctx, r, in.Label, n) }
				}
				return act(ctx, r, in, backend.Call(r), world, step)
			})
	}
	// Under 2026-07-28 the SDK has no sessions and no tasks: a call is its connection.
	stateless := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	modern := tasknode.Handler{
		Tasks: tasks.New(kept), IsTask: func(tool string) bool { return tool == "report" },
		User: func(*http.Request) string { return "" },
		Keep: time.Hour, Poll: 250 * time.Millisecond, MaxBody: 1 << 20, Next: stateless,
	}
	return backend, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served := modern
		served.Node = n()
		served.ServeHTTP(w, r)
	})
}

// act carries a tool out. before is what comes before each step, also before those that another node has
// done: what the person answered then is answered at once.
func act(ctx context.Context, r *mcp.CallToolRequest, in input, call *node.Call, world string,
	before func(step int) (string, error)) (*mcp.CallToolResult, any, error) {
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
	done, text := progress(call.Past), in.Label+":"
	for step := 1; step <= in.N; step++ {
		said, err := before(step)
		if err != nil {
			return nil, nil, err
		}
		if text += said; step <= done {
			continue
		}
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
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: fmt.Sprintf("%s %d steps", text, in.N)}}}, nil, nil
}

// ask asks the person, and returns what to add to the result.
func ask(ctx context.Context, r *mcp.CallToolRequest, label string, step int) (string, error) {
	answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{
		Message:         fmt.Sprintf("%s: step %d?", label, step),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}}}`),
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(" %v", answer.Content["answer"]), nil
}

// progress is how many steps were told of.
func progress(past []json.RawMessage) (n int) {
	for _, message := range past {
		var said struct{ Method string }
		if json.Unmarshal(message, &said) == nil && said.Method == "notifications/progress" {
			n++
		}
	}
	return n
}

func tell(ctx context.Context, world, what, label string, epoch, step int) error {
	form := url.Values{"label": {label}, "epoch": {strconv.Itoa(epoch)}, "step": {strconv.Itoa(step)},
		"node": {strconv.Itoa(os.Getpid())}}
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
