package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// schedule is when each call is due. What an input does with a call reschedules that
// one: with a thousand calls under way no event costs a look at the others.
type schedule struct {
	deadlines engine.Deadlines
	changed   *call // the first that may be due at another time than before; the next is its nextChanged
}

// reschedule notes that t may be due at another time, and with it the call that it is
// about. Its deadline is set once the input is over, and all that counts for it is known.
func (c *Client) reschedule(t *call) {
	for ; t != nil && !t.changed; t = t.parent {
		t.changed, t.nextChanged = true, c.schedule.changed
		c.schedule.changed = t
	}
}

// rescheduleAll notes the same of every call: what holds for the client has changed.
func (c *Client) rescheduleAll() {
	for _, t := range c.calls {
		c.reschedule(t)
	}
}

// setDeadlines sets the deadlines of the calls that an input has concerned.
func (c *Client) setDeadlines() {
	for t := c.schedule.changed; t != nil; {
		next := t.nextChanged
		t.changed, t.nextChanged = false, nil
		c.schedule.deadlines.Set(&t.due, t.deadline(c))
		t = next
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
	for _, t := range append([]*call(nil), c.calls...) {
		if now >= t.due.At() {
			c.reschedule(t)
			t.advance(c, now)
		}
	}
}

// scheduled is a call's place in the schedule.
type scheduled struct {
	due         engine.Deadline // the first of all that is due
	changed     bool            // it may be another one by now
	nextChanged *call           // of which that is noted, too
}

// deadline returns when advance is due.
func (t *call) deadline(c *Client) engine.Time {
	at := engine.Never
	switch t.state {
	case callDone, callFollowed:
		return at
	case callEnding:
		return t.tailBy
	case callQueued:
		at = t.tellQueuedAt
	case callRetrying:
		at = min(t.tellQueuedAt, t.rerunAt)
	case callStreaming:
		at = t.streamDue()
	case callTask:
		at = t.taskDue(c)
	}
	if !t.waitsForApp() {
		at = min(at, t.totalBy)
	}
	return min(at, t.answerDue(c), t.sendDue(c), t.outboxDue(), t.draftsDue(c))
}

// advance does what is due for this call.
func (t *call) advance(c *Client, now engine.Time) {
	switch {
	case t.state == callDone, t.state == callFollowed:
		return
	case t.state == callEnding:
		if now >= t.tailBy {
			c.finish(t)
		}
		return
	case t.state == callRetrying && now >= t.rerunAt:
		t.enter(c, callQueued)
		if c.state == stateOpen && !c.token.Asking() {
			t.send(c, now)
		}
		return
	case t.isQueued() && now >= t.tellQueuedAt:
		t.tellQueued(c, now)
	}
	if t.overdue(c, now) {
		return
	}
	t.advanceOutbox(c, now)
	t.writeDrafts(c, now)
	switch t.state {
	case callStreaming:
		t.advanceStream(c, now)
	case callTask:
		t.advanceTask(c, now)
	}
}

// overdue ends a call that has waited for too long, or cuts its connection; false for
// one that has not.
func (t *call) overdue(c *Client, now engine.Time) bool {
	switch {
	case now >= t.sendDue(c):
		t.unsent(c, now, waitedTooLong)
	case now >= t.totalBy && !t.left && t.isQueued() && t.role == roleApp:
		t.unsent(c, now, "its total time is over")
	case now >= t.totalBy && !t.waitsForApp():
		c.giveUp(now, t, timeoutError(t.method, "no result within the total time"))
	case now < t.answerDue(c):
		return false
	case t.state == callReading && t.resumes():
		c.abort(t.x)
		t.resumeCut(c, now, engine.EndNetwork, cutSilent)
	default:
		c.giveUp(now, t, timeoutError(t.method, "no answer in time"))
	}
	return true
}

// answerDue returns when an answer is due: never while a token is being asked
// for, since a person may be signing in (fault 112).
func (t *call) answerDue(c *Client) engine.Time {
	switch t.state {
	case callQueued:
		if c.token.Asking() || t.parked != 0 || t.role == roleApp && !t.left {
			return engine.Never // what has not left is not answered: sendDue limits that
		}
	case callRetrying, callRestored, callFollowed:
		return engine.Never
	}
	return t.answerBy
}
