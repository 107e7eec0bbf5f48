// Package tasknode serves calls as tasks of the extension io.modelcontextprotocol/tasks of 2026-07-28, on any
// of several nodes.
//
// A task is a record, its user's, that says what it has come to ([tasks.Store]), and a call without a client:
// a session of the node's with a single request in it, which another node goes on with where the one that
// runs it ends. What that call has answered is in its stream. Who is asked about a task, and finds an answer
// there, ends the task with it: nobody has to be alive that began it.
package tasknode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/tasks"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
)

// A Handler serves requests of 2026-07-28: those about tasks, and calls of tools that are served as tasks;
// what else comes is Next's.
type Handler struct {
	Node  *node.Node
	Tasks *tasks.Store
	// IsTask names the tools whose calls are served as tasks.
	IsTask func(tool string) bool
	// User says who a request is from, as the node's does.
	User func(*http.Request) string
	// Keep is for how long a task is kept after it was made.
	Keep time.Duration
	// Poll is how often a client may ask; a hint for it.
	Poll time.Duration
	// MaxBody is what a request may have, in bytes.
	MaxBody int64
	Next    http.Handler
}

// sessionRevision is the revision in which the call of a task is run. It has sessions.
const sessionRevision = "2025-11-25"

// initialize begins a task's session: a client that can do nothing but call.
const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` +
	sessionRevision + `","capabilities":{},"clientInfo":{"name":"task","version":"1"}}}`

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		TaskID    string          `json:"taskId"`
	} `json:"params"`
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	if err != nil {
		http.Error(w, "the body cannot be read, or is too large", http.StatusRequestEntityTooLarge)
		return
	}
	var asked request
	_ = json.Unmarshal(body, &asked) // what is no request of these is not for here
	var serve func(context.Context, string, request) (any, error)
	switch {
	case r.Method != http.MethodPost || len(asked.ID) == 0:
	case asked.Method == "tools/call" && h.IsTask(asked.Params.Name):
		serve = h.create
	case asked.Method == "tasks/get":
		serve = h.get
	case asked.Method == "tasks/cancel":
		serve = h.cancel
	}
	if serve == nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.Next.ServeHTTP(w, r)
		return
	}
	result, err := serve(r.Context(), h.User(r), asked)
	answer := map[string]any{"jsonrpc": "2.0", "id": asked.ID}
	switch {
	case store.CodeOf(err) == store.Unknown:
		// nor for anybody else
		answer["error"] = map[string]any{"code": -32602, "message": "there is no such task"}
	case err != nil:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the store is away", http.StatusServiceUnavailable)
		return
	default:
		answer["result"] = result
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // a client that has gone asks again
}

// work is a task's session, and the request in it.
func work(user, id string, tool string, arguments json.RawMessage) (*node.Session, []byte) {
	if arguments == nil {
		arguments = json.RawMessage(`{}`)
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "task", "method": "tools/call",
		"params": map[string]any{
			"name": tool, "arguments": arguments, "_meta": map[string]any{"progressToken": "task"},
		}})
	return &node.Session{ID: "task/" + id, User: user, Initialize: json.RawMessage(initialize)}, body
}

func (h *Handler) create(ctx context.Context, user string, asked request) (any, error) {
	ctx = context.WithoutCancel(ctx) // a client that goes has made a task, or none
	task, err := h.Tasks.Create(ctx, user, h.Keep,
		tasks.Request{Tool: asked.Params.Name, Arguments: asked.Params.Arguments})
	if err != nil {
		return nil, err
	}
	session, body := work(user, task.ID, asked.Params.Name, asked.Params.Arguments)
	if err := h.Node.Submit(ctx, session, body, sessionRevision); err != nil {
		return nil, err
	}
	return h.wire(task, "task"), nil
}

func (h *Handler) get(ctx context.Context, user string, asked request) (any, error) {
	task, err := h.Tasks.Get(ctx, user, asked.Params.TaskID)
	if err != nil || task.Status.Ended() {
		return h.wire(task, "complete"), err
	}
	session, body := work(user, task.ID, task.Request.Tool, task.Request.Arguments)
	answer, err := h.Node.Outcome(ctx, session, body)
	var told *store.Error
	switch {
	case errors.As(err, &told) && told.Lost():
		answer = json.RawMessage(`{"error":{"code":-32603,"message":"what this task has come to is lost"}}`)
	case err != nil:
		return nil, err
	case answer == nil:
		return h.wire(task, "complete"), nil
	}
	ended, err := h.Tasks.Change(ctx, user, task.ID, func(t *tasks.Task) { end(t, answer) })
	if store.CodeOf(err) == store.Conflict { // it was ended meanwhile
		ended, err = h.Tasks.Get(ctx, user, task.ID)
	}
	if err != nil {
		return nil, err
	}
	return h.wire(ended, "complete"), h.Node.Forget(ctx, session)
}

// end ends a task with the answer of its call.
func end(t *tasks.Task, answer json.RawMessage) {
	var said struct{ Result, Error json.RawMessage }
	if json.Unmarshal(answer, &said); said.Result != nil {
		t.Status, t.Result = tasks.Completed, said.Result
	} else {
		t.Status, t.Result = tasks.Failed, said.Error
	}
}

func (h *Handler) cancel(ctx context.Context, user string, asked request) (any, error) {
	task, err := h.Tasks.Change(ctx, user, asked.Params.TaskID,
		func(t *tasks.Task) { t.Status = tasks.Cancelled })
	if store.CodeOf(err) == store.Conflict {
		return map[string]any{"resultType": "complete"}, nil // it had ended
	}
	if err != nil {
		return nil, err
	}
	session, body := work(user, task.ID, task.Request.Tool, task.Request.Arguments)
	return map[string]any{"resultType": "complete"}, h.Node.Withdraw(ctx, session, body)
}

// wire is a task as the extension has it.
func (h *Handler) wire(t tasks.Task, kind string) any {
	said := map[string]any{
		"resultType": kind, "taskId": t.ID, "status": t.Status, "createdAt": t.Created,
		"lastUpdatedAt": t.Updated,
		"ttlMs":         t.TTL.Milliseconds(), "pollIntervalMs": h.Poll.Milliseconds(),
	}
	switch t.Status {
	case tasks.Completed:
		said["result"] = t.Result
	case tasks.Failed:
		said["error"] = t.Result
	}
	return said
}
