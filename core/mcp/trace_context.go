package mcp

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// traceMembers are those members of _meta that say to which trace a request belongs (2026-07-28 basic/index,
// _meta; SEP-414): the fields of W3C Trace Context and W3C Baggage.
var traceMembers = []string{"traceparent", "tracestate", "baggage"}

// traceContext returns what a call's _meta says of its trace, as an object; nil for nothing. Whatever is
// asked on behalf of the call belongs to the same trace: its polls, its resumes, also those of a later page,
// which has the _meta from the store.
func traceContext(meta []byte) []byte {
	if len(meta) == 0 {
		return nil
	}
	values := make([][]byte, len(traceMembers))
	jsonrpc.Members(meta, traceMembers, values)
	var object []byte
	for i, value := range values {
		if value == nil {
			continue
		}
		object = append(object, ',')
		object = append(jsonrpc.AppendString(object, traceMembers[i]), ':')
		object = append(object, value...)
	}
	if object == nil {
		return nil
	}
	object[0] = '{'
	return append(object, '}')
}
