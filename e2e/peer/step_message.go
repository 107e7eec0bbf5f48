//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
)

// Prime sends a priming event: an id, empty data, and a retry line of that many
// milliseconds unless it is negative (SEP-1699).
func Prime(retryMS int) Step {
	return Step{func(r *run) {
		if !r.json {
			e := r.message("")
			e.prime, e.retry = true, max(retryMS, -1)
			r.emit(e)
		}
	}}
}

// Progress sends notifications/progress with the call's token, and nothing if
// the call came without one. A total of 0 and an empty message are left out.
func Progress(progress, total float64, message string) Step {
	return Step{func(r *run) {
		if r.token == "" {
			return
		}
		params := map[string]any{"progressToken": json.RawMessage(r.token), "progress": progress}
		if total != 0 {
			params["total"] = total
		}
		if message != "" {
			params["message"] = message
		}
		r.emit(r.message(notification("notifications/progress", quote(params))))
	}}
}

// Log sends notifications/message; data is marshalled as JSON.
func Log(level string, data any) Step {
	return Notify("notifications/message", quote(map[string]any{"level": level, "data": data}))
}

// Notify sends a notification; params is JSON, "" leaves it out.
func Notify(method, params string) Step {
	return Step{func(r *run) { r.emit(r.message(notification(method, params))) }}
}

// Ask sends a request of the server's own; id is raw JSON (`"p-1"` or 7). Reply
// waits for the answer.
func Ask(id, method, params string) Step {
	return Step{func(r *run) { r.emit(r.message(request(id, method, params))) }}
}

// Message sends any text as one stored event; $ID, $TOKEN and $SESSION are
// replaced. For second responses, unknown ids, batches and worse.
func Message(text string) Step {
	return Step{func(r *run) { r.emit(r.message(r.vars().Replace(text))) }}
}

// Event sends one stored event of the given SSE type.
func Event(name, data string) Step {
	return Step{func(r *run) {
		e := r.message(r.vars().Replace(data))
		e.name = name
		r.emit(e)
	}}
}

// ID sets the id of the next stored event, for ids that no header can carry
// (fault 43).
func ID(id string) Step { return Step{func(r *run) { r.nextID = id }} }

// Result answers the call; result is JSON. A second one is sent as well.
func Result(result string) Step {
	return Step{func(r *run) { r.answer(response(r.id, "result", result)) }}
}

// Text answers a tool call with one text content.
func Text(text string) Step {
	return Result(quote(map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}))
}

// Error answers the call with a JSON-RPC error.
func Error(code int, message string) Step {
	return Step{func(r *run) {
		r.answer(response(r.id, "error", quote(map[string]any{"code": code, "message": message})))
	}}
}

// Torn sends the event of another step in part: it is stored whole, and the
// connection dies in the given way after the first n bytes of it.
func Torn(s Step, n int, how Cutting) Step {
	return Step{func(r *run) {
		r.tear = &tear{n, how}
		s.do(r)
		r.tear = nil
	}}
}

func notification(method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":%s}`, quote(method))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%s,"params":%s}`, quote(method), params)
}

func request(id, method, params string) string {
	if params == "" {
		params = "{}"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, id, quote(method), params)
}

func response(id, key, value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, id, key, value)
}
