package mcp

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// Counters count what was dropped or repaired since the client was made. What
// is dropped is always counted: nothing disappears without a trace.
type Counters struct {
	UnreadableMessages uint32 // texts that are no JSON-RPC message
	UnknownResponses   uint32 // responses to nothing that is in flight
	DuplicateResponses uint32 // second responses
	DuplicateEvents    uint32 // events replayed although they had been delivered
	IgnoredEvents      uint32 // events of a type other than message
	LateProgress       uint32 // progress for a call that has ended, or never was
	LateNotifications  uint32 // other notifications on the stream of a call that has ended
	RefusedRequests    uint32 // requests of the server's that nobody handles
	SessionsLost       uint32 // sessions that the server had forgotten
	RepeatedRequests   uint32 // requests of the server's that a replay brought again
	IgnoredPolicies    uint32 // resume policies for nothing that is in flight, or without a token
	ForeignMessages    uint32 // messages of another call's stream that a resume brought
	DuplicateSegments  uint32 // segments of a streamed result that had come before
	GapsRefetched      uint32 // times that missing segments were asked for
	ExpiredCalls       uint32 // calls forgotten for their age (Config.Retention)
	EvictedCalls       uint32 // calls forgotten for room: the browser's quota, or Limits.Stored
	QuarantinedRecords uint32 // stored records that could not be read
	MissingEvents      uint32 // events that a slow reader did not get, and that are not stored either
	ProgressWentBack   uint32 // progress that is less than what came before it under its token
}

// Counters returns the counts so far.
func (c *Client) Counters() Counters { return c.counters }

// AppendCounters appends the counts as a JSON object with the names that the
// TypeScript API gives them.
func (c *Client) AppendCounters(b []byte) []byte {
	n := &c.counters
	for i, row := range [...]struct {
		name  string
		count uint32
	}{
		{"unreadableMessages", n.UnreadableMessages},
		{"unknownResponses", n.UnknownResponses},
		{"duplicateResponses", n.DuplicateResponses},
		{"duplicateEvents", n.DuplicateEvents},
		{"ignoredEvents", n.IgnoredEvents},
		{"lateProgress", n.LateProgress},
		{"lateNotifications", n.LateNotifications},
		{"refusedRequests", n.RefusedRequests},
		{"sessionsLost", n.SessionsLost},
		{"repeatedRequests", n.RepeatedRequests},
		{"ignoredPolicies", n.IgnoredPolicies},
		{"foreignMessages", n.ForeignMessages},
		{"duplicateSegments", n.DuplicateSegments},
		{"gapsRefetched", n.GapsRefetched},
		{"expiredCalls", n.ExpiredCalls},
		{"evictedCalls", n.EvictedCalls},
		{"quarantinedRecords", n.QuarantinedRecords},
		{"missingEvents", n.MissingEvents},
		{"progressWentBack", n.ProgressWentBack},
	} {
		b = append(b, "{,"[min(i, 1)])
		b = jsonrpc.Raw(append(append(b, '"'), row.name...), `":`)
		b = appendUint(b, uint64(row.count))
	}
	return append(b, '}')
}
