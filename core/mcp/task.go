package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/segments"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// task is the server's task that carries a call, in whatever dialect, with or
// without a result that is streamed in numbered segments (SEP-1905). Its id is
// all that a later page needs to go on with it.
type task struct {
	id       string
	dialect  *wire.TaskDialect
	trying   bool  // whether the server knows the dialect is not known yet
	interval int64 // ms between two polls
	ttl      taskTTL
	made     engine.Time
	status   string
	said     string // its statusMessage
	unstored bool   // nobody is told of it before its id is on disk

	poll     subcall
	fetch    subcall // of the result, where poll does not bring it
	update   subcall // of answers, where poll does not take them
	peek     subcall // the app's, at the status alone
	pollSoon bool    // the answer to the poll under way may be older than the stream that tells of the task
	ended    int     // polls that said so while its result was being waited for

	unheard requestID // the request for the result that the server may still answer; 0 for none

	segments segments.Tracker
	result   resultState
	numbered bool // the request for its result that was made last was from a number
	expired  bool // the server does not know it any more: its result is read once
	tries    int  // that a gap was asked for in vain
	chunks   int  // of the request for its result, at the poll before

	// keys of requests for input that are known: for the task's life, or until the answer is taken
	asked   map[string]bool
	asks    int                      // how many there were in its life
	waiting map[string]*taskQuestion // those that the app has not answered
	answers []*taskReply             // those that the server has not taken
	closing []*taskReply             // those that the poll that is answered now had
	// what was asked under keys whose answers are taken, while the server says that it waits for input still
	closed  map[string][]byte
	state   []byte // requestState to be echoed, raw (a SEP-2339 draft)
	echo    bool   // also without an answer
	echoes  echoState
	refusal []byte // the JSON-RPC error that tasks/result was answered with, raw
}

// echoState is where the requestState comes from that goes back to the server.
type echoState uint8

const (
	echoHeard  echoState = iota // the server has said it to this page, or has said none
	echoStored                  // an earlier page stored it, and may have had a later one
	// the server refused that: the next poll goes without it, to find out whether the task is there
	echoRefused
)

const (
	pollDefault = 5_000  // where the server names no interval, ms (fault 88)
	pollFloor   = 250    // however small it is
	pollCap     = 60_000 // however large
	maxTaskID   = 1 << 10
)

// support is what is known of whether a server can do something.
type support uint8

const (
	untried support = iota
	supported
	unsupported
)

// The metadata key that names the mode which a server has fallen back to (SEP-1905).
const metaFallback = wire.MetaPrefix + "fallback-mode"

// clampInterval puts a server's poll interval into its bounds; what is missing or
// no number is the default.
func clampInterval(value []byte) int64 {
	f, ok := jsonrpc.Float(value)
	if !ok || f < 0 {
		return pollDefault
	}
	return int64(min(max(f, pollFloor), pollCap))
}

// taskResult takes a result that is a task of 2025-11-25, or part of one. False
// for any other.
func (c *Client) taskResult(now engine.Time, call *call, m *jsonrpc.Message) bool {
	result := m.Result
	made, isTask := m.ResultMember("task")
	partial, isPartial := m.ResultMember("partial-content")
	if call.role != roleApp || call.method != "tools/call" || !isTask && !isPartial ||
		isTask && !jsonrpc.IsObject(made) {
		return false
	}
	if _, whole := m.ResultMember("content"); whole && !isPartial {
		call.namesTask = isTask
		return false // there at once (SEP-1905 case 1), with a task that is over
	}
	id := taskID(made)
	if id == "" {
		id = relatedTask(result)
	}
	switch {
	case call.task != nil && (id == "" || id == call.task.id):
	case call.task != nil:
		c.integrity("foreign_task", nil)
		return true
	default:
		d := wire.CoreTasks
		switch {
		case isPartial:
		case c.continues != unsupported:
			d = wire.ContinuedTasks
		case c.inlined:
			d = wire.InlinedTasks
		}
		if !call.adoptTask(c, now, d, id, made, result) {
			return true
		}
	}
	if isPartial {
		call.takeSegments(c, now, partial, result)
	}
	return true
}

func taskID(task []byte) string {
	value, _ := jsonrpc.Member(task, "taskId")
	id, _ := jsonrpc.String(value)
	return id
}

// adoptTask hands the call over to a task; false where that has no usable id. It
// is stored before anything else is told: without its id nobody finds it again.
func (call *call) adoptTask(c *Client, now engine.Time, d *wire.TaskDialect, id string, made,
	result []byte) bool {
	if id == "" || len(id) > maxTaskID {
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeProtocol, Op: call.method, Message: "the server's task has no usable id"})
		return false
	}
	interval, _ := jsonrpc.Member(made, d.Interval)
	ttl, _ := jsonrpc.Member(made, d.TTL)
	k := &task{id: id, dialect: d, interval: clampInterval(interval), made: now, unstored: true,
		ttl:  taskTTL{ms: clampTTL(ttl), heard: now, written: engine.Never},
		poll: idle, fetch: idle, update: idle, peek: idle}
	call.task = k
	call.enter(c, callTask)
	call.answerBy, call.policy = engine.Never, nil
	c.writeTask(call)
	switch {
	case d == wire.ContinuedTasks:
		call.task.trying, call.task.poll.at = c.continues != supported, now
	case d.Result != "":
		// A blocking tasks/result: nobody waits an interval for what is finished.
		call.task.fetch.at, call.task.poll.at = now, now.After(call.task.interval)
	default:
		call.task.poll.at = now.After(call.task.interval)
	}
	c.tasksChanged(d)
	meta, _ := jsonrpc.Member(result, "_meta")
	fallback, _ := jsonrpc.Member(meta, metaFallback)
	mode, _ := jsonrpc.String(fallback)
	if !c.taskStatus(call, made) {
		k.status = "working" // parts of its result came without it
	}
	c.whenStored(now, call, false, &taskReport{k, mode})
	c.tellPolled(call)
	return true
}

// taskReport tells the app of the task that carries its call from here on.
type taskReport struct {
	task     *task
	fallback string // the mode that the server has fallen back to
}

func (s *taskReport) goOn(c *Client, call *call, _ engine.Time) {
	s.task.unstored = false
	// Also of one whose outcome is stored with it, and is told next.
	if call.task == s.task || call.record != nil && call.record.settled && call.state != callFollowed {
		c.tellTask(call, s.task, s.fallback)
	}
}

func (c *Client) writeTask(call *call) {
	c.write(call,
		journal.Entry{Kind: journal.Task, N: [3]uint64{uint64(max(c.wall(), 0)), call.task.dialect.Number}})
	c.writeSecret(call, journal.Entry{Kind: journal.TaskID, Data: []byte(call.task.id)})
	c.writeTTL(call) // after Task, which makes void what was known of another
}

// restoreTask goes on with a task after a reload: from the last number that was
// stored, where it streams.
func (call *call) restoreTask(c *Client, now engine.Time, r *recorded.Call, d *wire.TaskDialect) {
	call.enter(c, callTask)
	call.answerBy = engine.Never
	call.task = &task{id: r.TaskID, dialect: d, interval: pollDefault,
		poll: idle, fetch: idle, update: idle, peek: idle,
		trying: d == wire.ContinuedTasks && c.continues != supported}
	if call.streamed.Run == r.Sends { // else they are of a run before this one
		call.task.segments = call.streamed
		if call.streamed.Last() > 0 {
			call.task.enter(c, resultStreamed)
		}
	}
	call.streamed = segments.Tracker{}
	call.restoreTTL(c, now, r)
	call.task.poll.at = now
	// Behind segments the number says what has not come, and the stream has nothing more (fault 741).
	hasStream := r.Fetching != 0 && len(r.Cursor) > 0 && !call.task.streams()
	switch {
	case d.Result == "":
	case hasStream && r.Session == uint64(c.session.generation) && c.revision.LastEventID:
		call.resumeFetch(c, now, r)
	default:
		call.task.fetch.at, call.task.unheard = now, requestID(r.Fetching)
	}
	if call.task.state = bytes.Clone(r.TaskState); len(r.TaskState) > 0 {
		call.task.echoes = echoStored
	}
	c.tasksChanged(d)
	c.tellPolled(call)
	c.resumedProven(call, call.task.streams())
	call.restoreTaskInput(c, now, r)
	if call.generation == c.session.generation {
		call.handAsked(c, now, r)
	}
}

// over reports whether the server says that the task has ended.
func (k *task) over() bool {
	return k.status == "completed" || k.status == "failed" || k.status == "cancelled"
}

// taskStatus takes what the server says of the task, and tells the app where
// that is new. Reports whether it was. Nothing follows an end (2025-11-25 tasks).
func (c *Client) taskStatus(call *call, task []byte) bool {
	k := call.task
	value, _ := jsonrpc.Member(task, "status")
	status, ok := jsonrpc.String(value)
	if !ok {
		return false
	}
	if k.over() && status != k.status {
		c.integrity("task_status", nil)
		return false
	}
	message, _ := jsonrpc.Member(task, "statusMessage")
	text, _ := jsonrpc.String(message)
	if status == k.status && k.said == text {
		return false
	}
	k.status, k.said = status, text
	if !k.unstored {
		c.tellTask(call, k, "")
	}
	return true
}

// tellTask tells the app: {"status":"working","message":"…","fallback":"task"}. The
// task's id may be a bearer secret and stays here.
func (c *Client) tellTask(call *call, k *task, fallback string) {
	b := jsonrpc.AppendString([]byte(`{"status":`), k.status)
	if k.said != "" {
		b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"message":`), k.said)
	}
	if fallback != "" {
		b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"fallback":`), fallback)
	}
	stream := engine.StreamSpare
	if k.status == "input_required" {
		stream = engine.StreamNeeded
	}
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventTask, Stream: stream, C: call.id,
		Position: call.position, Data: append(b, '}')})
}
