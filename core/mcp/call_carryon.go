package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// carryOn goes on with a call that came back from the journal, by the best of
// what it has. Nothing is run again that is not known to
// be harmless.
func (call *call) carryOn(c *Client, now engine.Time) {
	if call.parked != 0 {
		return // Hold lets it go on
	}
	r := call.fold
	call.fold = nil
	call.totalBy = in(now, call.timeouts.Total)
	call.answerBy = in(now, call.timeouts.Answer)
	call.rounds, call.mayHaveRun = r.Rounds, r.MayHaveRun
	r.AskAgain()
	call.restoreDrafts(c, r)
	call.restoreRound(r)
	if r.Sent {
		call.cuts++ // the page that had it is gone
	}
	call.generation, call.inSession = uint32(r.Session), c.session.id != ""
	same := r.Session == uint64(c.session.generation)
	if same {
		call.restoreOutbox(c, now, r)
	} else {
		call.replayed = r.Taken
	}
	switch {
	// A task first: what the call has asked for before it became one is over.
	case r.TaskID != "" && wire.FindTaskDialect(r.TaskDialect, c.revision) != nil:
		call.restoreTask(c, now, r, wire.FindTaskDialect(r.TaskDialect, c.revision))
	case r.Task:
		call.enter(c, callQueued)
		call.answerLost(c, now, engine.Lost,
			&engine.Error{Code: engine.CodeLost, Op: call.method,
				Message: "the id of this call's task could not be read back"})
	case r.Round != nil && r.Responses == nil && !r.Responded:
		call.askAgain(c, now, r)
	case r.Round != nil && r.Stated && r.State == nil:
		call.enter(c, callQueued)
		call.answerLost(c, now, engine.Lost, stateLost(call.method))
	case r.Round != nil && r.Responded && !call.flags.Repeatable():
		call.enter(c, callQueued)
		call.answerLost(c, now, engine.Unknown,
			unknownError(call.method, 0, "the page went while it was answered"))
	case r.Round != nil:
		// The answer was given before the page went, and the person is not asked
		// again (fault 55). A request that never left has no id yet.
		if !r.Responded {
			delete(c.byID, call.request)
			call.request = c.newRequestID()
			c.byID[call.request] = call
		} else {
			call.reruns++
			c.resumed(call, engine.Restarted) // the round, of a tool that may run twice
		}
		call.enter(c, callQueued)
		call.send(c, now)
	case !r.Sent, r.Refused:
		call.enter(c, callQueued)
		call.send(c, now) // it never left, or did not run
	case r.Policy != nil && r.Policy.Token != nil && c.takesTokens():
		call.restorePolicy(c, now, r)
	case len(r.Cursor) > 0 && same && c.revision.LastEventID:
		call.enter(c, callStreaming)
		call.stream = call.newStream(c)
		call.stream.Restored(now, r.Cursor, r.Seen, r.Retry)
		call.record.cursor, call.record.retry = append(call.record.cursor[:0], r.Cursor...), r.Retry
		call.answerBy = engine.Never
		c.status(call, engine.StreamCut, &streamReport{why: cutReload})
		call.handAsked(c, now, r)
	case len(r.Cursor) > 0 || r.Policy != nil:
		call.enter(c, callQueued)
		call.answerLost(c, now, engine.Lost, lostError(call.method, 0))
	default:
		call.enter(c, callQueued)
		call.answerLost(c, now, engine.Unknown,
			unknownError(call.method, 0, "the page went before the server had said how to go on with it"))
	}
}

// askAgain hands an input request that nobody has answered to the app once more.
func (call *call) askAgain(c *Client, now engine.Time, r *recorded.Call) {
	if r.Stated && r.State == nil {
		call.enter(c, callQueued)
		call.answerLost(c, now, engine.Lost, stateLost(call.method))
		return
	}
	call.enter(c, callAsking)
	call.answerBy, call.askedAt = engine.Never, now
	call.asks, call.requestState = r.Round, r.State
	c.effects.Add(engine.Effect{Kind: engine.Deliver, C: call.id, Event: engine.EventInput,
		Position: call.position, Data: withDrafts(&call.drafts, inputEvent(call.asks), call.asks, recorded.RoundID)})
}

// restoreRound brings back the answer to what the call has asked for: it goes with the
// request, also where that is run again.
func (call *call) restoreRound(r *recorded.Call) {
	if (r.Responses != nil || r.Responded) && (!r.Stated || r.State != nil) {
		call.roundOver, call.asks, call.responses, call.requestState = true, r.Round, r.Responses, r.State
	}
}

func stateLost(method string) *engine.Error {
	return &engine.Error{Code: engine.CodeLost, Op: method,
		Message: "the state that belongs to its request for input could not be read back"}
}
