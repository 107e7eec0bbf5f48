//go:build !js

package gosdk

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addSignedIn adds what a server behind a sign-in has: tools that know whose token it is.
func addSignedIn(g *generation) {
	type input struct{}
	who := func(r *mcp.CallToolRequest) string {
		if r.Extra == nil || r.Extra.TokenInfo == nil {
			return "nobody"
		}
		return r.Extra.TokenInfo.UserID
	}
	add(g, tool{
		name: "whoami", title: "Who am I?", description: "Says who has signed in.",
		input: `{"type":"object"}`, hints: pure,
	}, func(_ context.Context, r *mcp.CallToolRequest, _ input) (*mcp.CallToolResult, any, error) {
		return text(who(r)), nil, nil
	})
	add(g, tool{
		name: "sign_log", title: "Sign the log",
		description: "Writes who has signed in into the log. It changes the server's state, so a client " +
			"must not run it twice by itself.",
		input: `{"type":"object"}`,
		hints: mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)},
	}, func(_ context.Context, r *mcp.CallToolRequest, _ input) (*mcp.CallToolResult, any, error) {
		g.notes.mu.Lock()
		g.notes.all = append(g.notes.all, who(r))
		g.notes.mu.Unlock()
		return text(fmt.Sprintf("%s has signed the log.", who(r))), nil, nil
	})
}
