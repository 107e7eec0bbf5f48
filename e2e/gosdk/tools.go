//go:build !js

package gosdk

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *Server) addTools(g *generation) {
	addCount(g)
	addReport(g)
	addSum(g)
	addEcho(g)
	addFail(g)
	addSlow(g, s.opts.Logf)
	addImage(g)
	addNote(g, s.opts.Logf)
	addBook(g)
	addPass(g)
}

// A tool is what tools/list says; schemas are written by hand, because the
// inferred ones have no titles, defaults and bounds for a form to show.
type tool struct {
	name, title, description string
	input, output            string
	hints                    mcp.ToolAnnotations
}

// pure marks tools that change nothing anywhere.
var pure = mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}

// add registers a handler whose context also ends with the generation.
func add[In, Out any](g *generation, t tool, h mcp.ToolHandlerFor[In, Out]) {
	d := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: json.RawMessage(t.input), Annotations: &t.hints,
	}
	if t.output != "" {
		d.OutputSchema = json.RawMessage(t.output)
	}
	mcp.AddTool(g.sdk, d, func(ctx context.Context, r *mcp.CallToolRequest, in In) (
		*mcp.CallToolResult, Out, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(g.ctx, cancel)()
		return h(ctx, r, in)
	})
}

// pause passes the gate of the tools and waits for d, or returns why not.
func (g *generation) pause(ctx context.Context, d time.Duration) error {
	if err := g.gate.Wait(ctx); err != nil {
		return err
	}
	return pause(ctx, time.Duration(float64(d)/g.haste))
}

// pause waits for d, or returns why not.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// progress notifies the caller, if it asked for progress.
func progress(ctx context.Context, r *mcp.CallToolRequest, done, total int, message string) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return
	}
	r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Progress: float64(done), Total: float64(total), Message: message,
	})
}

// say logs to the client. The SDK sends nothing before logging/setLevel.
func say(ctx context.Context, r *mcp.CallToolRequest, level mcp.LoggingLevel, text string) {
	r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Logger: r.Params.Name, Data: text})
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
