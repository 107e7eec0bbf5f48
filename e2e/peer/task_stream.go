//go:build !js

package peer

import "encoding/json"

// push sends what waits on the stream of the call: in the first answer if none
// has left, in another response with the same id if one has. The last one says
// isComplete.
func (task *task) push(r *run, last, failed bool) {
	task.wire.Lock()
	defer task.wire.Unlock()
	task.pushLocked(r, last, failed)
}

func (task *task) pushLocked(r *run, last, failed bool) {
	task.mu.Lock()
	stopped := task.gone || terminal(task.status) && !last
	how := task.policy.Streams
	task.mu.Unlock()
	if stopped {
		return
	}
	if !task.begun() && how.Opening == OpenTask {
		task.post(r, task.creation())
		task.mu.Lock()
		idle := len(task.waiting) == 0 && !last
		task.mu.Unlock()
		if idle {
			return
		}
	}
	task.mu.Lock()
	all, ok := task.batch(last)
	first, made := !task.opened, len(task.parts)
	task.mu.Unlock()
	if !ok || last && how.NoComplete && len(all) == 0 && !first {
		return
	}
	result := map[string]any{"isError": failed, "isComplete": last && !how.NoComplete}
	if failed && made == 0 {
		result["content"] = []any{map[string]any{"type": "text", "text": task.reason()}}
	} else {
		result["partial-content"] = all
	}
	by := "stream"
	if first {
		by = "first"
	}
	if first && how.Opening == OpenBoth {
		for k, v := range task.creation() {
			result[k] = v
		}
	} else {
		result = task.mark(result)
	}
	task.spoil(by, result)
	task.post(r, result)
}

// post sends one response under the id of the call.
func (task *task) post(r *run, result map[string]any) {
	if !task.begun() {
		if r != nil && r.tear != nil && !task.origin.json {
			task.mu.Lock()
			task.cutAt = task.polls
			task.mu.Unlock()
			task.origin.tear = r.tear
			defer func() { task.origin.tear = nil }()
		}
		task.first(task.origin, result)
		return
	}
	e := event{retry: -1, data: response(task.call, "result", quote(result))}
	if r != nil {
		e = r.message(e.data)
	}
	task.emitOn(r, e)
}

// emitOn puts an event on the stream of the call, torn if the step says so.
func (task *task) emitOn(r *run, e event) {
	switch {
	case task.origin.json:
	case r != nil && r.tear != nil:
		task.tear(task.origin.stream, r, e)
	default:
		task.origin.stream.emit(e)
	}
}

// tear lets the connection of a stream die in the event.
func (task *task) tear(st *stream, r *run, e event) {
	task.mu.Lock()
	task.cutAt = task.polls
	task.mu.Unlock()
	st.torn(e, r.tear.after, r.tear.how)
}

func (task *task) mark(result map[string]any) map[string]any {
	result["_meta"] = map[string]any{metaTask: map[string]any{"taskId": task.id}}
	return result
}

func (task *task) spoil(by string, result map[string]any) {
	task.mu.Lock()
	task.said[by]++
	n := task.said[by]
	task.mu.Unlock()
	if task.policy.Streams.Spoil != nil {
		task.policy.Streams.Spoil(by, n, result)
	}
}

func (task *task) reason() string {
	task.mu.Lock()
	defer task.mu.Unlock()
	return task.message
}

// end gives the task its outcome. In mode streaming the last response leaves
// before the status changes: it "MUST remain working until isComplete: true is
// sent".
func (task *task) end(result, failure json.RawMessage) {
	task.wire.Lock()
	failed := failure != nil || string(field(result, "isError")) == "true"
	message := ""
	if failed && result != nil {
		message = firstText(result)
	}
	if failure != nil {
		message = text(failure, "message")
	}
	task.mu.Lock()
	over := task.gone || terminal(task.status)
	if !over {
		task.message = message
	}
	task.mu.Unlock()
	if over {
		task.wire.Unlock()
		return
	}
	if task.mode == "streaming" {
		task.pushLocked(nil, true, failed)
	}
	status := "completed"
	if failure != nil || failed && !task.modern {
		status = "failed"
	}
	task.mu.Lock()
	task.result, task.failure = result, failure
	task.mu.Unlock()
	task.move(status, message)
	task.tell()
	task.wire.Unlock()
}

// resumeAfter is tasks/result with lastSeqNr: it never waits.
func (task *task) resumeAfter(raw json.RawMessage, poll *polling) Script {
	refuse := func(code int, why string) Script {
		poll.close(code, "", nil)
		return Script{Error(code, why)}
	}
	last, ok := after(raw)
	switch {
	case !ok:
		task.p.log.violation("tasks/result: lastSeqNr %s", raw)
		return refuse(-32602, "lastSeqNr must be a positive integer")
	case task.mode != "streaming":
		task.p.log.violation("tasks/result: lastSeqNr of a task that does not stream")
		return refuse(-32602, "lastSeqNr is for streaming tasks")
	case task.policy.Streams.Resume == NoResumption:
		return refuse(-32603, "resumption is not supported")
	case task.policy.Streams.Resume == FromOne:
		last = 0
	}
	return Script{{func(r *run) {
		task.wire.Lock()
		task.mu.Lock()
		all, seqs := []json.RawMessage{}, []int(nil)
		for _, s := range task.parts {
			if s.seq > last && s.lane != Never {
				s.given = true
				s.got++
				all, seqs = append(all, json.RawMessage(s.String())), append(seqs, s.seq)
			}
		}
		status := task.status
		task.mu.Unlock()
		result := task.mark(map[string]any{
			"partial-content": all, "isError": status == "failed", "isComplete": terminal(status),
		})
		task.spoil("result", result)
		poll.close(0, status, seqs)
		task.wire.Unlock()
		Result(quote(result)).do(r)
	}}}
}
