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
