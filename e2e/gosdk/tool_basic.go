//go:build !js

package gosdk

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addSum(g *generation) {
	type input struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	type output struct {
		Sum float64 `json:"sum"`
	}
	add(g, tool{
		name: "add", title: "Add", description: "Adds two numbers and returns structured content.",
		input: `{"type":"object","properties":{
			"a":{"type":"number","title":"First number","default":2},
			"b":{"type":"number","title":"Second number","default":3}},"required":["a","b"]}`,
		output: `{"type":"object","properties":{"sum":{"type":"number","title":"Sum"}},"required":["sum"]}`,
		hints:  pure,
	}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, output, error) {
		return nil, output{in.A + in.B}, nil
	})
}

func addEcho(g *generation) {
	type input struct {
		Text string `json:"text"`
	}
	add(g, tool{
		name: "echo", title: "Echo", description: "Returns its text.",
		input: `{"type":"object","properties":{"text":{"type":"string","title":"Text","default":"Ahoy"}},` +
			`"required":["text"]}`,
		hints: pure,
	}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return text(in.Text), nil, nil
	})
}

func addFail(g *generation) {
	type input struct {
		Reason string `json:"reason"`
	}
	add(g, tool{
		name: "fail", title: "Fail",
		description: "Always fails: its result has isError set, which is an answer and not a " +
			"protocol error.",
		input: `{"type":"object","properties":{"reason":{"type":"string","title":"Reason",` +
			`"default":"the anchor is stuck"}}}`,
		hints: pure,
	}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New(in.Reason)
	})
}
