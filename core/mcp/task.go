package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// task is the server's task that carries a call (2025-11-25 basic/utilities/
// tasks), with or without a result that is streamed in numbered segments
// (SEP-1905). Nothing but its id is needed to go on with it after a reload.
type task struct {
	id       string
	interval int64 // ms between two tasks/get
	status   string
	said     string // its statusMessage
	wall     int64  // ms since 1970 when it was made, by this side's clock

	poll  subcall // tasks/get
	fetch subcall // tasks/result
	// final: nothing is missing but what only the whole result has.
	final bool
	// whole: this server does not resume from a number (SEP-1905, -32603).
	whole bool

	segments segments
	streams  bool // it has sent partial-content
	ended    int  // polls that said so while its result was being waited for
}

// subcall is a request about the task, made again and again.
type subcall struct {
	call     *call       // under way
	at       engine.Time // when to make the next; Never for not by itself
	attempts int         // failures in a row
}

const (
	pollDefault = 5_000  // where the server names no interval, ms (RELIABILITY fault 88)
	pollFloor   = 250    // however small it is
	pollCap     = 60_000 // however large
	maxTaskID   = 1 << 10
)

// The metadata key that names the task that a message belongs to.
const metaRelatedTask = metaKey + "related-task"

// clampInterval puts a server's pollInterval into its bounds; what is missing or
// no number is the default.
func clampInterval(value []byte) int64 {
	f, ok := jsonrpc.Float(value)
	if !ok || f < 0 {
		return pollDefault
	}
	return int64(min(max(f, pollFloor), pollCap))
}

// taskResult takes a result that is a task, or part of one. False for any other.
func (c *Client) taskResult(now engine.Time, t *call, result []byte) bool {
	made, isTask := jsonrpc.Member(result, "task")
	partial, isPartial := jsonrpc.Member(result, "partial-content")
	if !c.revision.coreTasks || t.role != roleApp || t.method != "tools/call" || !isTask && !isPartial || isTask && !jsonrpc.IsObject(made) {
		return false
	}
	id := taskID(made)
	if id == "" {
		meta, _ := jsonrpc.Member(result, "_meta")
		related, _ := jsonrpc.Member(meta, metaRelatedTask)
		id = taskID(related)
	}
	switch {
	case t.task != nil && (id == "" || id == t.task.id):
	case t.task != nil:
		c.integrity("foreign_task", nil)
		return true
	case id == "" || len(id) > maxTaskID:
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeProtocol, Op: t.method, Message: "the server's task has no usable id"})
		return true
	default:
		t.adoptTask(c, now, id, made)
	}
	if isPartial {
		t.takeSegments(c, now, partial, result)
	}
	return true
}

func taskID(task []byte) string {
	value, _ := jsonrpc.Member(task, "taskId")
	id, _ := jsonrpc.String(value)
	return id
}

// adoptTask hands the call over to a task. Its id is stored before anything
// else is told: without it nobody finds the task again.
func (t *call) adoptTask(c *Client, now engine.Time, id string, made []byte) {
	interval, _ := jsonrpc.Member(made, "pollInterval")
	t.task = &task{id: id, interval: clampInterval(interval), wall: c.wall(), status: "working"}
	t.phase, t.answerBy = callTask, engine.Never
	t.policy = nil
	c.write(t, journal.Entry{Kind: journal.Task, N: [3]uint64{uint64(max(c.wall(), 0))}})
	c.writeSecret(t, journal.Entry{Kind: journal.TaskID, Data: []byte(id)})
	t.task.poll.at = now.After(t.task.interval)
	t.task.fetch.at = now // a blocking tasks/result: nobody waits an interval for what is finished
	c.taskStatus(t, made)
}

// takeSegments takes a partial-content and what came with it.
func (t *call) takeSegments(c *Client, now engine.Time, partial, result []byte) {
	k := t.task
	k.streams = true
	for _, raw := range jsonrpc.Elements(partial) {
		switch k.segments.add(raw, func(raw []byte) { c.deliver(t, engine.EventSegment, raw) }) {
		case segmentDuplicate:
			c.counters.DuplicateSegments++
		case segmentConflict:
			c.integrity("conflicting_segment", nil)
		case segmentInvalid:
			c.integrity("invalid_segment", nil)
		case segmentTooFar:
			c.integrity("distant_segment", nil)
		}
	}
	if done, _ := jsonrpc.Member(result, "isComplete"); string(done) == "true" {
		k.segments.complete = true
		failed, _ := jsonrpc.Member(result, "isError")
		k.segments.failed = k.segments.failed || string(failed) == "true"
	}
	switch {
	case k.segments.complete && k.segments.gapless():
		// structuredContent and _meta are in the whole result only.
		k.final = true
		k.fetch.at = now
	case !k.segments.gapless():
		c.counters.GapsRefetched++
		k.fetch.at = now
	case t.x != 0:
		k.fetch.at = engine.Never // they come by themselves
	}
}

// advanceTask makes the requests that are due.
func (t *call) advanceTask(c *Client, now engine.Time) {
	k := t.task
	if c.state != stateOpen || c.token.asking {
		return // taskDue is Never meanwhile
	}
	if now >= k.poll.at && k.poll.call == nil {
		k.poll.at = engine.Never
		k.poll.call = c.askTask(now, t, "tasks/get", nil)
	}
	if now >= k.fetch.at && k.fetch.call == nil {
		k.fetch.at = engine.Never
		if k.streams && t.uncommitted() {
			// The server may forget what a higher number covers.
			c.whenStored(now, t, true, func(c *Client, now engine.Time) {
				if t.task == k && k.fetch.call == nil {
					k.fetch.at = now
				}
			})
			return
		}
		var last []byte
		if k.streams && !k.final && !k.whole && k.segments.last() > 0 {
			// Never 0: it is invalid, and means from the start anyway.
			last = appendUint([]byte(`,"lastSeqNr":`), k.segments.last())
		}
		k.fetch.call = c.askTask(now, t, "tasks/result", last)
	}
}

// taskDue returns when advanceTask is due.
func (t *call) taskDue(c *Client) engine.Time {
	if c.state != stateOpen || c.token.asking {
		return engine.Never
	}
	at := engine.Never
	if t.task.poll.call == nil {
		at = min(at, t.task.poll.at)
	}
	if t.task.fetch.call == nil {
		at = min(at, t.task.fetch.at)
	}
	return at
}

// askTask makes a request about t's task.
func (c *Client) askTask(now engine.Time, t *call, method string, more []byte) *call {
	s := c.newCall(now, method, Timeouts{Idle: t.timeouts.Idle})
	s.role, s.parent = roleTask, t
	params := jsonrpc.AppendString([]byte(`{"taskId":`), t.task.id)
	s.params = append(append(params, more...), '}')
	s.send(c, now)
	return s
}

// again makes a request about the task again after a failure.
func (s *subcall) again(now engine.Time, c *Client) {
	s.at = now.After(link.Delay(s.attempts, -1, &c.random))
	s.attempts++
}

// cancelTask asks the server to stop a task; notifications/cancelled must not be
// used for one. Whether it does is not waited for.
func (c *Client) cancelTask(now engine.Time, t *call) {
	c.askTask(now, t, "tasks/cancel", nil)
}

// dropTask ends what is under way about a task whose call has its outcome.
func (t *call) dropTask(c *Client) {
	k := t.task
	t.task = nil
	for _, s := range []*call{k.poll.call, k.fetch.call} {
		if s != nil && s.phase < callTail {
			c.abort(s.x)
			s.x = 0
			s.stream.End()
			c.finish(s)
		}
	}
}

// taskStatus tells the app what the server says of the task:
// {"status":"working","message":"…"}. Its id may be a bearer secret and stays here.
func (c *Client) taskStatus(t *call, task []byte) {
	value, _ := jsonrpc.Member(task, "status")
	status, ok := jsonrpc.String(value)
	if !ok {
		return
	}
	message, _ := jsonrpc.Member(task, "statusMessage")
	text, hasText := jsonrpc.String(message)
	if status == t.task.status && t.task.said == text {
		return
	}
	t.task.status, t.task.said = status, text
	b := jsonrpc.AppendString([]byte(`{"status":`), status)
	if hasText {
		b = jsonrpc.AppendString(append(b, `,"message":`...), text)
	}
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventTask, C: t.id, Position: t.position, Data: append(b, '}')})
}

// restoreTask goes on with a task after a reload: from the last number that was
// stored, where it streams.
func (t *call) restoreTask(c *Client, now engine.Time, r *journal.Record) {
	t.phase, t.answerBy = callTask, engine.Never
	t.task = &task{id: r.TaskID, interval: pollDefault, wall: r.TaskAt, status: "working",
		segments: t.streamed, streams: t.streamed.last() > 0}
	t.streamed = segments{}
	t.task.poll.at, t.task.fetch.at = now, now
	c.resumedProven(t, t.task.streams)
}
