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
	for _, call := range c.byRecord {
		if !call.record.Memory {
			sum += call.record.Bytes
		}
	}
	return c.writer.Held, sum, len(c.byRecord)
}

// Owned reports whether the client still waits for reports about x.
func (c *Client) Owned(x engine.ExchangeID) bool { return c.exchanges.Live(x) }

// LoopTries mirrors core/link: accepted closes borne after the guard tripped.
const LoopTries = 8

// Rescheduled returns how many calls the next Deadline looks at.
func (c *Client) Rescheduled() int {
	n := 0
	for call := c.schedule.changed; call != nil; call = call.nextChanged {
		n++
	}
	return n
}

// DueHolds reports whether every call is in the schedule as it is due, and no other.
func (c *Client) DueHolds() bool {
	first := engine.Never
	c.setDeadlines()
	for _, call := range c.calls {
		first = min(first, call.deadline(c))
		if call.due.At() != call.deadline(c) {
			return false
		}
	}
	return c.schedule.deadlines.First() == first
}

// MayFollow reports by the machine's name whether one state may follow another.
var MayFollow = map[string]func(from, next int) bool{
	"call":   func(from, next int) bool { return callTransitions.May(uint8(from), uint8(next)) },
	"result": func(from, next int) bool { return resultTransitions.May(uint8(from), uint8(next)) },
	"header": func(from, next int) bool { return headerTransitions.May(uint8(from), uint8(next)) },
	"listen": func(from, next int) bool { return listenTransitions.May(uint8(from), uint8(next)) },
	"client": func(from, next int) bool { return clientTransitions.May(uint8(from), uint8(next)) },
}

// FieldsFor returns which arguments of a call of that tool are repeated in header fields.
func (c *Client) FieldsFor(name string) []byte { return c.fields(c.tools.of(name)) }
