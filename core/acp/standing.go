package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// Standing says what is known of the session with that record, for who carries it. An
// agent may hand out a session twice, so that any tab can go on with it.
func (c *Client) Standing(record uint64) tabs.Standing {
	if c.sessionOfRecord(record) == nil {
		return tabs.Unknown
	}
	return tabs.Resumable
}

// Alone has nothing to do for a session: all that it stores is written as it comes.
func (c *Client) Alone(engine.Time, bool) {}

// Remembered has nothing to tell: a session has no outcome that is acknowledged by being handed over.
func (c *Client) Remembered(engine.Time, uint64) []byte { return nil }
