package mcp

// Journaled says how much a client keeps for its journal, for tests that look
// for leaks.
type Journaled struct{ Kept, Waiters, Dirty, Asked int }

// Journaled counts it.
func (c *Client) Journaled() Journaled {
	waiters, dirty := c.writer.Waiting()
	return Journaled{len(c.kept), waiters, dirty, len(c.openQuestions)}
}
