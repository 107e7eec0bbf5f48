package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// manyCalls is from how many calls on their deadlines are not looked through
// after each chunk: a thousand streams would make every event cost a thousand
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

// stir notes that an input concerns more than the call whose stream it came on.
func (c *Client) stir() { c.due.stale = true }

// chunkOf is chunk for a call's stream. Most of what comes there concerns that
// call alone; whatever does not stirs.
func (c *Client) chunkOf(now engine.Time, t *call, stale bool, p []byte) {
	c.due.stale = stale || t.phase != callStreaming || t.role != roleApp
	t.chunk(c, now, p)
	if !c.due.stale {
		c.due.at = min(c.due.at, t.deadline(c))
	}
}
