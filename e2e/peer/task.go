//go:build !js

package peer

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// taskList are the tasks that the server still knows. They belong to no
// connection and, unless OwnSession, to no session.
type taskList struct {
	mu   sync.Mutex
	on   *TaskServer
	all  []*task
	n    int
	late []string             // ids of those that expired
	lost map[string][]Cutting // see CutAnswers
}

// A task is one call at work on its own.
type task struct {
	p       *Peer
	server  *TaskServer
	policy  TaskPolicy
	id      string
	mode    string   // of SEP-1905; "task" for everybody else
	modern  bool     // of the extension
	home    *session // that made it; nobody's in the modern era
	call    string   // raw id of the request
	own     *session // of its script: holds the answers
	owner   *execution
	ctx     context.Context
	stop    context.CancelFunc
	origin  *run // the request, and its stream
	warning bool // of a fallback
	kept    bool // requests find it
	lanes   func(seq int) Lane

	wire sync.Mutex // orders what is sent; mu is locked under it

	mu      sync.Mutex
	status  string
	message string
	created time.Time
	updated time.Time
	ttl     int // ms; -1 is unlimited
	poll    int
	result  json.RawMessage
	failure json.RawMessage
	gone    bool
	timer   *time.Timer
	inputs  []*input
	joined  []*run // tasks/result requests that wait
	said    map[string]int
	state   string // the requestState given out last
	states  int
	parts   []*part
	waiting []item
	opened  bool // the first answer has left
	polls   int
	cutAt   int // polls when the connection was cut last; -1 if it never was
}

func terminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func (task *task) over() bool {
	task.mu.Lock()
	defer task.mu.Unlock()
	return task.gone || terminal(task.status)
}

// newTask makes a task, which can be found from then on.
func (p *Peer) newTask(s *session, m envelope, policy TaskPolicy, server *TaskServer) *task {
	now := p.clock.now()
	t := &task{
		p: p, server: server, policy: policy, modern: s.revision == Revision20260728, home: s, call: m.id,
		mode:  "task",
		owner: p.oracle.find(s, m.id), status: "working", message: policy.Message, created: now, updated: now,
		poll: policy.Poll, said: make(map[string]int), cutAt: -1,
	}
	t.ctx, t.stop = context.WithCancel(p.ctx)
	t.own = &session{
		id: s.id, revision: s.revision, ready: true, standalone: s.standalone, ctx: t.ctx, end: t.stop,
		cursors: make(map[string]position), replies: make(map[string]envelope),
	}
	p.oracle.alias(t)
	p.tasks.mu.Lock()
	p.tasks.n++
	n := p.tasks.n
	p.tasks.mu.Unlock()
	sum := sha256.Sum256(fmt.Appendf(nil, "task %d", n))
	t.id = fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	if server.ID != nil {
		t.id = server.ID(n)
	}
	return t
}

// keep puts a task where requests find it, and starts its TTL.
func (task *task) keep(asked int) {
	task.kept = true
	if task.ttl = asked; task.policy.TTL != 0 {
		task.ttl = task.policy.TTL
	}
	if task.ttl >= 0 {
		task.timer = time.AfterFunc(time.Duration(task.ttl)*time.Millisecond, task.lapse)
	}
	task.p.tasks.mu.Lock()
	task.p.tasks.all = append(task.p.tasks.all, task)
	task.p.tasks.mu.Unlock()
}

func (l *taskList) list() []*task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// find returns a task that this session may know of, and why there is none. The
// eras do not know each other's.
func (l *taskList) find(s *session, id string) (*task, string) {
	for _, t := range l.list() {
		t.lapse()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.all {
		if t.id == id && t.modern == (s.revision == Revision20260728) &&
			(t.modern || !l.on.OwnSession || t.home.id == s.id) {
			return t, ""
		}
	}
	if slices.Contains(l.late, id) {
		return nil, "Failed to retrieve task: Task has expired"
	}
	return nil, "Failed to retrieve task: Task not found"
}

// drop forgets a task.
func (l *taskList) drop(t *task, expired bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(o *task) bool { return o == t })
	if expired {
		l.late = append(l.late, t.id)
	}
}

// forget ends all tasks, unless they are durable.
func (l *taskList) forget() {
	for _, t := range l.list() {
		if !t.server.Durable {
			t.vanish(false)
		}
	}
}

// lapse ends a task whose TTL has passed: "servers MAY delete" it.
func (task *task) lapse() {
	task.mu.Lock()
	due := task.ttl >= 0 && !task.gone && !task.p.clock.now().Before(
		task.created.Add(time.Duration(task.ttl)*time.Millisecond))
	over := terminal(task.status)
	task.mu.Unlock()
	switch {
	case !due:
	case !task.policy.Conclude:
		task.vanish(true)
	case !over:
		task.end(nil, json.RawMessage(`{"code":-32603,"message":"Task has expired"}`))
		task.stop()
	}
}

func (task *task) vanish(expired bool) {
	task.p.tasks.drop(task, expired)
	task.mu.Lock()
	task.gone = true
	if task.timer != nil {
		task.timer.Stop()
	}
	task.mu.Unlock()
	task.stop()
	task.p.changed.signal()
}

// move changes the status of a task that is not over.
func (task *task) move(status, message string) bool {
	task.mu.Lock()
	ok := !terminal(task.status) && !task.gone
	if ok {
		task.status, task.message, task.updated = status, message, task.p.clock.now()
	}
	task.mu.Unlock()
	task.p.changed.signal()
	return ok
}
