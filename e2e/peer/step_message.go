//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Prime sends a priming event: an id, empty data, and a retry line of that many
// milliseconds unless it is negative (SEP-1699). On a modern stream, which has
// no ids, it is left out unless ID sets one.
func Prime(retryMS int) Step {
	return Step{func(r *run) {
		if !r.json && !(r.modern && r.nextID == "") {
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

// Log sends notifications/message; data is marshalled as JSON. It is left out
// if it is less severe than the client wants, by logging/setLevel or by the
// request's logLevel, and on a modern server if the request names none.
func Log(level string, data any) Step {
	return Step{func(r *run) {
		if r.level == "" && r.modern || severity(level) < severity(r.level) {
			return
		}
		params := quote(map[string]any{"level": level, "data": data})
		r.emit(r.message(notification("notifications/message", params)))
	}}
}

// severity orders the levels of RFC 5424; -1 for anything else.
func severity(level string) int {
	return slices.Index([]string{"debug", "info", "notice", "warning", "error", "critical", "alert",
		"emergency"}, level)
}

// Notify sends a notification; params is JSON, "" leaves it out.
func Notify(method, params string) Step {
	return Step{func(r *run) { r.emit(r.message(notification(method, params))) }}
}

// Ask sends a request of the server's own; id is raw JSON (`"p-1"` or 7). Reply
// waits for the answer.
func Ask(id, method, params string) Step {
	return Step{func(r *run) {
		if r.task != nil {
			r.task.ask(id, method, params)
			return
		}
		r.p.oracle.asks(r, id)
		r.emit(r.message(request(id, method, params)))
	}}
}

// Message sends any text as one stored event; $ID, $TOKEN, $SESSION and $TASK are
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

// Result answers the call; result is JSON. A second one is sent as well. A
// modern server adds what every result of the revision has: resultType
// "complete", inside a task too (but see TaskServer.Untyped), and, where they
// belong, cache hints; see Verbatim.
func Result(result string) Step {
	return Step{func(r *run) {
		if r.modern && (r.task == nil || !r.task.server.Untyped) {
			result = completed(result, r.p.hintFor(r.method))
		}
		r.answer(response(r.id, "result", result))
	}}
}

// Verbatim answers the call with a result as it is, whatever it lacks.
func Verbatim(result string) Step {
	return Step{func(r *run) { r.answer(response(r.id, "result", result)) }}
}

// Text answers a tool call with one text content.
func Text(text string) Step {
	return Result(quote(map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}))
}

// Error answers the call with a JSON-RPC error.
func Error(code int, message string) Step { return ErrorData(code, message, "") }

// ErrorData is Error with data, which is JSON.
func ErrorData(code int, message, data string) Step {
	return Step{func(r *run) {
		r.answer(refusal{code: code, message: message, data: data}.body(r.id))
	}}
}

// Refuse answers the call with a JSON-RPC error under an HTTP status, if no
// header has left: what a modern server does to a request it will not process.
func Refuse(status, code int, message, data string) Step {
	return Step{func(r *run) {
		r.answered.Store(true)
		body := refusal{code: code, message: message, data: data}.body(r.id)
		r.post.respond(Response{Status: status, Body: body}, strings.NewReplacer())
	}}
}

// Batch sends what other steps would as one JSON array, which revision
// 2025-03-26 allows: in one event, or as the body of a JSON answer.
func Batch(steps ...Step) Step {
	return Step{func(r *run) {
		var all []string
		r.batch = &all
		for _, s := range steps {
			s.do(r)
		}
		r.batch = nil
		text := "[" + strings.Join(all, ",") + "]"
		if r.json {
			r.post.respond(Response{Body: text}, strings.NewReplacer())
			return
		}
		r.emit(r.message(text))
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
