//go:build !js

package gosdk

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addGreet adds a tool that needs input: a result with input requests, which the
// SDK sends as such to modern clients.
func addGreet(g *generation) {
	g.sdk.AddTool(&mcp.Tool{
		Name: "greet", Title: "Greet", Description: "Asks for a name and greets.",
		InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &pure,
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		given, ok := r.Params.InputResponses["name"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{
				InputRequests: mcp.InputRequestMap{"name": &mcp.ElicitParams{
					Message: "Who are you?",
					RequestedSchema: json.RawMessage(`{"type":"object",` +
						`"properties":{"name":{"type":"string","title":"Name"}},"required":["name"]}`),
				}},
				RequestState: "asked",
			}, nil
		}
		name, _ := given.Content["name"].(string)
		if given.Action != "accept" || name == "" {
			name = "stranger"
		}
		return text("Hello, " + name + "!"), nil
	})
}

// addRouted adds a tool whose argument a header has to repeat.
func addRouted(g *generation) {
	type input struct {
		Region string `json:"region"`
	}
	add(g, tool{
		name: "routed", title: "Routed", description: "Wants its region in a header.",
		input: `{"type":"object","properties":{"region":{"type":"string","title":"Region",` +
			`"x-mcp-header":"Region"}},"required":["region"]}`,
		hints: pure,
	}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return text("in " + in.Region), nil, nil
	})
}
