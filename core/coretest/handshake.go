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
func (w *World) Fetches() []engine.ExchangeID {
	var xs []engine.ExchangeID
	for _, e := range w.Effects {
		if e.Kind == engine.Fetch {
			xs = append(xs, e.X)
		}
	}
	return xs
}

// Fetched returns the one exchange that the last input started.
func (w *World) Fetched() engine.ExchangeID {
	w.t.Helper()
	xs := w.Fetches()
	if len(xs) != 1 {
		w.t.Fatalf("want one fetch, got %d\n%s", len(xs), w.Log())
	}
	return xs[0]
}

// Handshake takes the client from new to open with a server of the given
// revision, which gives the session id "s1" and offers no GET stream. After it
// ids count from epoch 1: the first call has request id 16777218.
func (w *World) Handshake(revision string) {
	w.t.Helper()
	w.Start()
	initialized := w.AnswerInitialize(w.Fetched(), revision, "s1")
	for _, x := range w.Fetches() {
		w.Head(x, 405)
	}
	w.End(initialized, engine.EndClean)
}

// AnswerInitialize answers an initialize request and the notification that
// follows; the effects are those of the client becoming open. It returns the
// exchange of the notification, whose end is still to come.
func (w *World) AnswerInitialize(x engine.ExchangeID, revision, session string) engine.ExchangeID {
	w.t.Helper()
	id := RequestID(w.open[x])
	w.Head(x, 200, "content-type", JSON, "mcp-session-id", session)
	w.Chunk(x, `{"jsonrpc":"2.0","id":`+id+`,"result":{"protocolVersion":"`+revision+
		`","capabilities":{"tools":{}},"serverInfo":{"name":"world","version":"1"}}}`)
	w.End(x, engine.EndClean)
	initialized := w.Fetched()
	w.Head(initialized, 202)
	return initialized
}

// RequestID returns the id of the JSON-RPC request that an exchange carries.
func RequestID(r *engine.Request) string {
	const before = `"id":`
	body := string(r.Body)
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
