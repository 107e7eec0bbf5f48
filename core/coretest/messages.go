package coretest

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Stream is the content type of an event stream; JSON that of a JSON body.
const (
	Stream = "text/event-stream"
	JSON   = "application/json"
)

// Fetches returns the exchanges that the last input started.
func (w *World[M]) Fetches() []engine.ExchangeID {
	var xs []engine.ExchangeID
	for _, e := range w.Effects {
		if e.Kind == engine.Fetch {
			xs = append(xs, e.X)
		}
	}
	return xs
}

// Fetched returns the one exchange that the last input started.
func (w *World[M]) Fetched() engine.ExchangeID {
	w.t.Helper()
	xs := w.Fetches()
	if len(xs) != 1 {
		w.t.Fatalf("want one fetch, got %d\n%s", len(xs), w.Log())
	}
	return xs[0]
}

// RequestID returns the id of the JSON-RPC request that an exchange carries.
func RequestID(r *engine.Request) string { return messageID(string(r.Body)) }

// messageID returns the id of a JSON-RPC request, "" where it is no number.
func messageID(body string) string {
	const before = `"id":`
	for i := 0; i+len(before) < len(body); i++ {
		if body[i:i+len(before)] == before {
			j := i + len(before)
			k := j
			for k < len(body) && body[k] >= '0' && body[k] <= '9' {
				k++
			}
			return body[j:k]
		}
	}
	return ""
}

// Message frames a JSON-RPC message as an event; id may be empty.
func Message(id, json string) string {
	if id != "" {
		id = "id: " + id + "\n"
	}
	return id + "data: " + json + "\n\n"
}

// Progress is a progress notification for the request with that id.
func Progress(request string, n int) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + request +
		`,"progress":` + strconv.Itoa(n) + `}}`
}

// Result is a response to the request with that id.
func Result(request, result string) string {
	return `{"jsonrpc":"2.0","id":` + request + `,"result":` + result + `}`
}
