package wire

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// TaskDialect is what a way of driving tasks means for a client: facts, compared
// by nothing but this table.
type TaskDialect struct {
	// Number stands for it in the journal: append, never renumber.
	Number uint64
	// Poll is the request that asks for the status.
	Poll string
	// Result is the request that gives the result; "" where Poll brings it.
	Result string
	// Update takes answers to requests for input; "" where Poll does, and where
	// the server asks by requests of its own.
	Update string
	// Listens: subscriptions/listen tells of its status where the request names the id.
	Listens bool
	// KeysForLife: a key of a request for input stands for one request in the life of the task. Else it does
	// so within one answer of the server's, and the next may ask something else under it.
	KeysForLife bool
	// Interval is the member that names the time between two polls, in ms; TTL the
	// one that says how long the server keeps the task, in ms.
	Interval, TTL string
}

var (
	// CoreTasks: 2025-11-25 basic/utilities/tasks.
	CoreTasks = &TaskDialect{Number: 1, Poll: "tasks/get", Result: "tasks/result", Interval: "pollInterval",
		TTL: "ttl"}
	// ContinuedTasks: SEP-2339, tasks/continue for the whole life of a task.
	ContinuedTasks = &TaskDialect{Number: 2, Poll: "tasks/continue", Interval: "pollInterval", TTL: "ttl"}
	// ExtensionTasks: io.modelcontextprotocol/tasks, since 2026-07-28 (SEP-2663).
	ExtensionTasks = &TaskDialect{Number: 3, Poll: "tasks/get", Update: "tasks/update", Listens: true,
		KeysForLife: true, Interval: "pollIntervalMs", TTL: "ttlMs"}
	// InlinedTasks: the form to which SEP-2339 converged in its review: tasks/get alone,
	// with the outcome inlined, and taking answers. A build that does not know the
	// number in the journal gives such a call up as lost.
	InlinedTasks = &TaskDialect{Number: 4, Poll: "tasks/get", Interval: "pollInterval", TTL: "ttl"}
)

// AnswersByPoll reports whether answers to requests for input go with the polls.
func (d *TaskDialect) AnswersByPoll() bool { return d.Result == "" && d.Update == "" }

// FindTaskDialect returns the dialect that the journal names, where it goes with
// the revision in force; nil where it does not.
func FindTaskDialect(number uint64, r *Revision) *TaskDialect {
	switch {
	case r.SelfDescribing && number == ExtensionTasks.Number:
		return ExtensionTasks
	case r.CoreTasks && number == CoreTasks.Number:
		return CoreTasks
	case r.CoreTasks && number == ContinuedTasks.Number:
		return ContinuedTasks
	case r.CoreTasks && number == InlinedTasks.Number:
		return InlinedTasks
	}
	return nil
}

// AppendStatus appends what a task says of itself, in the names of 2025-11-25 and
// without what is secret or payload.
func (d *TaskDialect) AppendStatus(b, task []byte) []byte {
	names := [...]string{"status", "statusMessage", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"}
	keys := names
	keys[4], keys[5] = d.TTL, d.Interval
	var values [len(names)][]byte
	jsonrpc.Members(task, keys[:], values[:])
	b = append(b, '{')
	for i, value := range values {
		if value == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(jsonrpc.AppendString(b, names[i]), ':'), value...)
	}
	return append(b, '}')
}
