//go:build !js

package peer

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"
)

// taskMethod answers the methods that tasks have in a session; nil if the server
// has not that one.
func (p *Peer) taskMethod(s *session, m envelope) Script {
	on := p.settings()
	if on == nil || s.revision != Revision20251125 {
		return nil
	}
	has := map[string]bool{
		"tasks/get": on.Ways&ByGet != 0, "tasks/result": on.Ways&ByResult != 0,
		"tasks/continue": on.Ways&ByContinue != 0,
		"tasks/list":     !on.NoList, "tasks/cancel": !on.NoCancel,
	}
	if !has[m.method] {
		return nil
	}
	if m.method == "tasks/list" {
		return p.listTasks(s, m)
	}
	t, why := p.tasks.find(s, text(m.params, "taskId"))
	if t == nil {
		return Script{Error(-32602, why)}
	}
	poll := t.polled(s, m)
	switch m.method {
	case "tasks/get":
		return Script{t.say(poll, func() map[string]any { return t.shape(m.method, t.details()) })}
	case "tasks/cancel":
		if !t.cancel() {
			poll.close(-32602, "", nil)
			return Script{Error(-32602, "Cannot cancel task: already in a terminal status")}
		}
		return Script{t.say(poll, func() map[string]any { return t.shape(m.method, bare) })}
	case "tasks/continue":
		return t.proceed(s, m, poll)
	}
	if last := field(m.params, "lastSeqNr"); last != nil && on.Modes != nil {
		return t.resumeAfter(last, poll)
	}
	return Script{t.wait(poll)}
}

// say answers with an object of now, and notes the status that it had.
func (task *task) say(poll *polling, result func() map[string]any) Step {
	return Step{func(r *run) {
		all := result()
		status, _ := all["status"].(string)
		poll.close(0, status, nil)
		Result(quote(all)).do(r)
	}}
}

func (p *Peer) listTasks(s *session, m envelope) Script {
	var all []any
	for _, t := range p.tasks.list() {
		t.lapse()
		if t, _ := p.tasks.find(s, t.id); t != nil {
			all = append(all, t.shape(m.method, bare))
		}
	}
	return p.page(m, "tasks", all)
}

// wait is tasks/result: it "MUST block until the task reaches a terminal
// status", and its stream carries what the task asks meanwhile.
func (task *task) wait(poll *polling) Step {
	return Step{func(r *run) {
		task.mu.Lock()
		task.joined = append(task.joined, r)
		task.mu.Unlock()
		task.p.changed.signal()
		defer func() {
			task.mu.Lock()
			task.joined = slices.DeleteFunc(task.joined, func(o *run) bool { return o == r })
			task.mu.Unlock()
		}()
		if !r.json {
			r.post.openStream()
		}
		for {
			if !task.p.changed.await(r.ctx, func() bool { return task.over() || len(task.due(r)) > 0 }) {
				return
			}
			if task.over() {
				break
			}
			for _, in := range task.due(r) {
				task.mu.Lock()
				in.at = r
				task.mu.Unlock()
				task.put(in, r.emit)
			}
		}
		task.respond(r, poll)
	}}
}

// cancel is tasks/cancel; false if there is nothing left to cancel.
func (task *task) cancel() bool {
	task.wire.Lock()
	if task.over() {
		task.wire.Unlock()
		return false
	}
	if task.mode == "streaming" && task.policy.Streams.LastWord {
		task.pushLocked(nil, true, false)
	}
	task.move("cancelled", "The task was cancelled by request.")
	task.tell()
	task.wire.Unlock()
	if !task.p.opts.IgnoreCancel {
		task.stop()
	}
	return true
}

// proceed is tasks/continue: what the client brings is taken first, then it gets
// what there is.
func (task *task) proceed(s *session, m envelope, poll *polling) Script {
	answers, state := field(m.params, "inputResponses"), field(m.params, "requestState")
	task.mu.Lock()
	want := task.state
	task.mu.Unlock()
	wrong := state != nil && text(state) != want || state == nil && want != "" && answers != nil
	if wrong {
		task.p.log.violation("tasks/continue: requestState of %d bytes, given out %d", len(text(state)),
			len(want))
		poll.close(-32602, "", nil)
		return Script{Error(-32602, "this is not the requestState")}
	}
	if answers != nil {
		poll.took(task.take(members(answers), s.id))
	}
	return Script{task.say(poll, func() map[string]any {
		task.mu.Lock()
		open := task.status == "input_required"
		asked := map[string]any{}
		if open && !task.server.InTask {
			asked["inputRequests"] = task.requests()
			if task.server.Typed {
				asked["resultType"] = "input_required"
			}
		}
		task.mu.Unlock()
		if !open || task.server.InTask {
			asked = task.shape(m.method, complete)
		}
		if open && task.server.State != nil {
			task.mu.Lock()
			task.states++
			if task.state = task.server.State(task.states); task.state != "" {
				asked["requestState"] = task.state
			}
			task.mu.Unlock()
		}
		return asked
	})}
}

// after reads lastSeqNr: "valid lastSeqNr values are positive integers".
func after(raw json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 1 || f != math.Trunc(f) {
		return 0, false
	}
	return int(min(f, math.MaxInt32)), true
}

// polling is the note of one tasks/... request, until it is answered.
type polling struct {
	t  *task
	at int
}

func (task *task) polled(s *session, m envelope) *polling {
	now := time.Now()
	poll := Poll{Time: now, Session: s.id, ID: m.id, Method: m.method,
		LastSeqNr: string(field(m.params, "lastSeqNr"))}
	at := 0
	task.owner.note(func() {
		e := task.owner
		if n := len(e.polls); n > 0 {
			poll.Since = now.Sub(e.polls[n-1].Time)
		}
		at = len(e.polls)
		e.polls = append(e.polls, poll)
		e.heard = append(e.heard, Seen{Time: now, HTTPMethod: "POST", Method: m.method, ID: m.id,
			Session: s.id})
	})
	task.mu.Lock()
	task.polls++
	task.mu.Unlock()
	task.p.changed.signal()
	return &polling{task, at}
}

func (o *polling) close(code int, status string, segments []int) {
	o.t.owner.note(func() {
		one := &o.t.owner.polls[o.at]
		one.Error, one.Status, one.Segments, one.Answered = code, status, segments, true
	})
}

func (o *polling) took(keys []string) {
	o.t.owner.note(func() { o.t.owner.polls[o.at].Inputs = keys })
}
