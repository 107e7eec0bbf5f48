package mcp

// Journaled says how much a client keeps for its journal, for tests that look
// for leaks.
type Journaled struct{ Kept, Waiters, Dirty, Asked int }

// Journaled counts it.
func (c *Client) Journaled() Journaled {
	return Journaled{len(c.kept), len(c.journaling.waiters), len(c.journaling.dirty), len(c.asked)}
}
