package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// requestID is the id of a request on the wire, and its progress token: a
// plain integer, which every server echoes exactly, unlike some do strings.
type requestID uint64

// newID takes the next call number and a request id for it.
func (c *Client) newID() (engine.CallID, requestID) {
	c.lastCall++
	return engine.CallID(c.lastCall), c.newRequestID()
}

// newRequestID takes the next request id, which no call holds: one that an
// earlier page made and that can be resumed keeps its id (SEP-975).
func (c *Client) newRequestID() requestID {
	for {
		if id := requestID(c.ids.Next()); c.byID[id] == nil {
			return id
		}
	}
}

// callOf returns the call of an input, which may change when it is due; nil for one
// that is not there, or not any more.
func (c *Client) callOf(id engine.CallID) *call {
	call := c.byCall[id]
	c.reschedule(call)
	return call
}

// findByID returns the call whose id a message names: a plain number, compared
// by type and text (JSON-RPC 2.0 section 5; fault 17).
func (c *Client) findByID(id jsonrpc.ID) *call {
	n, ok := id.Uint()
	if !ok {
		return nil
	}
	return c.byID[requestID(n)]
}

// findByToken returns the call whose progress token a JSON value is.
func (c *Client) findByToken(value []byte) *call {
	n, ok := jsonrpc.Uint(value)
	if !ok {
		return nil
	}
	return c.byID[requestID(n)]
}
