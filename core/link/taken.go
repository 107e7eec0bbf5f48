package link

import (
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// invalidRequest is the code of a JSON-RPC error by which servers refuse an id that they have.
const invalidRequest = -32600

// takenIDs are the words by which servers say that they have a request of that id already. They come
// to the copy that a browser has sent by itself, where the connection of the first one died (fault 735).
var takenIDs = []string{
	"duplicate",      // the official Go SDK: "duplicate in-flight request ID 2"
	"already in use", // the same, below its transport: "request ID 2 already in use"
	// the official Ruby SDK, with 409: "Request id is already in flight for this session"
	"already in flight",
	"already been used", // servers in Elixir, C# and Rust: "request id has already been used in this session"
	"already used",
}

// Taken reports whether a response with that status says, by the JSON-RPC error in its body, that the
// server has a request of that id already. Such a refusal does not say whether the request ran. The status is
// half of the proof: with 200, or on a stream, a tool that ran may say the same words.
func Taken(status int, m *jsonrpc.Message) bool {
	if status != 400 && status != 409 || m == nil || m.Kind != jsonrpc.ErrorResponse ||
		jsonrpc.ErrorCode(m.Error) != invalidRequest {
		return false
	}
	text, _ := jsonrpc.String(jsonrpc.First(m.Error, "message"))
	text = engine.Lower(text)
	return strings.Contains(text, "request id") &&
		slices.ContainsFunc(takenIDs, func(words string) bool { return strings.Contains(text, words) })
}
