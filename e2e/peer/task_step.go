//go:build !js

package peer

import "encoding/json"

// Segment makes the next piece of the content, a JSON content block. A task that
// streams sends it as its lane says; any other call keeps it for [Merged].
func Segment(block string) Step {
	return Step{func(r *run) {
		if r.task == nil {
			r.blocks = append(r.blocks, json.RawMessage(block))
			return
		}
		r.task.segment(r, json.RawMessage(block))
	}}
}

// TextSegment is Segment with a text block.
func TextSegment(text string) Step {
	return Segment(quote(map[string]any{"type": "text", "text": text}))
}

// Merged answers with all segments as content, and with other members of the
// result: `"structuredContent":{"n":3}`; "" adds none.
func Merged(members string) Step {
	return Step{func(r *run) {
		blocks, how := r.blocks, (*Streaming)(nil)
		if t := r.task; t != nil {
			t.mu.Lock()
			for _, s := range t.parts {
				blocks = append(blocks, s.block)
			}
			t.mu.Unlock()
			how = t.policy.Streams
		}
		result := `{"content":` + quote(merged(blocks, how))
		if members != "" {
			result += "," + members
		}
		Result(result + "}").do(r)
	}}
}

// OddSegment puts what is no proper segment into the next response: a block with
// a seqNr as it is written here, or without one if that is "". The task does not
// know of it.
func OddSegment(seqNr, block string) Step {
	return streamed(func(t *task, r *run) {
		t.waiting = append(t.waiting, item{text: string(numbered(seqNr, json.RawMessage(block)))})
	})
}

// Send sends one response on the stream with these segments in this order,
// whatever their lanes and however often they left before.
func Send(seqs ...int) Step {
	return Step{func(r *run) {
		streamed(func(t *task, r *run) {
			for _, seq := range seqs {
				if seq < 1 || seq > len(t.parts) {
					continue
				}
				s := t.parts[seq-1]
				s.given = true
				s.sent++
				t.waiting = append(t.waiting, item{text: s.String()})
			}
		}).do(r)
		Flush().do(r)
	}}
}

// Flush sends what waits on the stream.
func Flush() Step {
	return Step{func(r *run) {
		if r.task != nil && r.task.mode == "streaming" {
			r.task.push(r, false, false)
		}
	}}
}

func streamed(do func(*task, *run)) Step {
	return Step{func(r *run) {
		if t := r.task; t != nil && t.mode == "streaming" {
			t.mu.Lock()
			do(t, r)
			t.mu.Unlock()
		}
	}}
}

// Note changes the statusMessage of the task, which tells whoever listens.
func Note(message string) Step {
	return Step{func(r *run) {
		if r.task != nil {
			r.task.become("working", message)
		}
	}}
}

// PollEvery changes the poll interval of the task, in milliseconds.
func PollEvery(ms int) Step {
	return Step{func(r *run) {
		if t := r.task; t != nil {
			t.mu.Lock()
			t.poll = ms
			t.mu.Unlock()
		}
	}}
}

// Polled stops the script until the task was asked about so many times.
func Polled(times int) Step {
	return Step{func(r *run) {
		if t := r.task; t != nil {
			r.p.changed.await(r.ctx, func() bool {
				t.mu.Lock()
				defer t.mu.Unlock()
				return t.polls >= times
			})
		}
	}}
}

// Input asks for an input under a key, as [Ask] does, and waits for it.
func Input(key, method, params string) Script {
	return Script{Ask(quote(key), method, params), Reply(quote(key))}
}

// emit is where the messages of a task's script go: the stream of its call while
// that is open, else that of tasks/result or the standalone one. The extension
// has none: progress and log messages "are not supported on tasks".
func (task *task) emit(r *run, e event) {
	switch {
	case task.modern:
		return
	case task.mode != "task" && !task.origin.json:
		task.wire.Lock()
		defer task.wire.Unlock()
		task.emitOn(r, task.marked(e))
		return
	case e.prime:
		return
	}
	task.mu.Lock()
	var at *run
	for _, o := range task.joined {
		if !o.deaf() && !o.json {
			at = o
		}
	}
	task.mu.Unlock()
	if at == nil {
		task.home.standalone.emit(task.marked(e))
		return
	}
	if r.tear != nil {
		task.tear(at.stream, r, task.marked(e))
		return
	}
	at.emit(task.marked(e))
}

// marked adds related-task to a progress or log message of a task.
func (task *task) marked(e event) event {
	raw := json.RawMessage(e.data)
	method := text(raw, "method")
	if method != "notifications/progress" && method != "notifications/message" || task.mode == "immediate" {
		return e
	}
	e.data = notification(method, quote(task.related(field(raw, "params"))))
	return e
}

// cut ends every connection that carries the task now.
func (task *task) cut(how Cutting) {
	task.mu.Lock()
	task.cutAt = task.polls
	joined := append([]*run(nil), task.joined...)
	task.mu.Unlock()
	if task.mode != "task" && task.origin.json {
		task.origin.post.cut(how)
	} else if task.mode != "task" {
		task.origin.stream.cut(how)
	}
	for _, r := range joined {
		if r.json {
			r.post.cut(how)
		} else {
			r.stream.cut(how)
		}
	}
}

// heard reports whether the client is there again after a cut: a connection
// carries the stream, or it has asked since.
func (task *task) heard() bool {
	task.mu.Lock()
	again := task.polls > task.cutAt
	task.mu.Unlock()
	return again || !task.origin.json && task.origin.stream.now.Load() != nil
}
