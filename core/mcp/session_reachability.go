package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// reach is what is known of the server since an earlier page's session was taken
// over: nothing was asked of it for that.
type reach uint8

const (
	reachUnknown reach = iota
	reachAway          // a request has failed, and none succeeded
	reachThere
)

// reached notes that the server has answered, or could not be reached, and tells
// the app where a client that is open by the journal alone turns out to have no
// server, or to have one again: {"state":"offline"}.
func (c *Client) reached(answered bool) {
	switch {
	case answered:
		away := c.reach == reachAway
		c.reach = reachThere
		if away && c.state == stateOpen {
			c.setState(stateOpen)
		}
	case c.reach == reachUnknown && c.session.restored && c.state == stateOpen:
		c.reach = reachAway
		c.effects.Add(engine.Effect{Kind: engine.State, Data: []byte(`{"state":"offline"}`)})
	}
}
