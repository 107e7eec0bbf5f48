package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// manyCalls is from how many calls on their deadlines are not looked through
// after each input: a thousand streams would make every event cost a thousand
// looks. What is known then may be too early, which costs one Advance (a
// deadline that passed is looked for anew) and which engine.Machine allows.
const manyCalls = 32

// callsDue is what is known of when the calls are due.
type callsDue struct {
	at    engine.Time // never later than the first of them, unless stale
	stale bool        // any of them may have changed
}

// callsDue returns when the first call is due, or earlier.
func (c *Client) callsDue() engine.Time {
	if !c.due.stale && len(c.calls) >= manyCalls {
		return c.due.at
	}
	c.due = callsDue{at: engine.Never}
	for _, t := range c.calls {
		c.due.at = min(c.due.at, t.deadline(c))
	}
	return c.due.at
}

// stir notes that an input concerns more than one call, or may.
func (c *Client) stir() { c.due.stale = true }

// beginOf begins an input of which only says that it changes when one call is due,
// at most; moved has to follow. What it does beside that stirs: with a thousand calls
// under way half of what each of them cost was looking at all others, at its head, at
// its end and at every commit.
func (c *Client) beginOf(now engine.Time, only bool) {
	stale := c.due.stale
	c.begin(now)
	c.due.stale = stale || !only
}

// moved notes that t may be due at another time than before.
func (c *Client) moved(t *call) {
	if !c.due.stale {
		c.due.at = min(c.due.at, t.deadline(c))
	}
}

// plain reports whether t is a call of the app's that has only its own exchange: no
// task, and nothing of the client's.
func (t *call) plain() bool {
	return t.role == roleApp && t.task == nil && !t.resuming && !t.withCursor
}

// headOnly reports whether a response head concerns no other call than its own.
func (t *call) headOnly(head engine.Head) bool {
	return t.plain() && t.phase == callSent && head.Status >= 200 && head.Status < 300
}

// endOnly reports the same of the end of an exchange.
func (t *call) endOnly(how engine.Ending) bool {
	return t.plain() && how == engine.EndClean && (t.phase == callTail || t.phase == callReading && t.exchange.OK())
}
