// Package tasks keeps the tasks of an MCP server (2025-11-25, and the extension io.modelcontextprotocol/tasks
// of 2026-07-28) in [store.Records], so that every node can tell how one goes, and any can end it:
//
//	kept := tasks.New(records)
//	task, err := kept.Create(ctx, user, time.Hour, tasks.Request{Tool: name, Arguments: arguments})
//	... any node: kept.Get(ctx, user, task.ID)
//	... who does the work: kept.Change(ctx, user, task.ID, func(t *tasks.Task) { t.Status, t.Result = tasks.Completed, result })
//
// A task is its user's: for anybody else it is not there. A status that ends a task is its last: a node that
// was given up, and finishes late, changes nothing.
package tasks

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Status is a task's, in the protocol's words.
type Status string

// The statuses.
const (
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// next says which status may follow which. What is not here is an end.
var next = map[Status][]Status{
	Working:       {Working, InputRequired, Completed, Failed, Cancelled},
	InputRequired: {InputRequired, Working, Completed, Failed, Cancelled},
}

// Ended reports whether nothing follows the status.
func (s Status) Ended() bool { return len(next[s]) == 0 }

// A Task is what is kept of one.
type Task struct {
	ID     string `json:"taskId"`
	Status Status `json:"status"`
	// Request is what was asked for: whoever ends the task has to know.
	Request Request `json:"request"`
	// Message is for people; "" for none.
	Message string `json:"statusMessage,omitempty"`
	// Result is what the task came to, or its error, as JSON; nil until then.
	Result json.RawMessage `json:"result,omitempty"`
	// Created and Updated are by the clocks of the nodes that did so: to be shown, not to be compared.
	Created time.Time `json:"createdAt"`
	Updated time.Time `json:"lastUpdatedAt"`
	// TTL is for how long it is kept after Created; 0 for ever.
	TTL time.Duration `json:"ttl"`
}

// Request is the call of a tool that a task is for.
type Request struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// A Store keeps tasks.
type Store struct {
	records store.Records
	clock   func() time.Time
}

// New returns a Store over records.
func New(records store.Records) *Store { return &Store{records: records, clock: time.Now} }

// key is a task's. Its user is a part of it, so that nobody else finds it.
func key(user, id string) store.Key {
	text, _ := json.Marshal([]string{user, id})
	return store.Key{Kind: "tasks", Group: "all", ID: string(text)}
}

// Create makes a task that works, with an id that nobody can guess.
func (s *Store) Create(ctx context.Context, user string, ttl time.Duration, request Request) (Task, error) {
	if ttl < 0 {
		return Task{}, &store.Error{Code: store.Invalid, Op: "create", Hint: "ttl is negative"}
	}
	now := s.clock().UTC()
	t := Task{ID: rand.Text(), Status: Working, Request: request, Created: now, Updated: now, TTL: ttl}
	_, err := s.put(ctx, user, t, 0)
	return t, err
}

func (s *Store) put(ctx context.Context, user string, t Task, revision uint64) (uint64, error) {
	value, err := json.Marshal(t)
	if err != nil {
		return 0, &store.Error{Code: store.Invalid, Op: "change", Err: err, Hint: "Result has to be JSON"}
	}
	return s.records.Put(ctx, key(user, t.ID), value, revision)
}

// Get returns a task of that user's; Unknown where there is none, or its time is over.
func (s *Store) Get(ctx context.Context, user, id string) (Task, error) {
	t, _, err := s.get(ctx, user, id)
	return t, err
}

func (s *Store) get(ctx context.Context, user, id string) (t Task, revision uint64, err error) {
	record, err := s.records.Get(ctx, key(user, id))
	if err != nil {
		return Task{}, 0, err
	}
	if json.Unmarshal(record.Value, &t) != nil || t.ID != id {
		return Task{}, 0, &store.Error{Code: store.Corrupt, Op: "get"}
	}
	// Minutes that two clocks differ by are nothing next to a ttl; while it works a task is kept all the
	// same.
	if t.TTL > 0 && t.Status.Ended() && s.clock().After(t.Created.Add(t.TTL)) {
		_ = s.records.Delete(ctx, key(user, id), record.Revision)
		return Task{}, 0, &store.Error{Code: store.Unknown, Op: "get"}
	}
	return t, record.Revision, nil
}

// Change changes a task, and returns it as it is then. Where another node has changed it meanwhile, change is
// called again with what that has made of it. Conflict says that it has ended, or that its new status may not
// follow the old one.
func (s *Store) Change(ctx context.Context, user, id string, change func(*Task)) (Task, error) {
	for {
		t, revision, err := s.get(ctx, user, id)
		if err != nil {
			return Task{}, err
		}
		old, asked := t.Status, t.Request
		change(&t)
		if !follows(old, t.Status) {
			return Task{}, &store.Error{Code: store.Conflict, Op: "change",
				Hint: "a task that is " + string(old) + " does not become " + string(t.Status)}
		}
		t.ID, t.Request, t.Updated = id, asked, s.clock().UTC()
		_, err = s.put(ctx, user, t, revision)
		if store.CodeOf(err) == store.Conflict && ctx.Err() == nil {
			continue
		}
		return t, err
	}
}

func follows(old, new Status) bool {
	for _, s := range next[old] {
		if s == new {
			return true
		}
	}
	return false
}
