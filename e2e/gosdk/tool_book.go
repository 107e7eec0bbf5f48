//go:build !js

package gosdk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addBook adds a tool that asks the person before it does anything. It asks in
// its result; for clients of sessions the SDK makes an elicitation/create of it
// on the stream of the call.
func addBook(g *generation) {
	type input struct {
		Place string `json:"place"`
	}
	add(g, tool{
		name: "book_table", title: "Book a table",
		description: "Asks for the details in a form, then confirms. Declining is an answer as well.",
		input: `{"type":"object","properties":{"place":{"type":"string","title":"Place","minLength":1,` +
			`"default":"The Anchor"}}}`,
		hints: mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)},
	}, func(_ context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		given, ok := r.Params.InputResponses["table"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{
				InputRequests: mcp.InputRequestMap{"table": &mcp.ElicitParams{
					Message: "A table at " + in.Place + ": who comes, and when?",
					RequestedSchema: json.RawMessage(`{"type":"object","properties":{
						"name":{"type":"string","title":"Name","minLength":1,"maxLength":60},
						"day":{"type":"string","title":"Day","enum":["Thursday","Friday","Saturday"],"default":"Friday"},
						"guests":{"type":"integer","title":"Guests","minimum":1,"maximum":8,"default":2},
						"window":{"type":"boolean","title":"At the window","default":true},
						"extras":{"type":"array","title":"Extras","maxItems":2,"items":{"anyOf":[
							{"const":"cake","title":"Birthday cake"},{"const":"chair","title":"High chair"},{"const":"dog","title":"Room for a dog"}]}}},
						"required":["name","day","guests"]}`),
				}},
				RequestState: "asked",
			}, nil, nil
		}
		return text(booked(in.Place, given)), nil, nil
	})
}

func booked(place string, given *mcp.ElicitResult) string {
	switch given.Action {
	case "accept":
	case "decline":
		return "No table was booked: you declined."
	default:
		return "No table was booked: the form was closed."
	}
	where := "inside"
	if window, _ := given.Content["window"].(bool); window {
		where = "at the window"
	}
	if extras, _ := given.Content["extras"].([]any); len(extras) > 0 {
		where += ", with " + strings.Trim(fmt.Sprint(extras), "[]")
	}
	return fmt.Sprintf("Booked at %s: %v, %v, %v guests, %s.", place, given.Content["name"],
		given.Content["day"], given.Content["guests"], where)
}
