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
func (task *task) shape(method string, with detail) map[string]any {
	task.mu.Lock()
	stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
	d := map[string]any{
		"taskId": task.id, "status": task.status, "createdAt": stamp(task.created),
		"lastUpdatedAt": stamp(task.updated),
	}
	ttl, interval := "ttl", "pollInterval"
	if task.modern {
		ttl, interval = "ttlMs", "pollIntervalMs"
	}
	if d[ttl] = nil; task.ttl >= 0 {
		d[ttl] = task.ttl
	}
	if task.poll > 0 {
		d[interval] = task.poll
	}
	if task.message != "" {
		d["statusMessage"] = task.message
	}
	if with >= outcome {
		switch task.status {
		case "completed":
			d["result"] = task.result
		case "failed":
			d["error"] = task.problem()
		}
	}
	if with == complete && task.status == "input_required" {
		d["inputRequests"] = task.requests()
	}
	task.said[method]++
	n := task.said[method]
	task.mu.Unlock()
	if task.server.Twist != nil {
		task.server.Twist(method, n, d)
	}
	return d
}

// details is what tasks/get and notifications carry.
func (task *task) details() detail {
	switch {
	case task.modern:
		return complete
	case task.server.Ways&ByContinue != 0:
		return outcome
	}
	return bare
}

// problem is the error of a failed task. SEP-2339 has only that for a tool's own
// isError, too: the message is its text, the data the whole result. Locked.
func (task *task) problem() json.RawMessage {
	if task.failure != nil {
		return task.failure
	}
	return json.RawMessage(
		quote(map[string]any{"code": -32603, "message": firstText(task.result), "data": task.result}))
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
func (task *task) related(raw json.RawMessage) map[string]any {
	all := make(map[string]any)
	for k, v := range members(raw) {
		all[k] = v
	}
	meta := members(field(raw, "_meta"))
	meta[metaTask] = json.RawMessage(quote(map[string]any{"taskId": task.id}))
	all["_meta"] = meta
	return all
}

// creation is the CreateTaskResult.
func (task *task) creation() map[string]any {
	d := task.shape("tools/call", bare)
	if task.modern {
		d["resultType"] = "task"
		return d
	}
	result, meta := map[string]any{"task": d}, map[string]any{}
	if task.warning && task.server.Flag == FlagMessage {
		d["statusMessage"] = "none of the response modes is available: task"
	}
	if task.warning && task.server.Flag == FlagMeta {
		meta[metaFallback] = "task"
	}
	if task.policy.AtOnce != "" {
		meta[metaAtOnce] = task.policy.AtOnce
	}
	if len(meta) > 0 {
		result["_meta"] = meta
	}
	return result
}

// become changes the status of a task that is not over, and says so before
// anything else can change it.
func (task *task) become(status, message string) {
	task.wire.Lock()
	defer task.wire.Unlock()
	if task.move(status, message) {
		task.tell()
	}
}

// tell sends the status to whom it may concern. The wire is locked.
func (task *task) tell() {
	if !task.kept {
		return
	}
	if task.modern {
		for _, l := range task.p.shelf.listening() {
			if l.wants("notifications/tasks", json.RawMessage(quote(map[string]any{"taskId": task.id}))) {
				l.tell("notifications/tasks", json.RawMessage(quote(task.shape("notification", complete))))
			}
		}
		return
	}
	switch where := task.server.Status; {
	case where == TellStandalone:
		task.home.standalone.emit(task.announcement())
	case where == TellCall && task.mode == "streaming" && !task.origin.json:
		task.origin.stream.emit(task.announcement())
	}
}

func (task *task) announcement() event {
	return event{retry: -1, data: notification("notifications/tasks/status",
		quote(task.shape("notification", task.details())))}
}
