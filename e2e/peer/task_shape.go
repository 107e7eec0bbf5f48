//go:build !js

package peer

import (
	"encoding/json"
	"time"
)

// A detail is what a task object carries besides its fields.
type detail int

const (
	bare     detail = iota
	outcome         // its result or error
	complete        // that, and its open questions
)

// shape is the task as it leaves in the answer to a method.
func (t *task) shape(method string, with detail) map[string]any {
	t.mu.Lock()
	stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
	d := map[string]any{
		"taskId": t.id, "status": t.status, "createdAt": stamp(t.created), "lastUpdatedAt": stamp(t.updated),
	}
	ttl, interval := "ttl", "pollInterval"
	if t.modern {
		ttl, interval = "ttlMs", "pollIntervalMs"
	}
	if d[ttl] = nil; t.ttl >= 0 {
		d[ttl] = t.ttl
	}
	if t.poll > 0 {
		d[interval] = t.poll
	}
	if t.message != "" {
		d["statusMessage"] = t.message
	}
	if with >= outcome {
		switch t.status {
		case "completed":
			d["result"] = t.result
		case "failed":
			d["error"] = t.problem()
		}
	}
	if with == complete && t.status == "input_required" {
		d["inputRequests"] = t.requests()
	}
	t.said[method]++
	n := t.said[method]
	t.mu.Unlock()
	if t.server.Twist != nil {
		t.server.Twist(method, n, d)
	}
	return d
}

// details is what tasks/get and notifications carry.
func (t *task) details() detail {
	switch {
	case t.modern:
		return complete
	case t.server.Ways&ByContinue != 0:
		return outcome
	}
	return bare
}

// problem is the error of a failed task. SEP-2339 has only that for a tool's own
// isError, too: the message is its text, the data the whole result. Locked.
func (t *task) problem() json.RawMessage {
	if t.failure != nil {
		return t.failure
	}
	return json.RawMessage(quote(map[string]any{"code": -32603, "message": firstText(t.result), "data": t.result}))
}

// firstText is what a result says first.
func firstText(result json.RawMessage) string {
	var content []json.RawMessage
	json.Unmarshal(field(result, "content"), &content)
	for _, block := range content {
		if s := text(block, "text"); s != "" {
			return s
		}
	}
	return "the tool failed"
}

// related adds the mark of the task to a result or to params.
func (t *task) related(raw json.RawMessage) map[string]any {
	all := make(map[string]any)
	for k, v := range members(raw) {
		all[k] = v
	}
	meta := members(field(raw, "_meta"))
	meta[metaTask] = json.RawMessage(quote(map[string]any{"taskId": t.id}))
	all["_meta"] = meta
	return all
}

// creation is the CreateTaskResult.
func (t *task) creation() map[string]any {
	d := t.shape("tools/call", bare)
	if t.modern {
		d["resultType"] = "task"
		return d
	}
	result, meta := map[string]any{"task": d}, map[string]any{}
	if t.warning && t.server.Flag == FlagMessage {
		d["statusMessage"] = "none of the response modes is available: task"
	}
	if t.warning && t.server.Flag == FlagMeta {
		meta[metaFallback] = "task"
	}
	if t.policy.AtOnce != "" {
		meta[metaAtOnce] = t.policy.AtOnce
	}
	if len(meta) > 0 {
		result["_meta"] = meta
	}
	return result
}

// become changes the status of a task that is not over, and says so before
// anything else can change it.
func (t *task) become(status, message string) {
	t.wire.Lock()
	defer t.wire.Unlock()
	if t.move(status, message) {
		t.tell()
	}
}

// tell sends the status to whom it may concern. The wire is locked.
func (t *task) tell() {
	if !t.kept {
		return
	}
	if t.modern {
		for _, l := range t.p.shelf.listening() {
			if l.wants("notifications/tasks", json.RawMessage(quote(map[string]any{"taskId": t.id}))) {
				l.tell("notifications/tasks", json.RawMessage(quote(t.shape("notification", complete))))
			}
		}
		return
	}
	switch where := t.server.Status; {
	case where == TellStandalone:
		t.home.standalone.emit(t.announcement())
	case where == TellCall && t.mode == "streaming" && !t.origin.json:
		t.origin.stream.emit(t.announcement())
	}
}

func (t *task) announcement() event {
	return event{retry: -1, data: notification("notifications/tasks/status", quote(t.shape("notification", t.details())))}
}
