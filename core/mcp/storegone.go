package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// StoreGone notes that nothing is stored any more, and that what was may be gone:
// everything was deleted, or a newer version has the database. Calls at hand do not
// wait for their next commit to say that they end with the page. After
// durable.Closed nothing is stored for as long as the client lives.
func (c *Client) StoreGone(now engine.Time, why string) {
	c.begin(now)
	c.storeFailed(now, why)
}
