//go:build !js

package gosdk

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addSlow(g *generation, logf func(string, ...any)) {
	type input struct {
		Seconds float64 `json:"seconds"`
	}
	add(g, tool{
		name: "slow", title: "Slow",
		description: "Says nothing for a while, then answers. Cancelling stops it.",
		input: `{"type":"object","properties":{
			"seconds":{"type":"number","title":"Seconds","minimum":0,"maximum":600,"default":15}}}`,
		hints: pure,
	}, func(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		start := time.Now()
		logf("slow: began")
		if err := g.pause(ctx, time.Duration(in.Seconds*float64(time.Second))); err != nil {
			logf("slow: cancelled after %v", time.Since(start).Round(time.Millisecond))
			return nil, nil, err
		}
		return text(fmt.Sprintf("Done after %v seconds.", in.Seconds)), nil, nil
	})
}
