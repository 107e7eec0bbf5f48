//go:build !js

package peer

import "time"

// TaskState is what became of one run of a call as a task.
type TaskState struct {
	ID       string
	Run      int
	Mode     string // task, immediate or streaming
	Status   string
	Gone     bool // expired, or forgotten
	Segments []SegmentState
	Open     []string // the keys of questions without an answer
	Waiting  int      // tasks/result requests that block
}

// SegmentState is one piece of a result, and how often it left. Each mechanism
// counts what it was given: whether it arrived is another matter.
type SegmentState struct {
	Seq    int
	Block  string
	Lane   Lane
	Stream int // in responses on the stream of the call
	Result int // in answers to tasks/result with lastSeqNr
}

// Poll is one request about a task, and its answer.
type Poll struct {
	Time      time.Time
	Since     time.Duration // the one before; 0 for the first
	Session   string
	ID        string // raw
	Method    string
	LastSeqNr string   // raw; "" if none came
	Inputs    []string // the keys that it brought answers to
	Answered  bool
	Error     int    // JSON-RPC code of the answer
	Status    string // of the task in the answer
	Segments  []int  // in the answer, before they were spoilt
}

// Tasks lists what became of a call that was made a task, one for each run.
func (o *Oracle) Tasks(label string) []TaskState {
	runs := gather(o, label, func(e *execution) []*execution {
		if e.task == nil {
			return nil
		}
		return []*execution{e}
	})
	var all []TaskState
	for _, e := range runs {
		all = append(all, e.task.snapshot(e.run))
	}
	return all
}

func (task *task) snapshot(run int) TaskState {
	task.mu.Lock()
	defer task.mu.Unlock()
	s := TaskState{ID: task.id, Run: run, Mode: task.mode, Status: task.status, Gone: task.gone,
		Waiting: len(task.joined)}
	for _, p := range task.parts {
		s.Segments = append(s.Segments,
			SegmentState{Seq: p.seq, Block: string(p.block), Lane: p.lane, Stream: p.sent, Result: p.got})
	}
	for _, in := range task.inputs {
		if in.answer == nil {
			s.Open = append(s.Open, in.key)
		}
	}
	return s
}

// Polls lists the requests about the tasks of a call: tasks/get, tasks/result,
// tasks/continue, tasks/update and tasks/cancel.
func (o *Oracle) Polls(label string) []Poll {
	return gather(o, label, func(e *execution) []Poll { return e.polls })
}

// Cancels is how often tasks/cancel came for a call.
func (o *Oracle) Cancels(label string) int {
	n := 0
	for _, one := range o.Polls(label) {
		if one.Method == "tasks/cancel" {
			n++
		}
	}
	return n
}

// Hasty is how many polls came sooner than the interval after the one before:
// "requestors SHOULD respect the pollInterval". What blocks, brings an answer or
// fetches segments is none.
func (o *Oracle) Hasty(label string, interval time.Duration) int {
	n := 0
	for i, one := range o.Polls(label) {
		if i > 0 && one.Since < interval && (one.Method == "tasks/get" ||
			one.Method == "tasks/continue" && one.Inputs == nil) {
			n++
		}
	}
	return n
}

// alias lets the session of a task's script find the run of the call.
func (o *Oracle) alias(t *task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.owner != nil {
		o.by[place{t.own, t.call}] = t.owner
	}
}

// isTask reports whether a request was made a task that others can ask about.
func (o *Oracle) isTask(s *session, id string) bool {
	e := o.find(s, id)
	if e == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return e.task != nil && e.task.mode != "immediate"
}
