//go:build !js

package gosdk

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addCount(g *generation) {
	type input struct {
		N       int `json:"n"`
		DelayMs int `json:"delayMs"`
	}
	add(g, tool{
		name: "count", title: "Count",
		description: "Counts from 1 to n and reports every number as progress. Cut the connection or reload " +
			"the page while it counts: no number may be missing.",
		input: `{"type":"object","properties":{
			"n":{"type":"integer","title":"Count to","minimum":1,"maximum":1000,"default":20},
			"delayMs":{"type":"integer","title":"Delay","description":"Milliseconds between two numbers.","minimum":0,"maximum":10000,"default":500}}}`,
		hints: pure,
	}, func(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		for i := 1; i <= in.N; i++ {
			if err := g.pause(ctx, time.Duration(in.DelayMs)*time.Millisecond); err != nil {
				return nil, nil, err
			}
			progress(ctx, r, i, in.N, fmt.Sprintf("%d of %d", i, in.N))
		}
		return text(fmt.Sprintf("Counted to %d.", in.N)), nil, nil
	})
}
