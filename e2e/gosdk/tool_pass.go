//go:build !js

package gosdk

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPass adds a tool that sends the person to a page first, which it names by
// its address (URL elicitation): /visit on the origin that the call came from.
func addPass(g *generation) {
	add(g, tool{
		name: "harbour_pass", title: "Harbour pass",
		description: "Sends you to a page in a new tab, and hands out a pass if you agree to go there.",
		input:       `{"type":"object"}`,
		hints:       mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)},
	}, func(_ context.Context, r *mcp.CallToolRequest, _ json.RawMessage) (*mcp.CallToolResult, any, error) {
		given, ok := r.Params.InputResponses["visit"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{
				InputRequests: mcp.InputRequestMap{"visit": &mcp.ElicitParams{
					Mode:          "url",
					Message:       "The harbour master wants to see you first. Sign the log on this page:",
					URL:           visitPage(r),
					ElicitationID: "harbour-log",
				}},
				RequestState: "sent",
			}, nil, nil
		}
		if given.Action != "accept" {
			return text("No pass: the log was not signed."), nil, nil
		}
		return text("Here is your pass, number 42."), nil, nil
	})
}

// visitPage is on the origin of the page that calls, since this server does not
// know its own; a client that is no page gets an address for show.
func visitPage(r *mcp.CallToolRequest) string {
	const path = "/visit?log=harbour"
	if r.Extra != nil {
		if origin, err := url.Parse(r.Extra.Header.Get("Origin")); err == nil && origin.Host != "" {
			return origin.Scheme + "://" + origin.Host + path
		}
	}
	return "https://harbour.example" + path
}
