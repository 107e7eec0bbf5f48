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
func (t *task) ask(id, method, params string) {
	if params == "" {
		params = "{}"
	}
	in := &input{id: id, wire: id, key: strings.Trim(id, `"`), method: method, params: params}
	if key := text(json.RawMessage(id)); key != "" {
		in.key = key
	}
	for _, o := range t.p.tasks.list() {
		if o != t && o.asked(id) { // ids are unique in a session, keys in a task
			in.wire = quote(t.id[:min(8, len(t.id))] + "." + in.key)
		}
	}
	t.owner.note(func() { t.owner.questions = append(t.owner.questions, &Question{ID: id, Asked: 1}) })
	t.own.mu.Lock()
	delete(t.own.replies, id)
	t.own.mu.Unlock()
	t.mu.Lock()
	t.inputs = append(t.inputs, in)
	t.mu.Unlock()
	t.become("input_required", "")
	if t.server.AskStandalone && !t.modern {
		t.put(in, func(e event) { t.home.standalone.emit(e) })
	}
}

// put sends a question as a request of its own, marked as the task's.
func (t *task) put(in *input, emit func(event)) {
	t.sent(in)
	emit(event{retry: -1, data: request(in.wire, in.method, quote(t.related(json.RawMessage(in.params))))})
}

func (t *task) asked(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.inputs, func(in *input) bool { return in.id == id })
}

// sent counts how often a question left.
func (t *task) sent(in *input) {
	t.owner.note(func() {
		for _, q := range t.owner.questions {
			if q.ID == in.id {
				q.Written++
			}
		}
	})
}

// requests are the open questions as inputRequests. Locked.
func (t *task) requests() map[string]any {
	open := make(map[string]any)
	for _, in := range t.inputs {
		if in.answer == nil {
			open[in.key] = map[string]any{"method": in.method, "params": json.RawMessage(in.params)}
			t.sent(in)
		}
	}
	return open
}

// due are the questions that this tasks/result must send: those that nobody
// sent, or whose stream has lost its connection.
func (t *task) due(r *run) []*input {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.server.AskStandalone || t.gone || terminal(t.status) || len(t.joined) == 0 || t.joined[len(t.joined)-1] != r {
		return nil
	}
	var all []*input
	for _, in := range t.inputs {
		if in.answer == nil && (in.at == nil || in.at != r && !t.server.AskOnce && in.at.deaf()) {
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
func (t *task) take(answers map[string]json.RawMessage, session string) (taken []string) {
	fresh := make(map[string]json.RawMessage)
	for _, key := range sorted(answers) {
		answer := answers[key]
		t.mu.Lock()
		i := slices.IndexFunc(t.inputs, func(in *input) bool { return in.key == key && in.answer == nil })
		if i < 0 {
			i = slices.IndexFunc(t.inputs, func(in *input) bool { return in.key == key })
		}
		if i < 0 {
			t.mu.Unlock()
			t.p.log.violation("task %s: an answer to %q, which was never asked", t.owner.label, key)
			continue
		}
		in := t.inputs[i]
		before := in.answer
		if in.answer = answer; before != nil {
			in.answer = before
		}
		t.mu.Unlock()
		taken = append(taken, key)
		t.owner.note(func() {
			for _, q := range t.owner.questions {
				if q.ID == in.id {
					q.Answers = append(q.Answers, Answer{Time: time.Now(), Session: session, Outcome: string(answer)})
				}
			}
		})
		switch {
		case before == nil:
			fresh[in.id] = answer
		case !bytes.Equal(before, answer):
			t.p.log.violation("task %s: another answer to %q", t.owner.label, key)
		}
		if field(answer, "jsonrpc") != nil || field(answer, "resultType") != nil {
			t.p.log.violation("task %s: the answer to %q is more than the bare result", t.owner.label, key)
		}
	}
	t.satisfied()
	// The script goes on only now: nobody misses that it works again.
	t.own.mu.Lock()
	for id, answer := range fresh {
		t.own.replies[id] = envelope{id: id, outcome: answer}
	}
	t.own.mu.Unlock()
	t.p.changed.signal()
	return taken
}

// satisfied lets the task go on when nothing is open any more.
func (t *task) satisfied() {
	t.mu.Lock()
	done := t.status == "input_required" && !slices.ContainsFunc(t.inputs, func(in *input) bool { return in.answer == nil })
	t.mu.Unlock()
	if done {
		t.become("working", "")
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
