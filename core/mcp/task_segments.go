package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/segments"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// gapTries is how often what is missing is asked for in vain before the app is
// told of the gap, and the whole result is waited for (fault 100).
const gapTries = 4

// takeSegments takes a partial-content and what came with it.
func (call *call) takeSegments(c *Client, now engine.Time, partial, result []byte) {
	k := call.task
	if !k.streams() {
		k.enter(c, resultStreamed)
	}
	call.heardOf(c, now, nil)
	if k.dialect.AnswersByPoll() {
		// Who streams results has tasks/result: SEP-1905 goes on from there.
		k.dialect = wire.CoreTasks
		c.writeTask(call)
	}
	before := k.segments.Last()
	c.elements = jsonrpc.AppendElements(c.elements[:0], partial)
	for _, raw := range c.elements {
		call.takeSegment(c, raw)
	}
	clear(c.elements)
	if k.segments.Last() > before {
		k.tries = 0
	}
	if done, _ := jsonrpc.Member(result, "isComplete"); string(done) == "true" {
		k.segments.Complete = true
		failed, _ := jsonrpc.Member(result, "isError")
		k.segments.Failed = k.segments.Failed || string(failed) == "true"
	}
	switch {
	case k.segments.Complete && k.segments.Gapless():
		// structuredContent and _meta are in the whole result only.
		if k.result != resultDoubted {
			k.enter(c, resultComplete)
		}
		k.fetch.at = now
	case !k.segments.Gapless() && k.tries == 0 && k.result != resultWhole:
		call.fetchNow(c, now)
	case call.x != 0 && k.result != resultWhole && k.segments.Gapless():
		k.fetch.at = engine.Never // they come by themselves
	}
}

func (call *call) takeSegment(c *Client, raw []byte) {
	switch call.task.segments.Add(raw, func(raw []byte) { c.deliver(call, engine.EventSegment, raw) }) {
	case segments.Duplicate:
		c.counters.DuplicateSegments++
	case segments.Conflict:
		c.integrity("conflicting_segment", nil)
	case segments.Invalid:
		c.integrity("invalid_segment", nil)
	case segments.TooFar:
		c.integrity("distant_segment", nil)
	case segments.Late:
		c.integrity("late_segment", nil)
	case segments.TooMuch:
		c.integrity("too_many_segments", nil)
		call.task.askWhole(c) // asked for again, it would not fit again
	}
}

// fetchNow asks for what is missing at once, also where the whole result is
// waited for and nothing has come of that: the server answers by the number.
func (call *call) fetchNow(c *Client, now engine.Time) {
	k := call.task
	if s := k.fetch.call; s != nil && s.state == callSent && !k.numbered && k.segments.Last() > 0 {
		k.fetch.drop(c)
	}
	k.fetch.at = now
}

// refetched takes the segments that the server gave when it was asked for them.
func (call *call) refetched(c *Client, now engine.Time, partial, result []byte) {
	k := call.task
	complete, before, over, had := k.result == resultComplete, k.segments.Last(), k.over(),
		k.segments.Complete
	k.fetch.at = now.After(k.interval)
	call.takeSegments(c, now, partial, result)
	switch {
	case complete && !k.numbered:
		call.settleMerged(c, now) // it was asked for the whole, and has no more than that
	case k.expired:
		// What was left is read. Whatever it says of itself, it is not complete
		// (SEP-1905, TTL expiration during streaming).
		call.taskOver(c, now, complete)
	case k.segments.Last() > before:
	case !k.segments.Gapless():
		k.fetch.at = now.After(k.interval)
		call.inVain(c, now)
	case !had && k.numbered && k.segments.Complete && !over && len(jsonrpc.Elements(partial)) == 0:
		// Nothing follows, says a server that may have begun again and be behind
		// the number (SEP-1905): the status tells.
		k.enter(c, resultDoubted)
		k.fetch.at = engine.Never
		k.poll.drop(c)
		k.poll.at = now
	case !k.segments.Complete && over:
		k.segments.Complete, k.fetch.at = true, now // isComplete is missing
		k.enter(c, resultComplete)
	}
}

// takesPartial takes a part of the result that is no end of it, on the stream that answers the request for
// the result: what follows on that stream is not asked for again.
func (call *call) takesPartial(c *Client, now engine.Time, m *jsonrpc.Message) bool {
	if call.role != roleTask || call.state != callStreaming || call.parent.task == nil ||
		call.parent.task.fetch.call != call {
		return false
	}
	partial, is := m.ResultMember("partial-content")
	done, _ := jsonrpc.Member(m.Result, "isComplete")
	if id := relatedTask(m.Result); !is || string(done) == "true" || id != "" && id != call.parent.task.id {
		return false
	}
	call.partials++
	call.parent.takeSegments(c, now, partial, m.Result)
	return true
}

// inVain counts that a gap was asked for and is still there. In the end the app
// is told: {"outcome":"gap",…,"missing":[2,4]}.
func (call *call) inVain(c *Client, now engine.Time) {
	k := call.task
	k.tries++
	switch {
	case k.tries < gapTries && k.result != resultWhole:
	case k.result != resultWhole:
		from, to := k.segments.Missing()
		c.resumedGap(call, from, to)
		k.askWhole(c)
		k.fetch.at = now
	case k.over() || k.segments.Complete:
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{Code: engine.CodeProtocol,
			Op:      call.method,
			Message: "the server's result has a gap that it does not fill"})
	}
}

// undoubted decides on a result of which the server says that nothing follows, by
// the status of its task.
func (call *call) undoubted(c *Client, now engine.Time) {
	k := call.task
	k.fetch.at = now
	if k.over() {
		k.enter(c, resultComplete)
		return
	}
	c.resumed(call, engine.Restarted)
	k.segments.Complete = false
	k.enter(c, resultWhole)
}

// settleMerged ends a call with what its segments come to.
func (call *call) settleMerged(c *Client, now engine.Time) {
	if call.task.segments.Truncated() {
		call.taskLost(c, now) // its parts are not all there any more
		return
	}
	c.settle(now, call, engine.OutcomeResult, call.task.segments.AppendResult(nil), nil)
}

// compare reports whether the whole result is what was streamed, and tells the app
// where it is not. The whole result stands (fault 102).
func (call *call) compare(c *Client, result []byte) bool {
	same := call.task.segments.SameAs(result)
	if !same {
		c.integrity("different_result", nil)
	}
	return same
}

// tellRest tells of what came with the whole result alone, and goes on where the
// segments ended: the merge is by number (SEP-1905), so that each block has one.
func (call *call) tellRest(c *Client, result []byte) {
	k := call.task
	if k.segments.Complete || !k.segments.Gapless() || k.result == resultWhole {
		return
	}
	k.segments.Rest(result, func(raw []byte) { call.takeSegment(c, raw) })
}
