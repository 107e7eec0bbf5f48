package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// maxTools bounds what is stored of a server's tools, in bytes.
const maxTools = 48 << 10

// Tools stores what calls need to know of the server's tools, beside the session:
// a JSON object of the host's, which a later page gets back in State when it is open
// ("tools"). It spares that page a tools/list. What is too large is not kept.
func (c *Client) Tools(now engine.Time, tools []byte) {
	c.begin(now)
	if len(tools) > maxTools || !c.storedObject(tools) || bytes.Equal(tools, c.tools) {
		return
	}
	c.tools = bytes.Clone(tools)
	if c.state == stateOpen {
		c.storeServer()
	}
}
