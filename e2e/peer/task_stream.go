//go:build !js

package peer

import "encoding/json"

// push sends what waits on the stream of the call: in the first answer if none
// has left, in another response with the same id if one has. The last one says
// isComplete.
func (t *task) push(r *run, last, failed bool) {
	t.wire.Lock()
	defer t.wire.Unlock()
	t.pushLocked(r, last, failed)
}

func (t *task) pushLocked(r *run, last, failed bool) {
	t.mu.Lock()
	stopped := t.gone || terminal(t.status) && !last
	how := t.policy.Streams
	t.mu.Unlock()
	if stopped {
		return
	}
	if !t.begun() && how.Opening == OpenTask {
		t.post(r, t.creation())
		t.mu.Lock()
		idle := len(t.waiting) == 0 && !last
		t.mu.Unlock()
		if idle {
			return
		}
	}
	t.mu.Lock()
	all, ok := t.batch(last)
	first, made := !t.opened, len(t.parts)
	t.mu.Unlock()
	if !ok || last && how.NoComplete && len(all) == 0 && !first {
		return
	}
	result := map[string]any{"isError": failed, "isComplete": last && !how.NoComplete}
	if failed && made == 0 {
		result["content"] = []any{map[string]any{"type": "text", "text": t.reason()}}
	} else {
		result["partial-content"] = all
	}
	by := "stream"
	if first {
		by = "first"
	}
	if first && how.Opening == OpenBoth {
		for k, v := range t.creation() {
			result[k] = v
		}
	} else {
		result = t.mark(result)
	}
	t.spoil(by, result)
	t.post(r, result)
}

// post sends one response under the id of the call.
func (t *task) post(r *run, result map[string]any) {
	if !t.begun() {
		if r != nil && r.tear != nil && !t.origin.json {
			t.mu.Lock()
			t.cutAt = t.polls
			t.mu.Unlock()
			t.origin.tear = r.tear
			defer func() { t.origin.tear = nil }()
		}
		t.first(t.origin, result)
		return
	}
	e := event{retry: -1, data: response(t.call, "result", quote(result))}
	if r != nil {
		e = r.message(e.data)
	}
	t.emitOn(r, e)
}

// emitOn puts an event on the stream of the call, torn if the step says so.
func (t *task) emitOn(r *run, e event) {
	switch {
	case t.origin.json:
	case r != nil && r.tear != nil:
		t.tear(t.origin.stream, r, e)
	default:
		t.origin.stream.emit(e)
	}
}

// tear lets the connection of a stream die in the event.
func (t *task) tear(st *stream, r *run, e event) {
	t.mu.Lock()
	t.cutAt = t.polls
	t.mu.Unlock()
	st.torn(e, r.tear.after, r.tear.how)
}

func (t *task) mark(result map[string]any) map[string]any {
	result["_meta"] = map[string]any{metaTask: map[string]any{"taskId": t.id}}
	return result
}

func (t *task) spoil(by string, result map[string]any) {
	t.mu.Lock()
	t.said[by]++
	n := t.said[by]
	t.mu.Unlock()
	if t.policy.Streams.Spoil != nil {
		t.policy.Streams.Spoil(by, n, result)
	}
}

func (t *task) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.message
}

// end gives the task its outcome. In mode streaming the last response leaves
// before the status changes: it "MUST remain working until isComplete: true is
// sent".
func (t *task) end(result, failure json.RawMessage) {
	t.wire.Lock()
	failed := failure != nil || string(field(result, "isError")) == "true"
	message := ""
	if failed && result != nil {
		message = firstText(result)
	}
	if failure != nil {
		message = text(failure, "message")
	}
	t.mu.Lock()
	over := t.gone || terminal(t.status)
	if !over {
		t.message = message
	}
	t.mu.Unlock()
	if over {
		t.wire.Unlock()
		return
	}
	if t.mode == "streaming" {
		t.pushLocked(nil, true, failed)
	}
	status := "completed"
	if failure != nil || failed && !t.modern {
		status = "failed"
	}
	t.mu.Lock()
	t.result, t.failure = result, failure
	t.mu.Unlock()
	t.move(status, message)
	t.tell()
	t.wire.Unlock()
}

// resumeAfter is tasks/result with lastSeqNr: it never waits.
func (t *task) resumeAfter(raw json.RawMessage, poll *polling) Script {
	refuse := func(code int, why string) Script {
		poll.close(code, "", nil)
		return Script{Error(code, why)}
	}
	last, ok := after(raw)
	switch {
	case !ok:
		t.p.log.violation("tasks/result: lastSeqNr %s", raw)
		return refuse(-32602, "lastSeqNr must be a positive integer")
	case t.mode != "streaming":
		t.p.log.violation("tasks/result: lastSeqNr of a task that does not stream")
		return refuse(-32602, "lastSeqNr is for streaming tasks")
	case t.policy.Streams.Resume == NoResumption:
		return refuse(-32603, "resumption is not supported")
	case t.policy.Streams.Resume == FromOne:
		last = 0
	}
	return Script{{func(r *run) {
		t.wire.Lock()
		t.mu.Lock()
		all, seqs := []json.RawMessage{}, []int(nil)
		for _, s := range t.parts {
			if s.seq > last && s.lane != Never {
				s.given = true
				s.got++
				all, seqs = append(all, json.RawMessage(s.String())), append(seqs, s.seq)
			}
		}
		status := t.status
		t.mu.Unlock()
		result := t.mark(map[string]any{
			"partial-content": all, "isError": status == "failed", "isComplete": terminal(status),
		})
		t.spoil("result", result)
		poll.close(0, status, seqs)
		t.wire.Unlock()
		Result(quote(result)).do(r)
	}}}
}
