//go:build !js

package acp_test

import (
	"flag"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
)

//go:generate go test . -run ^TestStatesAreDocumented$ -update

var update = flag.Bool("update", false, "write the tables of docs/states.md")

// TestStatesAreDocumented: docs/states.md has the transitions that the code has.
func TestStatesAreDocumented(t *testing.T) {
	for _, table := range []coretest.StateTable{
		{Title: "A client of an agent", Path: "core/acp/client.go", Type: "clientState", Prefix: "state",
			May: acp.MayFollow["client"]},
		{Title: "A session with an agent", Path: "core/acp/session_state.go", Type: "sessionState",
			Prefix: "session", May: acp.MayFollow["session"]},
		{Title: "The history of a session", Path: "core/acp/session_state.go", Type: "historyState",
			Prefix: "history", May: acp.MayFollow["history"]},
		{Title: "A replay of a session's history", Path: "core/acp/session_replay.go", Type: "replayState",
			Prefix: "replay", May: acp.MayFollow["replay"]},
		{Title: "A session that waits for a stream", Path: "core/acp/session_state.go", Type: "waitState",
			Prefix: "wait", May: acp.MayFollow["wait"]},
		{Title: "A turn of a session", Path: "core/acp/session_turn.go", Type: "turnState", Prefix: "turn",
			May: acp.MayFollow["turn"]},
		{Title: "A connection to an agent", Path: "core/acp/connection.go", Type: "connState", Prefix: "conn",
			May: acp.MayFollow["connection"]},
		{Title: "A request to an agent", Path: "core/acp/request_state.go", Type: "requestState",
			Prefix: "request", May: acp.MayFollow["request"]},
		{Title: "A request that another tab makes", Path: "core/acp/request_state.go", Type: "forwardState",
			Prefix: "forward", May: acp.MayFollow["forward"]},
		{Title: "A question of an agent's", Path: "core/acp/question.go", Type: "questionState",
			Prefix: "question", May: acp.MayFollow["question"]},
	} {
		table.Check(t, *update)
	}
}
