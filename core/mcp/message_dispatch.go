package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// progressToken is the member of progress's params that names its request.
const progressToken = "progressToken"

// message takes the text of one message, or of an array of them where the
// revision has batches. A text that cannot be read costs only itself: the
// stream lives on (fault 13).
func (c *Client) message(now engine.Time, t *call, text []byte) {
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
			c.dispatch(now, t, &m)
		}
	}
	series := &c.series
	if t != nil {
		series = &t.series
	}
	m, err := series.Parse(text, limits)
	if err != nil {
		c.integrity("unreadable_message", err)
		return
	}
	c.dispatch(now, t, &m)
}

// dispatch takes one message that arrived on t's stream, or on the GET stream.
func (c *Client) dispatch(now engine.Time, t *call, m *jsonrpc.Message) {
	if t != nil && t.policy != nil && m.Kind != jsonrpc.ErrorResponse {
		t.policy.fresh, t.policy.gone = false, false
	}
	if t != nil && t.role == roleTask && m.Kind != jsonrpc.Response && m.Kind != jsonrpc.ErrorResponse {
		t = t.parent // what is said on the way to a task's result belongs to its call
	}
	switch m.Kind {
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		c.response(now, t, m)
	case jsonrpc.Notification:
		c.notification(t, m)
	case jsonrpc.Request:
		c.serverRequest(now, t, m)
	}
}

// response takes a result or an error. It finds its call by the id alone, but
// for an error without an id, or with null: that answers the request on whose
// own stream or in whose body it is (nil on the GET stream), since the server
// could not read the id (JSON-RPC 2.0 section 5; absent since 2025-11-25).
func (c *Client) response(now engine.Time, on *call, m *jsonrpc.Message) {
	t := c.findByID(m.ID)
	c.reschedule(t)
	if m.Kind == jsonrpc.ErrorResponse && (m.ID.Kind == jsonrpc.IDNull || m.ID.IsZero()) {
		t = on
	}
	switch {
	case t == nil && (c.listen.answeredBy(m.ID) || c.taskListen.next != nil && c.taskListen.next.answeredBy(m.ID)):
		// The server has ended the subscription properly; its stream's end follows.
	case t == nil:
		c.integrity("unknown_response", nil)
	case t.state == callEnding:
		c.integrity("duplicate_response", nil)
	case t.state < callSent, t.state == callAsking:
		c.integrity("unknown_response", nil)
	case on.replaysForeign(t):
		c.integrity("foreign_message", nil)
	case m.Kind == jsonrpc.Response:
		c.completed(now, t, m.Result)
	case t.refusesResume(m):
		t.answerLost(c, now, engine.Lost, refusedResumeError(t.method, 0, wire.ErrorCode(m)))
	default:
		c.settle(now, t, engine.OutcomeRPCError, m.Error, nil)
	}
}

// body takes the JSON body of the answer to t's POST.
func (c *Client) body(now engine.Time, t *call, text []byte) {
	m, err := jsonrpc.Parse(text, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	if !t.exchange.OK() {
		if err != nil {
			t.refusedFinally(c, now, nil)
			return
		}
		t.refusedFinally(c, now, &m)
		return
	}
	if err != nil && c.revision != nil && c.revision.Batches {
		c.message(now, t, text)
	} else if err == nil && (m.Kind == jsonrpc.Response || m.Kind == jsonrpc.ErrorResponse) {
		c.response(now, t, &m)
	}
	if t.state == callReading {
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeProtocol, Op: t.method, Status: t.exchange.Status(),
			Message: "the JSON body is not the response to the request", Cause: err})
	}
}

// notification takes a notification. Progress goes to the call whose token it
// names, on whatever stream it came; the rest belongs to the call on whose
// stream it is, or to the client as a whole.
func (c *Client) notification(t *call, m *jsonrpc.Message) {
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
		if t.replaysForeign(named) {
			c.integrity("foreign_message", nil)
			return
		}
		c.deliver(named, engine.EventProgress, m.Params)
	case "notifications/message":
		c.deliverOn(t, engine.EventLog, m.Params)
	case "notifications/requests/resumePolicy":
		c.resumePolicy(t, m.Params)
	case "notifications/tasks", "notifications/tasks/status":
		switch {
		case c.taskNotified(c.now, m.Params):
		case t == nil && c.listen.forgetsTask(m.Params):
			c.counters.LateNotifications++
		default:
			c.deliverOn(t, engine.EventNotification, m.Raw)
		}
	case "notifications/tools/list_changed":
		if t == nil || t.role != roleApp {
			c.toolsChanged()
		}
		c.deliverOn(t, engine.EventNotification, m.Raw)
	case "notifications/subscriptions/acknowledged":
		raw := m.Raw
		if t == nil {
			raw = c.acknowledged(m)
		}
		c.deliverOn(t, engine.EventNotification, raw)
	default:
		c.deliverOn(t, engine.EventNotification, m.Raw)
	}
}

// replaysForeign reports whether a message for the call named came on a resumed
// stream of t's although named has one of its own. A server must not replay it
// there (2025-11-25 basic/transports), and may bring it twice.
func (t *call) replaysForeign(named *call) bool {
	return t != nil && t != named && t.resumes() && t.state == callStreaming && named.state == callStreaming
}

// deliverOn delivers to t, or to the client where the message came on the GET
// stream or after t's end.
func (c *Client) deliverOn(t *call, kind engine.EventKind, data []byte) {
	if t == nil || t.role != roleApp {
		c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: kind, Data: data})
		return
	}
	if t.state >= callEnding {
		c.counters.LateNotifications++
		return
	}
	c.deliver(t, kind, data)
}

func (c *Client) deliver(t *call, kind engine.EventKind, data []byte) {
	if t.role != roleApp {
		return
	}
	t.position++
	if t.record != nil {
		c.write(t, journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(kind)}, Data: withoutTask(data)})
	}
	if t.position > t.heard {
		c.effects.Add(engine.Effect{Kind: engine.Deliver, C: t.id, Event: kind, Position: t.position, Data: data})
	}
}

// serverRequest takes a request of the server's: ping is answered as the spec
// says, what the app handles is handed to it, any other is refused. Servers of
// a self-describing revision may send none (2026-07-28 streamable-http).
func (c *Client) serverRequest(now engine.Time, t *call, m *jsonrpc.Message) {
	method := string(m.Method)
	switch {
	case m.ID.Kind == jsonrpc.IDNull, c.revision != nil && c.revision.SelfDescribing:
		c.integrity("unreadable_message", nil) // null: nobody to answer, and MCP forbids it
	case method == "ping":
		c.answer(now, jsonrpc.AppendResult(nil, m.ID, []byte("{}")))
	case !slices.Contains(c.cfg.Handles, method):
		c.counters.RefusedRequests++
		c.answer(now, jsonrpc.AppendError(nil, m.ID, wire.MethodNotFound, "Method not found"))
	case t != nil && t.askedBefore(c, m.ID):
		c.counters.RepeatedRequests++
	default:
		c.ask(now, t, m)
	}
}
