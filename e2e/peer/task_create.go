//go:build !js

package peer

import (
	"encoding/json"
	"slices"
	"strconv"
)

// augmented is the task field of a call: in params, or beside them as in the
// sample of SEP-2339. nil if the call is none that a session can augment.
func (p *Peer) augmented(s *session, m envelope) json.RawMessage {
	if s.revision != Revision20251125 {
		return nil
	}
	on := p.settings()
	if task := field(m.params, "task"); task != nil || on == nil || on.Ways&ByContinue == 0 {
		return task
	}
	return m.task
}

// refuseTask finds out whether a call must, or must not, be a task; nil lets it.
func (p *Peer) refuseTask(s *session, m envelope, name string) Script {
	t := p.tools.find(name)
	if t == nil {
		return nil
	}
	on, asked, support := p.settings(), p.augmented(s, m), "forbidden"
	if t.task != nil {
		support = t.task.Support
	}
	switch {
	case s.revision == Revision20260728:
		if on != nil && support == "required" && !declares(m.params) {
			return Script{Refuse(400, p.code(missingCapability), "Missing required client capability",
				`{"requiredCapabilities":`+needsTasks+`}`)}
		}
		return nil
	case s.revision != Revision20251125:
		return nil
	case on == nil && asked != nil:
		p.log.violation("tools/call %s: a task, of a server that has none", name)
		return nil
	case on == nil:
		return nil
	case asked != nil && support == "forbidden":
		p.log.violation("tools/call %s: a task, which is forbidden", name)
		return Script{Error(-32601, name+" does not support task-augmented execution")}
	case asked == nil && support == "required":
		p.log.violation("tools/call %s: not a task, which is required", name)
		return Script{Error(-32601, name+" requires task-augmented execution")}
	case asked == nil:
		return nil
	}
	if _, ok := ttlOf(asked); !ok {
		p.log.violation("tools/call %s: ttl %s", name, field(asked, "ttl"))
		return Script{Error(-32602, "task.ttl must be an integer of milliseconds")}
	}
	if _, ok := modesOf(asked); !ok && on.Modes != nil {
		p.log.violation("tools/call %s: responseModes %s", name, field(asked, "responseModes"))
		return Script{Error(-32602, "task.responseModes must be an array of strings")}
	}
	return nil
}

// declares reports whether a modern request declares the extension.
func declares(params json.RawMessage) bool {
	return object(field(params, "_meta", metaCapabilities, "extensions", taskExtension))
}

// ttlOf is the ttl that a client asks for, -1 if it does not, and whether it is
// one. JSON null asks for none.
func ttlOf(task json.RawMessage) (int, bool) {
	raw := field(task, "ttl")
	if raw == nil || string(raw) == "null" {
		return -1, object(task)
	}
	n, err := strconv.Atoi(string(raw))
	return n, err == nil && n >= 0
}

func modesOf(task json.RawMessage) (modes []string, ok bool) {
	raw := field(task, "responseModes")
	return modes, raw == nil || json.Unmarshal(raw, &modes) == nil && modes != nil
}

// taskScript makes a call a task if it is to be one, and returns the script of
// the request itself; nil if the call just runs. s is the session of the call.
func (p *Peer) taskScript(s *session, m envelope, tl *tool, c Call) Script {
	on, asked := p.settings(), p.augmented(s, m)
	isModern := s.revision == Revision20260728
	if on == nil || tl.task == nil || !isModern && asked == nil ||
		isModern && (!declares(m.params) || tl.task.Sync) {
		return nil
	}
	if tl.task.Before != nil {
		if first := tl.task.Before(c); first != nil {
			return first
		}
	}
	t := p.newTask(s, m, *tl.task, on)
	ttl := -1
	if !isModern {
		ttl, _ = ttlOf(asked)
		wanted, _ := modesOf(asked)
		p.judgeModes(s, wanted)
		t.mode, t.warning = choose(wanted, on.Modes, tl.task)
	}
	if streams := tl.task.Streams; streams != nil && streams.Lanes != nil {
		t.lanes = streams.Lanes(c)
	}
	t.owner.note(func() { t.owner.task = t })
	return t.begin(tl.script(c), ttl)
}

// judgeModes: who names a mode has declared it.
func (p *Peer) judgeModes(s *session, wanted []string) {
	s.mu.Lock()
	raw := field(s.declared, "tasks", "responses", "modes")
	s.mu.Unlock()
	var declared []string
	json.Unmarshal(raw, &declared)
	for _, mode := range wanted {
		if !slices.Contains(declared, mode) {
			p.log.violation("tools/call: responseModes has %q, which the client did not declare", mode)
		}
	}
}

// choose is the decision process of SEP-1905, and whether task is a fallback
// that the client did not list.
func choose(wanted, have []string, policy *TaskPolicy) (mode string, warning bool) {
	both := func(mode string) bool { return slices.Contains(wanted, mode) && slices.Contains(have, mode) }
	switch {
	case both("immediate") && policy.Ready != NotReady:
		return "immediate", false
	case both("streaming") && policy.Streams != nil:
		return "streaming", false
	}
	return "task", len(wanted) > 0 && !both("task")
}

// begin is the script of the request that the task was made for. The task's own
// runs beside it, whatever becomes of the request.
func (task *task) begin(script Script, ttl int) Script {
	return Script{{func(r *run) {
		task.origin = r
		work := &run{
			p: task.p, ctx: task.ctx, stop: task.stop, session: task.own, stream: r.stream, post: r.post,
			json:   r.json,
			modern: r.modern, id: r.id, method: r.method, params: r.params, token: r.token, level: r.level,
			task: task,
		}
		if task.mode != "immediate" || task.policy.Ready == ReadyTracked {
			task.keep(ttl)
		}
		if task.mode == "task" {
			task.first(r, task.creation())
		}
		task.p.work.Go(func() {
			defer task.p.changed.signal()
			if task.mode == "streaming" && task.policy.Streams.First == 0 {
				task.push(nil, false, false)
			}
			work.play(script)
		})
		switch task.mode {
		case "immediate":
			if task.p.changed.await(r.ctx, task.over) {
				task.respond(r, nil)
			}
		case "streaming":
			task.p.changed.await(r.ctx, func() bool { return task.over() || r.json && task.begun() })
			task.wire.Lock() // the end of the task is told before the stream ends
			task.wire.Unlock()
			if !task.begun() {
				task.respond(r, nil)
			}
		}
	}}}
}

func (task *task) begun() bool {
	task.mu.Lock()
	defer task.mu.Unlock()
	return task.opened
}

// first sends the answer that tells of the task, unless it is to be lost.
func (task *task) first(r *run, result map[string]any) {
	task.mu.Lock()
	task.opened = true
	task.mu.Unlock()
	switch {
	case task.policy.Lose == None:
	case r.json:
		r.post.cut(task.policy.Lose)
		return
	default:
		r.tear = &tear{eaten, task.policy.Lose}
	}
	r.answer(response(r.id, "result", quote(result)))
	r.tear = nil
}

// respond answers a request with the outcome of the task; poll, if there is one,
// is told before.
func (task *task) respond(r *run, poll *polling) {
	task.mu.Lock()
	gone, status, result, failure := task.gone, task.status, task.result, task.failure
	task.mu.Unlock()
	code := 0
	switch {
	case gone:
		code = -32602
	case status == "cancelled":
		code = -32000
	}
	if poll != nil {
		poll.close(code, status, nil)
	}
	switch {
	case gone:
		Error(code, "Failed to retrieve task: Task has expired").do(r)
	case code != 0:
		Error(code, "the task was cancelled").do(r)
	case failure != nil:
		r.answer(response(r.id, "error", string(failure)))
	case task.mode == "immediate" && task.policy.Ready != ReadyTracked:
		r.answer(response(r.id, "result", string(result)))
	default:
		r.answer(response(r.id, "result", quote(task.related(result))))
	}
}
