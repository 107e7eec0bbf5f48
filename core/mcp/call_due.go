package mcp

import (
	"cmp"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// schedule is when each call is due. What an input does with a call reschedules that
// one: with a thousand calls under way no event costs a look at the others.
type schedule struct {
	deadlines engine.Deadlines[*call]
	changed   []*call // that may be due at another time than before
	all       bool    // any of them may
	due       []*call // memory of dueCalls
}

// reschedule notes that t may be due at another time, and with it the call that it is
// about. Its deadline is set once the input is over, and all that counts for it is known.
func (c *Client) reschedule(t *call) {
	for ; t != nil && !t.changed; t = t.parent {
		t.changed = true
		c.schedule.changed = append(c.schedule.changed, t)
	}
}

// rescheduleAll notes the same of every call: what holds for the client has changed.
func (c *Client) rescheduleAll() { c.schedule.all = true }

// setDeadlines sets the deadlines of the calls that an input has concerned.
func (c *Client) setDeadlines() {
	s := &c.schedule
	if s.all {
		s.all = false
		for _, t := range c.calls {
			s.deadlines.Set(&t.due, t.deadline(c))
		}
	}
	for i, t := range s.changed {
		t.changed, s.changed[i] = false, nil
		s.deadlines.Set(&t.due, t.deadline(c))
	}
	s.changed = s.changed[:0]
}

// callsDue returns when the first call is due.
func (c *Client) callsDue() engine.Time {
	c.setDeadlines()
	return c.schedule.deadlines.First()
}

// advanceCalls does what is due for the calls, in the order of their making.
func (c *Client) advanceCalls(now engine.Time) {
	c.setDeadlines()
	due := c.schedule.deadlines.Due(now, c.schedule.due[:0])
	slices.SortFunc(due, func(a, b *call) int { return cmp.Compare(a.id, b.id) })
	for _, t := range due {
		c.reschedule(t)
		t.advance(c, now)
	}
	clear(due)
	c.schedule.due = due[:0]
}
