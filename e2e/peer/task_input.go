//go:build !js

package peer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// An input is one question of a task to its client.
type input struct {
	id, key        string // as Ask has it, raw, and the key in inputRequests
	wire           string // raw id of the request that a session gets
	method, params string
	answer         json.RawMessage
	at             *run // the tasks/result whose stream carries it
}

// ask makes the task wait for an answer. Keys are unique over its life, unless a
// script asks twice under one: then it waits for another answer.
func (task *task) ask(id, method, params string) {
	if params == "" {
		params = "{}"
	}
	in := &input{id: id, wire: id, key: strings.Trim(id, `"`), method: method, params: params}
	if key := text(json.RawMessage(id)); key != "" {
		in.key = key
	}
	for _, o := range task.p.tasks.list() {
		if o != task && o.asked(id) { // ids are unique in a session, keys in a task
			in.wire = quote(task.id[:min(8, len(task.id))] + "." + in.key)
		}
	}
	task.owner.note(
		func() { task.owner.questions = append(task.owner.questions, &Question{ID: id, Asked: 1}) })
	task.own.mu.Lock()
	delete(task.own.replies, id)
	task.own.mu.Unlock()
	task.mu.Lock()
	task.inputs = append(task.inputs, in)
	task.mu.Unlock()
	task.become("input_required", "")
	if task.server.AskStandalone && !task.modern {
		task.put(in, func(e event) { task.home.standalone.emit(e) })
	}
}

// put sends a question as a request of its own, marked as the task's.
func (task *task) put(in *input, emit func(event)) {
	task.sent(in)
	emit(event{retry: -1, data: request(in.wire, in.method, quote(task.related(json.RawMessage(in.params))))})
}

func (task *task) asked(id string) bool {
	task.mu.Lock()
	defer task.mu.Unlock()
	return slices.ContainsFunc(task.inputs, func(in *input) bool { return in.id == id })
}

// sent counts how often a question left.
func (task *task) sent(in *input) {
	task.owner.note(func() {
		for _, q := range task.owner.questions {
			if q.ID == in.id {
				q.Written++
			}
		}
	})
}

// requests are the open questions as inputRequests. Locked.
func (task *task) requests() map[string]any {
	open := make(map[string]any)
	for _, in := range task.inputs {
		if in.answer == nil {
			open[in.key] = map[string]any{"method": in.method, "params": json.RawMessage(in.params)}
			task.sent(in)
		}
	}
	return open
}

// due are the questions that this tasks/result must send: those that nobody
// sent, or whose stream has lost its connection.
func (task *task) due(r *run) []*input {
	task.mu.Lock()
	defer task.mu.Unlock()
	if task.server.AskStandalone || task.gone || terminal(task.status) || len(task.joined) == 0 ||
		task.joined[len(task.joined)-1] != r {
		return nil
	}
	var all []*input
	for _, in := range task.inputs {
		if in.answer == nil && (in.at == nil || in.at != r && !task.server.AskOnce && in.at.deaf()) {
			all = append(all, in)
		}
	}
	return all
}

// deaf reports whether no connection carries the stream of a run.
func (r *run) deaf() bool {
	if r.json {
		return false // the standalone stream has them
	}
	c := r.stream.now.Load()
	return c == nil || c.dead.Load()
}

// take is what the client brings to its questions, by key. What it brings twice
// must be the same.
func (task *task) take(answers map[string]json.RawMessage, session string) (taken []string) {
	fresh := make(map[string]json.RawMessage)
	for _, key := range sorted(answers) {
		answer := answers[key]
		task.mu.Lock()
		i := slices.IndexFunc(task.inputs, func(in *input) bool { return in.key == key && in.answer == nil })
		if i < 0 {
			i = slices.IndexFunc(task.inputs, func(in *input) bool { return in.key == key })
		}
		if i < 0 {
			task.mu.Unlock()
			task.p.log.violation("task %s: an answer to %q, which was never asked", task.owner.label, key)
			continue
		}
		in := task.inputs[i]
		before := in.answer
		if in.answer = answer; before != nil {
			in.answer = before
		}
		task.mu.Unlock()
		taken = append(taken, key)
		task.owner.note(func() {
			for _, q := range task.owner.questions {
				if q.ID == in.id {
					q.Answers = append(q.Answers, Answer{Time: time.Now(), Session: session,
						Outcome: string(answer)})
				}
			}
		})
		switch {
		case before == nil:
			fresh[in.id] = answer
		case !bytes.Equal(before, answer):
			task.p.log.violation("task %s: another answer to %q", task.owner.label, key)
		}
		if field(answer, "jsonrpc") != nil || field(answer, "resultType") != nil {
			task.p.log.violation("task %s: the answer to %q is more than the bare result", task.owner.label,
				key)
		}
	}
	task.satisfied()
	// The script goes on only now: nobody misses that it works again.
	task.own.mu.Lock()
	for id, answer := range fresh {
		task.own.replies[id] = envelope{id: id, outcome: answer}
	}
	task.own.mu.Unlock()
	task.p.changed.signal()
	return taken
}

// satisfied lets the task go on when nothing is open any more.
func (task *task) satisfied() {
	task.mu.Lock()
	done := task.status == "input_required" && !slices.ContainsFunc(
		task.inputs, func(in *input) bool { return in.answer == nil })
	task.mu.Unlock()
	if done {
		task.become("working", "")
	}
}

// replied gives a POSTed response to the task that asked; false if none did.
func (l *taskList) replied(s *session, m envelope) {
	for _, t := range l.list() {
		if t.modern {
			continue
		}
		t.mu.Lock()
		i := slices.IndexFunc(t.inputs, func(in *input) bool { return in.wire == m.id })
		key := ""
		if i >= 0 {
			key = t.inputs[i].key
		}
		t.mu.Unlock()
		if i < 0 {
			continue
		}
		if field(m.outcome, "code") == nil && text(m.outcome, "_meta", metaTask, "taskId") != t.id {
			t.p.log.violation("response %s: no related-task of its task", m.id)
		}
		t.take(map[string]json.RawMessage{key: m.outcome}, s.id)
	}
}
