package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// Standing says what is known of the call with that record, for who carries it.
func (c *Client) Standing(record uint64) tabs.Standing {
	call := c.callOfRecord(record)
	switch {
	case call == nil:
		return tabs.Unknown
	case call.record.outcome != 0:
		return tabs.Ended
	case call.record.Stored == durable.LostOnReload:
		return tabs.Stuck
	}
	return tabs.Resumable
}

// TakenOver has nothing to do for a call: the first row of the new owner says as much.
func (c *Client) TakenOver(engine.Time, uint64, uint32) {}
