package acp

import (
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"strconv"
)

// appendName appends the name of one more member to an object whose brace is open.
func appendName(b []byte, name string) []byte {
	return jsonrpc.Raw(append(jsonrpc.Raw(b, `,"`), name...), `":`)
}

// appendMember appends the member with its value.
func appendMember(b []byte, name string, value []byte) []byte {
	return append(appendName(b, name), value...)
}

func appendUint(b []byte, n uint64) []byte { return strconv.AppendUint(b, n, 10) }
