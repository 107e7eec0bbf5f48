package durable

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// AppendDurability appends what an app is told of where its work is kept from now
// on, and why: {"durability":"memory","why":"quota"}.
func AppendDurability(b []byte, where string, why Reason) []byte {
	b = jsonrpc.AppendString(jsonrpc.Raw(b, `{"durability":`), where)
	if why != 0 {
		b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"why":`), why.String())
	}
	return append(b, '}')
}
