package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// reachability is what is known of the server since an earlier page's session was taken
// over: nothing was asked of it for that.
type reachability uint8

const (
	serverUnknown reachability = iota
	serverAway                 // a request has failed, and none succeeded
	serverReached
)

// noteReachability notes that the server has answered, or could not be reached, and tells
// the app where a client that is open by the journal alone turns out to have no
// server, or to have one again: {"state":"offline"}.
func (c *Client) noteReachability(answered bool) {
	switch {
	case answered:
		away := c.reachability == serverAway
		c.reachability = serverReached
		if away && c.state == stateOpen {
			c.setState(stateOpen)
		}
	case c.reachability == serverUnknown && c.session.restored && c.state == stateOpen:
		c.reachability = serverAway
		c.effects.Add(engine.Effect{Kind: engine.State, Data: []byte(`{"state":"offline"}`)})
	}
}
