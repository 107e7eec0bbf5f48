package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// unclaimedUpdate is an update of a session that is not known yet: agents may send some
// before the answer to session/new (ACP version 2 "Schema", NewSessionResponse).
type unclaimedUpdate struct {
	session string
	update  []byte
}

// catchUp applies the updates that came before the session was known.
func (c *Client) catchUp(now engine.Time, s *session) {
	var rest []unclaimedUpdate
	for _, e := range c.unclaimed {
		if e.session == s.id {
			s.update(c, now, e.update)
		} else {
			rest = append(rest, e)
		}
	}
	c.unclaimed = rest
}

// keepUnclaimed keeps an update of a session that is not known, within bounds.
func (c *Client) keepUnclaimed(id string, update []byte) {
	size := len(update)
	if !c.expectsSession() {
		size = maxUnclaimed + 1 // nothing under way would make it known
	}
	for _, e := range c.unclaimed {
		size += len(e.update)
	}
	if size > maxUnclaimed {
		c.counters.UnknownSessions++
		c.integrity(nil, "unknown_session")
		return
	}
	c.unclaimed = append(c.unclaimed, unclaimedUpdate{id, bytes.Clone(update)})
}

// expectsSession reports whether an answer may make a session known.
func (c *Client) expectsSession() bool {
	for _, r := range c.requests {
		if r.method == "session/new" || r.method == "session/fork" || methods[r.method].joins {
			return true
		}
	}
	return false
}

// settleUnclaimed tells of updates that were kept for a session which did not come.
func (c *Client) settleUnclaimed() {
	if len(c.unclaimed) == 0 || c.expectsSession() {
		return
	}
	for range c.unclaimed {
		c.counters.UnknownSessions++
		c.integrity(nil, "unknown_session")
	}
	c.unclaimed = nil
}

// wasDropped reports whether the client had a session of that id, and has done
// with it: what the agent says of it later is no fault.
func (c *Client) wasDropped(id string) bool {
	for _, s := range c.sessions {
		if s.id == id {
			return true
		}
	}
	return false
}

// maxUnclaimed bounds what is kept of sessions that are not known, in bytes.
const maxUnclaimed = 1 << 20
