//go:build !js

package mcp_test

import (
	"flag"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

//go:generate go test . -run ^TestStatesAreDocumented$ -update

var update = flag.Bool("update", false, "write the tables of docs/states.md")

// TestStatesAreDocumented: docs/states.md has the transitions that the code has.
func TestStatesAreDocumented(t *testing.T) {
	for _, table := range []coretest.StateTable{
		{Title: "A call", Path: "core/mcp/call_state.go", Type: "callState", Prefix: "call", May: mcp.MayFollow["call"]},
		{Title: "The result of a task", Path: "core/mcp/task_result.go", Type: "resultState", Prefix: "result", May: mcp.MayFollow["result"]},
		{Title: "Whether Last-Event-ID may be sent", Path: "core/mcp/session_cursorheader.go", Type: "headerState", Prefix: "header", May: mcp.MayFollow["header"]},
		{Title: "The stream for what the server says unasked", Path: "core/mcp/listen_state.go", Type: "listenState", Prefix: "listen", May: mcp.MayFollow["listen"]},
		{Title: "A client of an MCP server", Path: "core/mcp/client.go", Type: "clientState", Prefix: "state", May: mcp.MayFollow["client"]},
	} {
		table.Check(t, *update)
	}
}
