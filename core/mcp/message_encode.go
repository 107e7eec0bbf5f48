package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// encodeRequest builds the message of a call as the revision in force has it.
// The progress token is the request's id; a self-describing revision wants the
// version, the client and its capabilities in every _meta.
func (c *Client) encodeRequest(t *call) []byte {
	if t.role == roleInitialize {
		return jsonrpc.AppendRequest(nil, uint64(t.request), t.method, t.params, nil)
	}
	own := appendUint([]byte(`"progressToken":`), uint64(t.request))
	if c.revision != nil && c.revision.SelfDescribing {
		own = c.appendIdentity(append(own, ','))
	}
	params := t.params
	if len(t.round) > 0 {
		params = jsonrpc.AppendObject(nil, params, t.round)
	}
	return jsonrpc.AppendRequest(nil, uint64(t.request), t.method, params, jsonrpc.AppendObject(nil, t.meta, own))
}

// extensions are those of 2026-07-28 that this side speaks.
const extensions = `"extensions":{"io.modelcontextprotocol/tasks":{}}`

// appendIdentity appends the members of _meta that say who asks, in which
// revision (2026-07-28 basic/index, _meta).
func (c *Client) appendIdentity(b []byte) []byte {
	b = jsonrpc.AppendString(append(b, `"`+wire.MetaProtocolVersion+`":`...), c.revision.Name)
	b = append(append(b, `,"`+wire.MetaClientInfo+`":`...), c.cfg.ClientInfo...)
	return append(append(b, `,"`+wire.MetaClientCapabilities+`":`...), jsonrpc.AppendObject(nil, c.cfg.Capabilities, []byte(extensions))...)
}
