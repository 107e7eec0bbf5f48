package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// progressToken is the member of progress's params that names its request.
const progressToken = "progressToken"

// message takes the text of one message, or of an array of them where the
// revision has batches. A text that cannot be read costs only itself: the
// stream lives on (fault 13).
func (c *Client) message(now engine.Time, call *call, text []byte) {
	limits := jsonrpc.Limits{Depth: c.cfg.Limits.Depth}
	if c.revision != nil && c.revision.Batches {
		batch, err := jsonrpc.ParseBatch(text, limits)
		if err != nil {
			c.integrity("unreadable_message", err)
			return
		}
		for {
			m, ok, err := batch.Next()
			if !ok || c.state >= stateClosing {
				return
			}
			if err != nil {
				c.integrity("unreadable_message", err)
				continue
			}
			if m.Kind == jsonrpc.Notification {
				m.Param, _ = jsonrpc.Member(m.Params, progressToken)
			}
			c.dispatch(now, call, &m)
		}
	}
	series := &c.series
	if call != nil {
		series = &call.series
	}
	m, err := series.Parse(text, limits)
	if err != nil {
		c.integrity("unreadable_message", err)
		return
	}
	c.dispatch(now, call, &m)
}

// dispatch takes one message that arrived on the call's stream, or on the GET stream.
func (c *Client) dispatch(now engine.Time, call *call, m *jsonrpc.Message) {
	if call != nil && call.policy != nil && m.Kind != jsonrpc.ErrorResponse {
		call.policy.fresh, call.policy.gone = false, false
	}
	if call != nil && call.role == roleTask && m.Kind != jsonrpc.Response && m.Kind != jsonrpc.ErrorResponse {
		call = call.parent // what is said on the way to a task's result belongs to its call
	}
	switch m.Kind {
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		c.response(now, call, m)
	case jsonrpc.Notification:
		c.notification(call, m)
	case jsonrpc.Request:
		c.serverRequest(now, call, m)
	}
}

// response takes a result or an error. A response finds its call by id. An error without
// an id, or with null, belongs to the request on whose stream or in whose body it came
// (nil on the GET stream): the server could not read the request's id (JSON-RPC 2.0
// section 5; absent since 2025-11-25).
func (c *Client) response(now engine.Time, on *call, m *jsonrpc.Message) {
	call := c.findByID(m.ID)
	c.reschedule(call)
	if m.Kind == jsonrpc.ErrorResponse && (m.ID.Kind == jsonrpc.IDNull || m.ID.IsZero()) {
		call = on
	}
	switch {
	case call == nil && c.listenAnswered(now, m):
	case call == nil:
		c.integrity("unknown_response", nil)
	case call.state == callEnding:
		c.integrity("duplicate_response", nil)
	case call.state < callSent, call.state == callAsking:
		c.integrity("unknown_response", nil)
	case on.replaysForeign(call):
		c.integrity("foreign_message", nil)
	case m.Kind == jsonrpc.Response:
		c.completed(now, call, m)
	case call.refusesResume(m):
		call.answerLost(c, now, engine.Lost, refusedResumeError(call.method, 0, wire.ErrorCode(m)))
	default:
		c.settle(now, call, engine.OutcomeRPCError, m.Error, nil)
	}
}

// body takes the JSON body of the answer to the call's POST.
func (c *Client) body(now engine.Time, call *call, text []byte) {
	m, err := call.series.Parse(text, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	if !call.exchange.OK() {
		if err != nil {
			call.refusedFinally(c, now, nil)
			return
		}
		call.refusedFinally(c, now, &m)
		return
	}
	if err != nil && c.revision != nil && c.revision.Batches {
		c.message(now, call, text)
	} else if err == nil && (m.Kind == jsonrpc.Response || m.Kind == jsonrpc.ErrorResponse) {
		c.response(now, call, &m)
	}
	if call.state == callReading {
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeProtocol, Op: call.method, Status: call.exchange.Status(),
			Message: "the JSON body is not the response to the request", Cause: err})
	}
}

// notification takes a notification. Progress goes to the call whose token it
// names, on whatever stream it came; the rest belongs to the call on whose
// stream it is, or to the client as a whole.
func (c *Client) notification(call *call, m *jsonrpc.Message) {
	// Conversions in place: a name of its own would cost a string for each event.
	if m.Params == nil && (string(m.Method) == "notifications/progress" || string(m.Method) == "notifications/message") {
		c.integrity("unreadable_message", nil) // params are all they consist of
		return
	}
	switch string(m.Method) {
	case "notifications/progress":
		named := c.findByToken(m.Param)
		if named == nil || named.state >= callEnding {
			c.counters.LateProgress++
			return
		}
		if call.replaysForeign(named) {
			c.integrity("foreign_message", nil)
			return
		}
		c.noteProgress(named, m.Params)
		c.deliver(named, engine.EventProgress, m.Params)
	case "notifications/message":
		c.deliverOn(call, engine.EventLog, m.Params)
	case "notifications/requests/resumePolicy":
		c.resumePolicy(call, m.Params)
	case "notifications/tasks", "notifications/tasks/status":
		switch {
		case c.taskNotified(c.effects.Now, m.Params):
		case call == nil && c.listen.forgetsTask(m.Params):
			c.counters.LateNotifications++
		default:
			c.deliverOn(call, engine.EventNotification, m.Raw)
		}
	case "notifications/cancelled": // what the server has asked, on whatever stream: for the host, which asks the app
		c.deliverOn(nil, engine.EventNotification, m.Raw)
	case "notifications/tools/list_changed":
		c.toolsChanged()
		fallthrough
	case "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated", "notifications/elicitation/complete":
		// News of the server, on whatever stream: a call's as well, where a tool has made them.
		c.deliverOn(nil, engine.EventNotification, m.Raw)
		if call != nil && call.role == roleApp && call.state < callEnding {
			c.deliver(call, engine.EventNotification, m.Raw)
		}
	case "notifications/subscriptions/acknowledged":
		raw := m.Raw
		if call == nil {
			raw = c.acknowledged(m)
		}
		c.deliverOn(call, engine.EventNotification, raw)
	default:
		c.deliverOn(call, engine.EventNotification, m.Raw)
	}
}

// replaysForeign reports whether a message for the call named came on a resumed
// stream of the call's although named has one of its own. A server must not replay it
// there (2025-11-25 basic/transports), and may bring it twice.
func (call *call) replaysForeign(named *call) bool {
	return call != nil && call != named && call.resumes() && call.state == callStreaming && named.state == callStreaming
}

// deliverOn delivers to the call, or to the client where the message came on the GET
// stream or after the call's end.
func (c *Client) deliverOn(call *call, kind engine.EventKind, data []byte) {
	if call == nil || call.role != roleApp {
		c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: kind, Data: data})
		return
	}
	if call.state >= callEnding {
		c.counters.LateNotifications++
		return
	}
	c.deliver(call, kind, data)
}

// serverRequest takes a request of the server's: ping is answered as the spec
// says, what the app handles is handed to it, any other is refused. Servers of
// a self-describing revision may send none (2026-07-28 streamable-http).
func (c *Client) serverRequest(now engine.Time, call *call, m *jsonrpc.Message) {
	method := string(m.Method)
	switch {
	case m.ID.Kind == jsonrpc.IDNull, c.revision != nil && c.revision.SelfDescribing:
		c.integrity("unreadable_message", nil) // null: nobody to answer, and MCP forbids it
	case method == "ping":
		c.answer(now, c.asksIn(call), jsonrpc.AppendResult(nil, m.ID, []byte("{}")))
	case !slices.Contains(c.cfg.Handles, method):
		c.counters.RefusedRequests++
		c.answer(now, c.asksIn(call), jsonrpc.AppendError(nil, m.ID, wire.MethodNotFound, "Method not found"))
	case call != nil && call.askedBefore(c, m.ID):
		c.counters.RepeatedRequests++
	default:
		c.ask(now, call, m)
	}
}
