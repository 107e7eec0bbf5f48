package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// maxRounds bounds how often one call may ask for input: a server that asks for
// ever is broken (SEP-2322 leaves the number to the client).
const maxRounds = 16

// inputRound is a request for input that the server has answered a call with.
type inputRound struct {
	rounds       int         // times that it asked
	round        []byte      // members of params that answer the last of them
	requestState []byte      // raw, to be sent back as it is
	askedAt      engine.Time // when it asked
	asks         []byte      // what it asks for, where that is kept
}

// completed takes a result. In a self-describing revision it may be a request
// for input instead (2026-07-28 basic/patterns/mrtr); no resultType means
// complete, and one that nobody declared is an error.
func (c *Client) completed(now engine.Time, t *call, result []byte) {
	if c.revision != nil && c.revision.SelfDescribing && t.role == roleApp {
		value, _ := jsonrpc.Member(result, "resultType")
		switch kind, is := jsonrpc.String(value); {
		case !is || kind == "complete":
		case kind == "input_required":
			c.askInput(now, t, result)
			return
		case kind == "task" && t.method == "tools/call":
			t.adoptTask(c, now, wire.ExtensionTasks, taskID(result), result, result)
			return
		default:
			c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
				Code: engine.CodeProtocol, Op: t.method, Message: "the result is of a type that this client has not declared"})
			return
		}
	}
	if c.revision != nil && c.revision.CoreTasks && c.taskResult(now, t, result) {
		return
	}
	c.settle(now, t, engine.OutcomeResult, result, nil)
}

// askInput hands the request for input to the app. Nothing of the call's is
// under way until Answer, and no clock of it runs: a person may be filling in
// a form.
func (c *Client) askInput(now engine.Time, t *call, result []byte) {
	c.abort(t.x) // after input_required nothing may follow on the stream
	t.x = 0
	t.stream.End()
	if t.rounds++; t.rounds > maxRounds {
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeLimit, Op: t.method, Message: "the server asked for input again and again"})
		return
	}
	state, _ := jsonrpc.Member(result, "requestState")
	t.requestState = append([]byte(nil), state...)
	t.enter(c, callAsking)
	t.answerBy, t.askedAt = engine.Never, now
	requests, _ := jsonrpc.Member(result, "inputRequests")
	t.asks = append(t.asks[:0], requests...)
	c.writeRound(t)
	c.deliver(t, engine.EventInput, inputEvent(t.asks))
}

// inputEvent is what the app is told of a request for input. The state that goes
// with it is the server's and a secret: it is not for apps, and not for the
// plain part of the journal.
func inputEvent(requests []byte) []byte {
	if len(requests) == 0 {
		return []byte("{}")
	}
	return append(append([]byte(`{"inputRequests":`), requests...), '}')
}

func (c *Client) writeRound(t *call) {
	stated := uint64(0)
	if len(t.requestState) > 0 {
		stated = 1
		c.writeSecret(t, journal.Entry{Kind: journal.State, Data: t.requestState})
	}
	c.write(t, journal.Entry{Kind: journal.Round, N: [3]uint64{stated}, Data: t.asks})
	c.rewriteDrafts(t) // none of a round that is new
}

// Answer sends a call again with the answers to its requests for input: a JSON
// object by their keys, nil where there were none. The state that the server
// gave goes back byte for byte, under a new request id.
func (c *Client) Answer(now engine.Time, id engine.CallID, responses []byte) {
	c.begin(now)
	t := c.callOf(id)
	if t != nil && t.task != nil {
		t.answerTask(c, now, responses)
		return
	}
	if t == nil || t.state != callAsking {
		return
	}
	t.setRound(responses)
	t.drafts = drafts{}
	delete(c.byID, t.request)
	t.request = c.newRequestID()
	c.byID[t.request] = t
	t.totalBy = later(t.totalBy, now.Since(t.askedAt))
	t.enter(c, callStoring)
	t.answerBy, t.asks = in(now, t.timeouts.Answer), nil
	// On disk before it is noted that the request leaves: until then the answer
	// is sent again after a crash, and from then on its outcome is unknown.
	c.writeResponses(t, responses)
	c.whenStored(now, t, true, &sending{t})
}

// sending sends a request once what it needs is stored: the answers that a call is made
// again with, or the note that its task's result is being asked for.
type sending struct{ of *call }

func (s *sending) goOn(c *Client, _ *call, now engine.Time) {
	if s.of.state != callStoring {
		return
	}
	c.reschedule(s.of)
	s.of.enter(c, callQueued)
	if c.state == stateOpen && !c.token.Asking() { // else whoever opens the client sends it
		s.of.send(c, now)
	}
}

// setRound keeps the members of params that answer a request for input.
func (t *call) setRound(responses []byte) {
	t.round = nil
	if len(responses) > 0 {
		t.round = append(append(t.round, `"inputResponses":`...), responses...)
	}
	if len(t.requestState) > 0 {
		if t.round != nil {
			t.round = append(t.round, ',')
		}
		t.round = append(append(t.round, `"requestState":`...), t.requestState...)
	}
}

// asked is a request of the server's that the app is answering.
type asked struct {
	handle     uint32
	id         jsonrpc.ID
	call       *call // on whose stream it came; nil for the GET stream
	generation uint32
	at         engine.Time
	size       int    // of the message, which the app has, in bytes
	message    []byte // whole, of a call that is kept
	related    []byte // the task that it belongs to, as its _meta says
}

// The requests of the server's that wait for the app: how many, and bytes of them.
const (
	maxAsked      = 64
	maxAskedBytes = 16 << 20
)

// takesAsked reports whether there is room for one more.
func (c *Client) takesAsked(m *jsonrpc.Message) bool {
	size := len(m.Raw)
	for _, a := range c.asked {
		size += a.size
	}
	return len(c.asked) < maxAsked && size <= maxAskedBytes
}

// ask hands a request of the server's to the app, which answers with Respond. On
// a call that is kept it is stored too: a page that loads again asks again.
func (c *Client) ask(now engine.Time, t *call, m *jsonrpc.Message) {
	if t != nil && t.role == roleApp && t.state < callEnding && c.takesAsked(m) {
		t.noteQuestion(questionID(m.ID))
		t.drafts.drop(questionID(m.ID)) // of another session's, which gave the same id
		c.write(t, journal.AskedEntry(questionID(m.ID), withoutTask(m.Raw)))
	}
	c.hand(now, t, m)
}

func (c *Client) hand(now engine.Time, t *call, m *jsonrpc.Message) {
	if !c.takesAsked(m) {
		c.counters.RefusedRequests++
		c.answer(now, jsonrpc.AppendError(nil, m.ID, -32000, "Too many requests"))
		return
	}
	c.lastAsked++
	a := asked{handle: c.lastAsked, generation: c.session.generation, at: now,
		size: len(m.Raw),
		id:   jsonrpc.ID{Kind: m.ID.Kind, Text: append([]byte(nil), m.ID.Text...)}}
	a.related = relatedOf(m.Params)
	e := engine.Effect{Kind: engine.Deliver, Event: engine.EventRequest, Position: a.handle, Data: m.Raw}
	if t != nil && t.role == roleApp && t.state < callEnding {
		a.call, e.C = t, t.id
		if t.record != nil { // kept in memory alone, it may be written yet
			a.message = append([]byte(nil), m.Raw...)
		}
		t.asking++
		c.reschedule(t)
		t.stream.Hold(now, true)
		if draft := t.drafts.saved[string(questionID(m.ID))]; draft != nil {
			c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventDraft, C: t.id, Position: a.handle, Data: draft})
		}
	}
	c.asked = append(c.asked, a)
	c.effects.Add(e)
}

// Respond answers a request of the server's: with a result, or with a JSON-RPC
// error object where ok is false. Both are JSON.
func (c *Client) Respond(now engine.Time, handle uint32, ok bool, data []byte) {
	c.begin(now)
	for i, a := range c.asked {
		if a.handle != handle {
			continue
		}
		c.asked = slices.Delete(c.asked, i, i+1)
		c.reschedule(a.call)
		if t := a.call; t != nil && t.state < callEnding {
			t.drafts.drop(questionID(a.id))
			t.totalBy = later(t.totalBy, now.Since(a.at))
			if t.asking--; t.asking == 0 {
				t.stream.Hold(now, t.paused)
			}
		}
		if a.generation != c.session.generation || c.state != stateOpen {
			return // the session that asked is gone
		}
		var message []byte
		if ok {
			message = jsonrpc.AppendResult(nil, a.id, relate(data, a.related))
		} else {
			message = jsonrpc.AppendErrorObject(nil, a.id, data)
		}
		if a.call != nil && a.call.state < callEnding {
			a.call.answered(c, now, a.id, message)
		} else {
			c.answerAfter(now, a.call, message)
		}
		return
	}
}

// answerAfter answers a request whose call is over: the server still waits for the answer.
// While the outcome is being stored it may turn out that another tab carries the
// call, and the answer was that one's to give (fault 79).
func (c *Client) answerAfter(now engine.Time, t *call, message []byte) {
	if t == nil {
		c.answer(now, message)
		return
	}
	c.whenStored(now, t, true, &lateAnswer{message, t.record != nil})
}

// lateAnswer answers a request of the server's whose call is over.
type lateAnswer struct {
	message []byte
	stored  bool // the call was, when the answer came
}

func (a *lateAnswer) goOn(c *Client, t *call, now engine.Time) {
	if a.stored && (t.record == nil || t.record.foreign || t.state == callFollowed) {
		return
	}
	c.answer(now, a.message)
}

// waitsForApp reports whether the call waits for a person or a model on this
// side, so that its clocks stand still.
func (t *call) waitsForApp() bool {
	return t.state == callAsking || t.asking > 0 || t.task != nil && len(t.task.waiting) > 0
}
