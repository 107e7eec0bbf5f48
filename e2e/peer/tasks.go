//go:build !js

package peer

import "encoding/json"

// The keys that tie what is said to a task (2025-11-25 basic/utilities/tasks,
// SEP-1905) and the extension of 2026-07-28.
const (
	metaTask      = "io.modelcontextprotocol/related-task"
	metaFallback  = "io.modelcontextprotocol/fallback-mode"
	metaAtOnce    = "io.modelcontextprotocol/model-immediate-response"
	taskExtension = "io.modelcontextprotocol/tasks"
	needsTasks    = `{"extensions":{"` + taskExtension + `":{}}}`
)

// A TaskServer is how a Peer does tasks. The zero value does those of 2025-11-25
// in sessions of that revision, and the extension of SEP-2663 in the modern era.
type TaskServer struct {
	// Ways are the methods that sessions poll with; 0 means ByGet|ByResult.
	Ways TaskWay
	// Modes are those of SEP-1905, "task", "immediate" and "streaming", which
	// initialize declares; nil is a server that has never heard of it.
	Modes []string
	// Flag is how an answer says that none of the modes wanted could be had.
	Flag Flag
	// Status is where a session is told of each new status; the modern era tells
	// whoever subscribed.
	Status Telling
	// NoList and NoCancel take tasks/list and tasks/cancel away.
	NoList, NoCancel bool
	// OwnSession keeps tasks from all sessions but the one that made them.
	OwnSession bool
	// Durable tasks outlive Restart, their scripts included.
	Durable bool
	// AskStandalone puts questions on the standalone stream, not on that of
	// tasks/result ("clients SHOULD expect to receive messages on any stream").
	AskStandalone bool
	// AskOnce puts each question on one stream only, even if that has died.
	AskOnce bool
	// InTask puts inputRequests inside the task of tasks/continue, as the review
	// of SEP-2339 was about to agree on; without, they come alone.
	InTask bool
	// Typed gives inputRequests that come alone a resultType, "input_required".
	Typed bool
	// Untyped leaves the resultType out of a result that tasks/get carries, as the
	// examples of the extension do; the schema of CallToolResult demands it.
	Untyped bool
	// State adds the requestState to the n-th answer with inputRequests, counted
	// from 1 for each task; "" leaves it out. What comes back is checked.
	State func(n int) string
	// ID makes the id of the n-th task; nil makes good ones.
	ID func(n int) string
	// Twist changes a task before it leaves in the n-th answer of a method (or
	// "notification"), counted for each task: for what a server must not say.
	Twist func(method string, n int, task map[string]any)
}

// TaskWay are ways to the outcome of a task in a session.
type TaskWay int

const (
	// ByGet is tasks/get.
	ByGet TaskWay = 1 << iota
	// ByResult is tasks/result, which blocks, and carries the questions.
	ByResult
	// ByContinue is tasks/continue (SEP-2339). With it tasks carry their result
	// or error, and a "task" beside params is understood.
	ByContinue
)

// A Flag says "fallback" (SEP-1905, capability negotiation).
type Flag int

const (
	// FlagMeta is _meta["io.modelcontextprotocol/fallback-mode"].
	FlagMeta Flag = iota
	// FlagMessage is a statusMessage.
	FlagMessage
	// FlagNone is nothing: it is a SHOULD.
	FlagNone
)

// A Telling is a place for notifications/tasks/status.
type Telling int

const (
	// TellNobody leaves them out: "requestors MUST NOT rely on" them.
	TellNobody Telling = iota
	// TellStandalone puts them on the standalone stream of the session.
	TellStandalone
	// TellCall puts them on the stream of the call, while SEP-1905 keeps it open.
	TellCall
)

// A TaskPolicy is how calls of one tool become tasks.
type TaskPolicy struct {
	// Support is execution.taskSupport: forbidden, optional (which "" means) or
	// required. A modern call whose client has not declared the extension is run
	// without a task if it is optional, and refused if it is required.
	Support string
	// TTL in milliseconds overrides what the client asks for; 0 does not.
	TTL int
	// Poll is the poll interval in milliseconds; 0 leaves it out.
	Poll int
	// Message is the first statusMessage.
	Message string
	// AtOnce is the model-immediate-response of the CreateTaskResult.
	AtOnce string
	// Ready tools have their result when they are called: SEP-1905, case 1.
	Ready Readiness
	// Streams makes the results incremental: SEP-1905, case 3.
	Streams *Streaming
	// Conclude fails the task when its TTL has passed, and keeps it. Without, it
	// is gone.
	Conclude bool
	// Sync answers modern calls without a task.
	Sync bool
	// Before answers a call that must not become a task yet, with a script; nil
	// lets it. For rounds of input_required before the task.
	Before func(Call) Script
	// Lose cuts the connection in place of the first answer: the task is there,
	// and its client does not know.
	Lose Cutting
}

// Readiness is whether a tool has its result at once.
type Readiness int

const (
	// NotReady tools take their time.
	NotReady Readiness = iota
	// Ready tools answer without a task when asked in mode immediate.
	Ready
	// ReadyTracked tools make a task all the same, which is completed.
	ReadyTracked
)

// Tasks makes the Peer a server that has tasks.
func (p *Peer) Tasks(o TaskServer) {
	if o.Ways == 0 {
		o.Ways = ByGet | ByResult
	}
	p.tasks.mu.Lock()
	p.tasks.on = &o
	p.tasks.mu.Unlock()
}

// AsTask lets calls of the tool become tasks. Its script is the same as ever:
// [Ask] makes the task input_required until it is answered, [Result] and [Error]
// end it, [Cut] cuts whatever connection carries it.
func AsTask(policy TaskPolicy) Trait {
	if policy.Support == "" {
		policy.Support = "optional"
	}
	return func(t *tool) { t.task = &policy }
}

// settings is how the Peer does tasks; nil if it does not.
func (p *Peer) settings() *TaskServer {
	p.tasks.mu.Lock()
	defer p.tasks.mu.Unlock()
	return p.tasks.on
}

// taskCapabilities is what the capabilities say of tasks, behind a comma.
func (p *Peer) taskCapabilities(revision string) string {
	on := p.settings()
	switch {
	case on == nil:
		return ""
	case revision == Revision20260728:
		return `,"extensions":{"` + taskExtension + `":{}}`
	case revision != Revision20251125:
		return ""
	}
	tasks := map[string]any{"requests": json.RawMessage(`{"tools":{"call":{}}}`)}
	if !on.NoList {
		tasks["list"] = struct{}{}
	}
	if !on.NoCancel {
		tasks["cancel"] = struct{}{}
	}
	if on.Modes != nil {
		tasks["responses"] = map[string]any{"modes": on.Modes}
	}
	return `,"tasks":` + quote(tasks)
}
