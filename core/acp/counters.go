package acp

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// Counters tell what was dropped or repaired, since the client was made.
type Counters struct {
	Cuts               uint64 // streams and sockets that broke
	Integrity          uint64 // rules that the agent broke
	Malformed          uint64 // messages that are no JSON-RPC
	UnknownResponses   uint64 // answers to what nobody asked
	UnknownSessions    uint64 // updates of sessions that nobody knows, beyond those that are kept
	QuarantinedRecords uint64 // stored sessions that could not be read
}

// AppendCounters appends the counters as a JSON object, zeros left out.
func (c *Client) AppendCounters(b []byte) []byte {
	b = append(b, '{')
	n := &c.counters
	for _, e := range []struct {
		name  string
		value uint64
	}{
		{"cuts", n.Cuts}, {"integrity", n.Integrity}, {"malformed", n.Malformed},
		{"unknownResponses", n.UnknownResponses}, {"unknownSessions", n.UnknownSessions},
		{"quarantinedRecords", n.QuarantinedRecords},
	} {
		if e.value == 0 {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = jsonrpc.Raw(append(append(b, '"'), e.name...), `":`)
		b = appendUint(b, e.value)
	}
	return append(b, '}')
}
