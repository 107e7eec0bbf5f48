package mcp

// taskDialect is what a way of driving tasks means for a client: facts, compared
// by nothing but this table.
type taskDialect struct {
	number uint64 // in the journal: append, never renumber
	// poll is the request that asks for the status.
	poll string
	// result is the request that gives the result; "" where poll brings it.
	result string
	// update takes answers to requests for input; "" where poll does, and where
	// the server asks by requests of its own.
	update string
	// listens: subscriptions/listen tells of its status where the request names the id.
	listens bool
	// interval is the member that names the time between two polls, in ms; ttl the
	// one that says how long the server keeps the task, in ms.
	interval, ttl string
}

var (
	// coreTasks: 2025-11-25 basic/utilities/tasks.
	coreTasks = &taskDialect{number: 1, poll: "tasks/get", result: "tasks/result", interval: "pollInterval", ttl: "ttl"}
	// continuedTasks: SEP-2339, tasks/continue for the whole life of a task.
	continuedTasks = &taskDialect{number: 2, poll: "tasks/continue", interval: "pollInterval", ttl: "ttl"}
	// extensionTasks: io.modelcontextprotocol/tasks, since 2026-07-28 (SEP-2663).
	extensionTasks = &taskDialect{number: 3, poll: "tasks/get", update: "tasks/update", listens: true, interval: "pollIntervalMs", ttl: "ttlMs"}
	// inlinedTasks: the form to which SEP-2339 converged in its review: tasks/get alone,
	// with the outcome inlined, and taking answers. A build that does not know the
	// number in the journal gives such a call up as lost.
	inlinedTasks = &taskDialect{number: 4, poll: "tasks/get", interval: "pollInterval", ttl: "ttl"}
)

// answered reports whether answers to requests for input go with the polls.
func (d *taskDialect) answered() bool { return d.result == "" && d.update == "" }

// taskDialectOf returns the dialect that the journal names, where it goes with
// the revision in force; nil where it does not.
func taskDialectOf(number uint64, r *revision) *taskDialect {
	switch {
	case r.selfDescribing && number == extensionTasks.number:
		return extensionTasks
	case r.coreTasks && number == coreTasks.number:
		return coreTasks
	case r.coreTasks && number == continuedTasks.number:
		return continuedTasks
	case r.coreTasks && number == inlinedTasks.number:
		return inlinedTasks
	}
	return nil
}
