package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// schedule is when each call is due. What an input does with a call reschedules that
// one: with a thousand calls under way no event costs a look at the others.
type schedule struct {
	deadlines engine.Deadlines
	changed   *call // the first that may be due at another time than before; the next is its nextChanged
}

// reschedule notes that the call may be due at another time, and with it the call that it is
// about. Its deadline is set once the input is over, and all that counts for it is known.
func (c *Client) reschedule(call *call) {
	for ; call != nil && !call.changed; call = call.parent {
		call.changed, call.nextChanged = true, c.schedule.changed
		c.schedule.changed = call
	}
}

// rescheduleAll notes the same of every call: what holds for the client has changed.
func (c *Client) rescheduleAll() {
	for _, call := range c.calls {
		c.reschedule(call)
	}
}

// setDeadlines sets the deadlines of the calls that an input has concerned.
func (c *Client) setDeadlines() {
	for call := c.schedule.changed; call != nil; {
		next := call.nextChanged
		call.changed, call.nextChanged = false, nil
		c.schedule.deadlines.Set(&call.due, call.deadline(c))
		call = next
	}
	c.schedule.changed = nil
}

// callsDue returns when the first call is due.
func (c *Client) callsDue() engine.Time {
	c.setDeadlines()
	return c.schedule.deadlines.First()
}

// advanceCalls does what is due for the calls, in the order of their making.
func (c *Client) advanceCalls(now engine.Time) {
	if now < c.callsDue() {
		return
	}
	// A call that ends is taken out of c.calls: walk over what was there.
	for _, call := range append([]*call(nil), c.calls...) {
		if now >= call.due.At() {
			c.reschedule(call)
			call.advance(c, now)
		}
	}
}

// scheduled is a call's place in the schedule.
type scheduled struct {
	due         engine.Deadline // the first of all that is due
	changed     bool            // it may be another one by now
	nextChanged *call           // the next call in the list of calls to reschedule
}

// deadline returns when advance is due.
func (call *call) deadline(c *Client) engine.Time {
	at := engine.Never
	switch call.state {
	case callDone, callFollowed:
		return at
	case callEnding:
		return call.tailBy
	case callQueued:
		at = call.tellQueuedAt
	case callRetrying:
		at = min(call.tellQueuedAt, call.rerunAt)
	case callStreaming:
		at = call.streamDue()
	case callTask:
		at = call.taskDue(c)
	}
	if !call.waitsForApp() {
		at = min(at, call.totalBy)
	}
	return min(at, call.answerDue(c), call.sendDue(c), call.outboxDue(), call.draftsDue(c))
}

// advance does what is due for this call.
func (call *call) advance(c *Client, now engine.Time) {
	switch {
	case call.state == callDone, call.state == callFollowed:
		return
	case call.state == callEnding:
		if now >= call.tailBy {
			c.finish(call)
		}
		return
	case call.state == callRetrying && now >= call.rerunAt:
		call.enter(c, callQueued)
		if c.state == stateOpen && !c.token.Asking() {
			call.send(c, now)
			return
		}
		call.tellAwaiting(c)
		return
	case call.isQueued() && now >= call.tellQueuedAt:
		call.tellQueued(c, now)
	}
	if call.overdue(c, now) {
		return
	}
	call.advanceOutbox(c, now)
	call.writeDrafts(c, now)
	switch call.state {
	case callStreaming:
		call.advanceStream(c, now)
	case callTask:
		call.advanceTask(c, now)
	}
}

// overdue ends a call that has waited for too long, or cuts its connection; false for
// one that has not.
func (call *call) overdue(c *Client, now engine.Time) bool {
	switch {
	case now >= call.sendDue(c):
		call.unsent(c, now, waitedTooLong)
	case now >= call.totalBy && !call.left && call.isQueued() && call.role == roleApp:
		call.unsent(c, now, "its total time is over")
	case now >= call.totalBy && !call.waitsForApp():
		c.giveUp(now, call, timeoutError(call.method, "no result within the total time"))
	case now < call.answerDue(c):
		return false
	case call.state == callReading && call.resumes():
		c.abort(call.x)
		call.resumeCut(c, now, engine.EndNetwork, cutSilent)
	default:
		c.giveUp(now, call, timeoutError(call.method, "no answer in time"))
	}
	return true
}

// answerDue returns when an answer is due: never while a token is being asked
// for, since a person may be signing in (fault 112).
func (call *call) answerDue(c *Client) engine.Time {
	switch call.state {
	case callQueued:
		if c.token.Asking() || call.parked != 0 || call.role == roleApp && !call.left {
			return engine.Never // what has not left is not answered: sendDue limits that
		}
	case callRetrying, callRestored, callFollowed:
		return engine.Never
	}
	return call.answerBy
}

// headBy returns until when the head of the response to a request that leaves now is
// waited for. A handshake is answered at once; any other may have a stream by then on which its server
// works in silence, where the host shows a head late: to end the call would cancel that work.
func (call *call) headBy(c *Client, now engine.Time) engine.Time {
	if call.opensClient() {
		return in(now, call.timeouts.Answer)
	}
	if within := c.heads.Within(call.timeouts.Answer, call.timeouts.Idle); within > 0 {
		return now.After(within)
	}
	return engine.Never
}

// whatRuns are the calls of a client and the stream that it listens on (link.Listener).
type whatRuns struct{ c *Client }

// Hear hands news to all of them. The calls may be due at another time then.
func (w *whatRuns) Hear(n *link.News) (moved bool) {
	c := w.c
	for _, call := range c.calls {
		call.answerBy, call.totalBy = n.Later(call.answerBy), n.Later(call.totalBy)
		switch call.state {
		case callStreaming:
			moved = call.stream.Hear(n) || moved
		case callTask:
			moved = call.task.Hear(n) || moved
		}
	}
	if c.listen.runs() {
		moved = c.listen.stream.Hear(n) || moved
	}
	if n.Kind != link.NewsVisit || moved {
		c.rescheduleAll()
	}
	return moved
}
