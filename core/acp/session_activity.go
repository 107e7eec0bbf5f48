package acp

import (
	"bytes"
	"sort"

	"github.com/holdfast-mcp/holdfast/core/acp/transcript"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// activities are the tool calls and terminals of a session that are not finished, by
// their ids: what can be cancelled, and what a cancelled turn leaves undone.
type activities [2]map[string]*activity

// The kinds of works.
const (
	activityTerminal = iota
	activityTool
)

type activity struct {
	id     []byte // raw JSON
	status []byte // of a tool call, raw, as the agent has said it
	cancel bool   // the agent offers to cancel it alone
	marked bool   // the app has heard that it is cancelled, which the agent has not said
}

// maxActivities bounds what an agent that finishes nothing makes a session keep.
const maxActivities = 10_000

// activityOf returns which work an update is of; no id where it is of none.
func activityOf(update []byte) (id []byte, kind int) {
	name, _ := jsonrpc.Member(update, "sessionUpdate")
	switch string(name) {
	case `"tool_call"`, `"tool_call_update"`:
		id, _ = jsonrpc.Member(update, "toolCallId")
		kind = activityTool
	case `"terminal_update"`:
		id, _ = jsonrpc.Member(update, "terminalId")
	}
	return id, kind
}

// noteActivity takes what an update says of a tool call, or of a terminal.
func (s *session) noteActivity(update []byte) {
	raw, kind := activityOf(update)
	if raw == nil {
		return
	}
	id, rule := transcript.ItemID(raw)
	if rule != "" {
		return
	}
	w := s.activities[kind][string(id)]
	if w == nil {
		if len(s.activities[kind]) >= maxActivities {
			return
		}
		w = &activity{id: bytes.Clone(raw), status: []byte(`"pending"`)} // the schema's default
		if s.activities[kind] == nil {
			s.activities[kind] = map[string]*activity{}
		}
		s.activities[kind][string(id)] = w
	}
	if value, ok := jsonrpc.Member(update, "capabilities"); ok {
		offered, _ := jsonrpc.Member(value, "cancel")
		w.cancel = jsonrpc.IsObject(offered)
	}
	if kind == activityTerminal {
		if exit, _ := jsonrpc.Member(update, "exitStatus"); jsonrpc.IsObject(exit) {
			delete(s.activities[kind], string(id))
		}
		return
	}
	status, ok := jsonrpc.Member(update, "status")
	switch {
	case !ok, string(status) == "null" && s.version() == 1:
		return
	case string(status) == "null":
		status = []byte(`"pending"`)
	}
	w.status, w.marked = append(w.status[:0], status...), false // the agent knows better
	switch string(status) {
	case `"completed"`, `"failed"`, `"cancelled"`:
		delete(s.activities[kind], string(id))
	}
}

// markCancelled shows the tool calls of a turn that the app has cancelled as such,
// but for those that go on in the background. What the agent says of one later
// counts (ACP "Prompt Turn", Cancellation).
func (s *session) markCancelled(c *Client) {
	background, _ := jsonrpc.Member(s.turn.last, "background")
	for _, w := range s.activities.calls() {
		if !w.marked && !lists(background, w.id) {
			w.marked = true
			s.showStatus(c, w, []byte(`"cancelled"`))
		}
	}
}

// settleMarks takes the end of a turn: where the agent has not cancelled it after
// all, its tool calls are what the agent said last.
func (s *session) settleMarks(c *Client, stop []byte) {
	for _, w := range s.activities.calls() {
		switch {
		case !w.marked:
		case string(stop) == `"cancelled"`:
			id, _ := transcript.ItemID(w.id)
			delete(s.activities[activityTool], string(id))
		default:
			w.marked = false
			s.showStatus(c, w, w.status)
		}
	}
}

func (s *session) showStatus(c *Client, w *activity, status []byte) {
	update := append([]byte(`{"sessionUpdate":"tool_call_update","toolCallId":`), w.id...)
	update = append(appendMember(update, "status", status), '}')
	s.transcript.Update(update, s.emit(c))
	c.writeUpdate(s, update)
}

// calls returns the tool calls, in an order that is the same each time.
func (ws activities) calls() []*activity {
	all := make([]*activity, 0, len(ws[activityTool]))
	for _, w := range ws[activityTool] {
		all = append(all, w)
	}
	sort.Sort(byID(all))
	return all
}

// byID sorts by ids (core/durable, byLoss, says why with sort.Sort).
type byID []*activity

func (a byID) Len() int           { return len(a) }
func (a byID) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a byID) Less(i, j int) bool { return bytes.Compare(a[i].id, a[j].id) < 0 }

// cancels reports whether the agent offers to cancel one alone.
func (ws activities) cancels(kind int, id []byte) bool {
	w := ws[kind][string(id)]
	return w != nil && w.cancel
}

// offered checks that the agent has said it takes a request (client MUST 8); nil
// where it has, or where nobody knows yet.
func (c *Client) offered(s *session, method string, params []byte) *engine.Error {
	refuse := func(why string) *engine.Error {
		return &engine.Error{Code: CodeUnsupported, Op: method, Message: why}
	}
	switch method {
	case "auth/login", "auth/logout", "authenticate", "logout":
		if c.home == nil || c.home.result == nil {
			return nil
		}
		ways, _ := jsonrpc.Member(c.home.result, "authMethods")
		if len(ways) == 0 || ways[0] != '[' || len(jsonrpc.Elements(ways)) == 0 {
			return refuse("the agent offers no way to log in")
		}
	case "tool_call/cancel", "terminal/cancel":
		kind, name := activityTool, "toolCallId"
		if method == "terminal/cancel" {
			kind, name = activityTerminal, "terminalId"
		}
		raw, _ := jsonrpc.Member(params, name)
		id, _ := transcript.ItemID(raw)
		if s == nil {
			s = c.sessionOf(sessionIn(params))
		}
		if s != nil && s.replay == nil && !s.activities.cancels(kind, id) {
			return refuse("the agent does not offer to cancel it now")
		}
	}
	return nil
}
