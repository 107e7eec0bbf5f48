package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// Held says how much a client keeps, for tests that look for leaks.
type Held struct{ Calls, ByID, ByCall, Owners, Posts int }

// Held counts what the client keeps.
func (c *Client) Held() Held {
	return Held{len(c.calls), len(c.byID), len(c.byCall), c.exchanges.Len(), len(c.posts)}
}

// Booked returns the bytes that the client believes the store to hold, and what its
// calls come to that are not deleted; records counts those as well.
func (c *Client) Booked() (held, sum, records int) {
	for _, t := range c.byRecord {
		if !t.record.Memory {
			sum += t.record.Bytes
		}
	}
	return c.writer.Held, sum, len(c.byRecord)
}

// Owned reports whether the client still waits for reports about x.
func (c *Client) Owned(x engine.ExchangeID) bool { return c.exchanges.Live(x) }

// LoopTries mirrors core/link: accepted closes borne after the guard tripped.
const LoopTries = 8

// DueKnown reports whether the next Deadline looks at no call, however many there are.
func (c *Client) DueKnown() bool { return !c.due.stale }

// DueHolds reports whether what is known of the calls' deadlines holds: a driver
// that goes by it is never late.
func (c *Client) DueHolds() bool {
	if c.due.stale {
		return true
	}
	known := c.due.at
	for _, t := range c.calls {
		if t.deadline(c) < known {
			return false
		}
	}
	return true
}
