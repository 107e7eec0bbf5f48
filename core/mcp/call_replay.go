package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Record returns what a call is named by in the store; 0 for one that is not stored,
// or not any more.
func (c *Client) Record(id engine.CallID) uint64 {
	call := c.byCall[id]
	if call == nil {
		call = c.kept[id]
	}
	if call == nil || call.record == nil || call.record.Memory {
		return 0
	}
	return call.record.ID
}

// ReplayRow replays the events of a stored row whose positions are between from
// and to, for a reader that has been too slow for them. row is its plain part, lent
// until the effects are taken; position is that of the last event before it. Returns
// that of the last one in it. Nothing else follows: the call is as it was.
func (c *Client) ReplayRow(now engine.Time, id engine.CallID, position, from, to uint32, row []byte) uint32 {
	c.effects.Begin(now)
	r := journal.ReadRow(row)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		switch e.Kind {
		case journal.Checkpoint:
			position = max(position, uint32(e.N[0]))
		case journal.Event:
			position++
			kind := engine.EventKind(e.N[0])
			if position >= from && position <= to && kind != engine.EventInput {
				c.replay(id, kind, position, e.Data)
			}
		}
	}
	return position
}

// Missing counts events that a reader was told to be missing.
func (c *Client) Missing(events uint32) { c.counters.MissingEvents += events }
