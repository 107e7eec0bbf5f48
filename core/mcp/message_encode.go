package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// encodeRequest builds the message of a call as the revision in force has it.
// The progress token is the request's id; a self-describing revision wants the
// version, the client and its capabilities in every _meta.
func (c *Client) encodeRequest(call *call) []byte {
	if call.role == roleInitialize {
		return jsonrpc.AppendRequest(nil, uint64(call.request), call.method, call.params, nil)
	}
	own := appendUint([]byte(`"progressToken":`), uint64(call.request))
	if c.revision != nil && c.revision.SelfDescribing {
		own = c.appendIdentity(append(own, ','))
	}
	params := call.params
	if round := call.roundMembers(); round != nil {
		params = jsonrpc.AppendObject(nil, params, round)
	}
	return jsonrpc.AppendRequest(nil, uint64(call.request), call.method, params,
		jsonrpc.AppendObject(nil, call.meta, own))
}

// ownExtensions are those of 2026-07-28 that this side speaks, as members.
const ownExtensions = `"` + tasksExtension + `":{}`

// tasksExtension is what the extension of tasks is called (SEP-2663).
const tasksExtension = "io.modelcontextprotocol/tasks"

// appendIdentity appends the members of _meta that say who asks, in which
// revision (2026-07-28 basic/index, _meta).
func (c *Client) appendIdentity(b []byte) []byte {
	b = jsonrpc.AppendString(append(b, `"`+wire.MetaProtocolVersion+`":`...), c.revision.Name)
	b = append(append(b, `,"`+wire.MetaClientInfo+`":`...), c.cfg.ClientInfo...)
	return jsonrpc.AppendObject(append(b, `,"`+wire.MetaClientCapabilities+`":`...), c.cfg.Capabilities,
		c.extensions(ownExtensions))
}

// extensions are the app's and further ones, as a member of the capabilities; empty where there are none.
func (c *Client) extensions(own string) []byte {
	all := jsonrpc.AppendObject(nil, c.cfg.Extensions, []byte(own))
	if string(all) == "{}" {
		return nil
	}
	return append([]byte(`"extensions":`), all...)
}
