package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// carryOn goes on with a call that came back from the journal, by the best of
// what it has. Nothing is run again that is not known to
// be harmless.
func (t *call) carryOn(c *Client, now engine.Time) {
	if t.parked != 0 {
		return // Hold lets it go on
	}
	r := t.fold
	t.fold = nil
	t.totalBy = in(now, t.timeouts.Total)
	t.answerBy = in(now, t.timeouts.Answer)
	t.rounds = r.Rounds
	r.AskAgain()
	t.drafts.restore(c, r)
	if r.Sent {
		t.cuts++ // the page that had it is gone
	}
	t.generation, t.inSession = uint32(r.Session), c.session.id != ""
	same := r.Session == uint64(c.session.generation)
	if same {
		t.restoreOutbox(c, now, r)
	}
	switch {
	case r.Round != nil && r.Responses == nil && !r.Responded:
		t.askAgain(c, now, r)
	case r.Round != nil && r.Stated && r.State == nil:
		t.enter(c, callQueued)
		t.answerLost(c, now, engine.Lost, stateLost(t.method))
	case r.Round != nil && r.Responded && !t.flags.Repeatable():
		t.enter(c, callQueued)
		t.answerLost(c, now, engine.Unknown, unknownError(t.method, 0, "the page went while it was answered"))
	case r.Round != nil:
		// The answer was given before the page went, and the person is not asked
		// again (fault 55). A request that never left has no id yet.
		if !r.Responded {
			delete(c.byID, t.request)
			t.request = c.newRequestID()
			c.byID[t.request] = t
		} else {
			t.reruns++
			c.resumed(t, engine.Restarted) // the round, of a tool that may run twice
		}
		t.requestState = bytes.Clone(r.State)
		t.setRound(r.Responses)
		t.enter(c, callQueued)
		t.send(c, now)
	case r.TaskID != "" && wire.FindTaskDialect(r.TaskDialect, c.revision) != nil:
		t.restoreTask(c, now, r, wire.FindTaskDialect(r.TaskDialect, c.revision))
	case r.Task:
		t.enter(c, callQueued)
		t.answerLost(c, now, engine.Lost, &engine.Error{Code: engine.CodeLost, Op: t.method, Message: "the id of this call's task could not be read back"})
	case !r.Sent:
		t.enter(c, callQueued)
		t.send(c, now) // it never left
	case r.Policy != nil && r.Policy.Token != nil && c.takesTokens():
		t.restorePolicy(c, now, r)
	case len(r.Cursor) > 0 && same && c.revision.LastEventID:
		t.enter(c, callStreaming)
		t.stream = t.newStream(c)
		t.stream.Restored(now, r.Cursor, r.Seen, r.Retry)
		t.record.cursor, t.record.retry = append(t.record.cursor[:0], r.Cursor...), r.Retry
		t.answerBy = engine.Never
		c.status(t, engine.StreamCut, &streamReport{why: cutReload})
		t.handAsked(c, now, r)
	case len(r.Cursor) > 0 || r.Policy != nil:
		t.enter(c, callQueued)
		t.answerLost(c, now, engine.Lost, lostError(t.method, 0))
	default:
		t.enter(c, callQueued)
		t.answerLost(c, now, engine.Unknown, unknownError(t.method, 0, "the page went before the server had said how to go on with it"))
	}
}

// askAgain hands an input request that nobody has answered to the app once more.
func (t *call) askAgain(c *Client, now engine.Time, r *recorded.Call) {
	if r.Stated && r.State == nil {
		t.enter(c, callQueued)
		t.answerLost(c, now, engine.Lost, stateLost(t.method))
		return
	}
	t.enter(c, callAsking)
	t.answerBy, t.askedAt = engine.Never, now
	t.asks, t.requestState = r.Round, r.State
	c.effects.Add(engine.Effect{Kind: engine.Deliver, C: t.id, Event: engine.EventInput, Position: t.position, Data: t.drafts.withSaved(inputEvent(t.asks), t.asks, recorded.RoundID)})
}

func stateLost(method string) *engine.Error {
	return &engine.Error{Code: engine.CodeLost, Op: method,
		Message: "the state that belongs to its request for input could not be read back"}
}
