package mcp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
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
	roundOver    bool        // the last of them has its answer, which goes with the request
	responses    []byte      // the answer, raw; nil where nothing is said
	requestState []byte      // raw, to be sent back as it is
	askedAt      engine.Time // when it asked
	asks         []byte      // what it asks for, or asked for
	askedBy      uint32      // the position of the event that has asked the app
}

// completed takes a result. In a self-describing revision it may be a request
// for input instead (2026-07-28 basic/patterns/mrtr); no resultType means
// complete, and one that nobody declared is an error.
func (c *Client) completed(now engine.Time, call *call, m *jsonrpc.Message) {
	result := m.Result
	if c.revision != nil && c.revision.SelfDescribing && call.role == roleApp {
		value, _ := m.ResultMember("resultType")
		switch kind, is := jsonrpc.String(value); {
		case !is || kind == "complete":
		case kind == "input_required":
			c.askInput(now, call, result)
			return
		case kind == "task" && call.method == "tools/call":
			call.adoptTask(c, now, wire.ExtensionTasks, taskID(result), result, result)
			return
		default:
			c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
				Code: engine.CodeProtocol, Op: call.method, Message: "the result is of a type that this client has not declared"})
			return
		}
	}
	if c.revision != nil && c.revision.CoreTasks && (c.taskResult(now, call, m) || call.takesPartial(c, now, m)) {
		return
	}
	c.settle(now, call, engine.OutcomeResult, result, nil)
}

// askInput hands the request for input to the app. Nothing of the call's is
// under way until Answer, and no clock of it runs: a person may be filling in
// a form.
func (c *Client) askInput(now engine.Time, call *call, result []byte) {
	c.abort(call.x) // after input_required nothing may follow on the stream
	call.x = 0
	call.stream.End()
	if call.rounds++; call.rounds > maxRounds {
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeLimit, Op: call.method, Message: "the server asked for input again and again"})
		return
	}
	state, _ := jsonrpc.Member(result, "requestState")
	call.requestState = append([]byte(nil), state...)
	call.enter(c, callAsking)
	call.answerBy, call.askedAt, call.roundOver = engine.Never, now, false
	requests, _ := jsonrpc.Member(result, "inputRequests")
	call.asks = append(call.asks[:0], requests...)
	if c.exchanges.IsShut() {
		return // nobody is asked any more
	}
	c.writeRound(call)
	c.deliver(call, engine.EventInput, inputEvent(call.asks))
	call.askedBy = call.position
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

func (c *Client) writeRound(call *call) {
	stated := uint64(0)
	if len(call.requestState) > 0 {
		stated = 1
	}
	c.write(call, journal.Entry{Kind: journal.Round, N: [3]uint64{stated}, Data: call.asks})
	if stated != 0 { // after Round, which makes void the state of another one
		c.writeSecret(call, journal.Entry{Kind: journal.State, Data: call.requestState})
	}
	call.rewriteDrafts() // none of a round that is new
}

// Answer sends a call again with the answers to its requests for input: a JSON object by their keys, nil
// where there were none; or an array of the position of the last event by which whoever answers was asked,
// and that object. The state that the server gave goes back byte for byte, under a new request id.
func (c *Client) Answer(now engine.Time, id engine.CallID, responses []byte) {
	c.effects.Begin(now)
	call := c.callOf(id)
	var position uint32
	if parts := jsonrpc.Elements(responses); len(parts) == 2 {
		n, _ := jsonrpc.Uint(parts[0])
		position, responses = uint32(n), parts[1]
	}
	if call != nil && call.task != nil {
		call.answerTask(c, now, position, responses)
		return
	}
	if call == nil || call.state != callAsking {
		return
	}
	if position != 0 && position < call.askedBy {
		c.integrity("answer_dropped", nil)
		return
	}
	call.roundOver, call.responses = true, bytes.Clone(responses)
	call.drafts = durable.Drafts{}
	delete(c.byID, call.request)
	call.request = c.newRequestID()
	c.byID[call.request] = call
	call.totalBy = call.totalBy.After(now.Since(call.askedAt))
	call.enter(c, callStoring)
	call.answerBy = in(now, call.timeouts.Answer)
	// On disk before it is noted that the request leaves: until then the answer
	// is sent again after a crash, and from then on its outcome is unknown.
	c.writeResponses(call, responses)
	if call.isKept() {
		call.record.noteUnsent()
	}
	c.whenStored(now, call, true, &sending{call})
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
	if c.state == stateOpen && !c.token.Asking() {
		s.of.send(c, now)
		return
	}
	s.of.tellAwaiting(c) // whoever opens the client sends it
}

// roundMembers returns the members of params that answer a request for input, nil for none.
func (call *call) roundMembers() (members []byte) {
	if !call.roundOver {
		return nil
	}
	if len(call.responses) > 0 {
		members = append(jsonrpc.Raw(members, `"inputResponses":`), call.responses...)
	}
	if len(call.requestState) > 0 {
		if members != nil {
			members = append(members, ',')
		}
		members = append(jsonrpc.Raw(members, `"requestState":`), call.requestState...)
	}
	return members
}

// openQuestion is a request of the server's that the app is answering.
type openQuestion struct {
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
	for _, a := range c.openQuestions {
		size += a.size
	}
	return len(c.openQuestions) < maxAsked && size <= maxAskedBytes
}

// ask hands a request of the server's to the app, which answers with Respond. On
// a call that is kept it is stored too: a page that loads again asks again.
func (c *Client) ask(now engine.Time, call *call, m *jsonrpc.Message) {
	if call != nil && call.role == roleApp && call.state < callEnding && c.takesAsked(m) {
		call.noteQuestion(questionID(m.ID))
		call.drafts.Drop(questionID(m.ID)) // of another session's, which gave the same id
		c.write(call, journal.AskedEntry(questionID(m.ID), withoutTask(m.Raw)))
	}
	c.hand(now, call, m)
}

func (c *Client) hand(now engine.Time, call *call, m *jsonrpc.Message) {
	if c.exchanges.IsShut() {
		return // no answer may leave
	}
	if !c.takesAsked(m) {
		c.counters.RefusedRequests++
		c.answer(now, c.asksIn(call), jsonrpc.AppendError(nil, m.ID, -32000, "Too many requests"))
		return
	}
	c.lastAsked++
	a := openQuestion{handle: c.lastAsked, generation: c.asksIn(call), at: now,
		size: len(m.Raw),
		id:   jsonrpc.ID{Kind: m.ID.Kind, Text: append([]byte(nil), m.ID.Text...)}}
	a.related = relatedOf(m.Params)
	e := engine.Effect{Kind: engine.Deliver, Event: engine.EventRequest, Position: a.handle, Data: m.Raw}
	if call != nil && call.role == roleApp && call.state < callEnding {
		a.call, e.C = call, call.id
		if call.record != nil { // kept in memory alone, it may be written yet
			a.message = append([]byte(nil), m.Raw...)
		}
		call.asking++
		c.reschedule(call)
		call.stream.Hold(now, true)
		if draft := call.drafts.Of(questionID(m.ID)); draft != nil {
			c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventDraft, C: call.id, Position: a.handle, Data: draft})
		}
	}
	c.openQuestions = append(c.openQuestions, a)
	c.effects.Add(e)
}

// Respond answers a request of the server's: with a result, or with a JSON-RPC
// error object where ok is false. Both are JSON. Without either the server has cancelled its
// request: it gets no answer, and no page asks again (2025-11-25 basic/utilities/cancellation).
func (c *Client) Respond(now engine.Time, handle uint32, ok bool, data []byte) {
	c.effects.Begin(now)
	for i, a := range c.openQuestions {
		if a.handle != handle {
			continue
		}
		c.openQuestions = slices.Delete(c.openQuestions, i, i+1)
		c.reschedule(a.call)
		if call := a.call; call != nil && call.state < callEnding {
			call.drafts.Drop(questionID(a.id))
			call.totalBy = call.totalBy.After(now.Since(a.at))
			if call.asking--; call.asking == 0 {
				call.stream.Hold(now, call.paused)
			}
		}
		if !ok && len(data) == 0 {
			if a.call != nil && a.call.state < callEnding {
				c.write(a.call, journal.Entry{Kind: journal.Taken, Data: questionID(a.id)})
			}
			return
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
			c.answerAfter(now, a, message)
		}
		return
	}
}

// answerAfter answers a request whose call is over: the server still waits for the answer.
// While the outcome is being stored it may turn out that another tab carries the
// call, and the answer was that one's to give (fault 79).
func (c *Client) answerAfter(now engine.Time, a openQuestion, message []byte) {
	if a.call == nil {
		c.postAnswer(now, answer{body: message, generation: a.generation, given: true})
		return
	}
	c.whenStored(now, a.call, true, &lateAnswer{message, a.generation, a.call.record != nil})
}

// lateAnswer answers a request of the server's whose call is over.
type lateAnswer struct {
	message    []byte
	generation uint32 // the handshake in whose session it was asked
	stored     bool   // the call was, when the answer came
}

func (a *lateAnswer) goOn(c *Client, call *call, now engine.Time) {
	if a.stored && (call.record == nil || call.record.foreign || call.state == callFollowed) {
		return
	}
	c.postAnswer(now, answer{body: a.message, generation: a.generation, given: true})
}

// waitsForApp reports whether the call waits for a person or a model on this
// side, so that its clocks stand still.
func (call *call) waitsForApp() bool {
	return call.state == callAsking || call.asking > 0 || call.task != nil && len(call.task.waiting) > 0
}
