package acp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Stored takes the host's answer to effect Store. why is that of a
// failure.
func (c *Client) Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason) {
	c.effects.Begin(now)
	switch c.writer.Stored(now, ticket, result) {
	case durable.CommitLate:
		c.storeReturned()
	case durable.CommitStored:
		c.fitStored()
		c.readWithheld()
	case durable.CommitFull:
		c.storeFailed(now, durable.ReasonQuota)
	case durable.CommitFailed:
		c.storeFailed(now, why)
	}
}

// Missed notes that the store has failed a commit that only deletes, and whose end nobody waited for.
func (c *Client) Missed(now engine.Time, ops []byte) {
	c.effects.Begin(now)
	c.writer.Missed(ops)
}

// fitStored keeps what is stored within its limit: of the session that takes most
// the history goes, which the agent can send once more. Where that one is another tab's it
// is for that tab to do. What is no history stays, however much it is: written again it
// would be as much, at each commit.
func (c *Client) fitStored() {
	for c.writer.Open() && c.writer.Held > c.cfg.Limits.Stored {
		var most *session
		for _, s := range c.sessions {
			if s.record != nil && !s.record.Memory && (most == nil || s.record.history > most.record.history) {
				most = s
			}
		}
		if most == nil || most.state != sessionOwned || most.record.history == 0 {
			return
		}
		c.rewrite(most)
		c.writeState(most)
		most.record.history = 0 // what is left of it is who is at work
		c.deliver(most, engine.EventGuarantee, 0, []byte(`{"guarantee":"resumable"}`))
	}
}

func (c *Client) readWithheld() {
	for _, n := range c.connections() {
		for _, es := range n.streams(c) {
			es.readWithheld(c)
		}
	}
}

// storeFailed goes on in memory: a store that fails must not end a session.
func (c *Client) storeFailed(now engine.Time, why durable.Reason) {
	if why == durable.ReasonClosed { // everything was deleted
		c.loggedOut()
	}
	open := c.writer.Open()
	c.writer.Fail(now, why, storeOwner{c})
	if open {
		c.readWithheld()
	}
}

// storeReturned goes on storing.
func (c *Client) storeReturned() {
	if c.state < stateClosing {
		c.writer.Return(storeOwner{c})
	}
}

// storeOwner is the client, to its store.
type storeOwner struct{ c *Client }

// InMemory lets the sessions go on without a store.
func (o storeOwner) InMemory(why durable.Reason) {
	c := o.c
	for _, s := range c.sessions {
		if s.record != nil {
			s.record.Fail()
		}
	}
	c.deliver(nil, engine.EventDurability, 0, durable.AppendDurability(nil, "memory", why))
}

// WriteAgain writes what the store has not, or not any more. A history the agent is
// asked for: the client keeps none of what was said.
func (o storeOwner) WriteAgain() {
	c := o.c
	c.deliver(nil, engine.EventDurability, 0, durable.AppendDurability(nil, "indexeddb", 0))
	for _, s := range c.sessions {
		if s.record == nil || !s.record.Memory {
			continue
		}
		s.record.Memory = false
		if s.state == sessionOwned {
			c.rewrite(s)
			c.writeState(s)
			s.tellAgain(c)
		}
	}
}

// writeState writes who is at work in a session whose log was written again without its
// history: whoever looks on hears of no end else. Where that is nobody, since a prompt was taken back, the log says that, too (fault 650).
func (c *Client) writeState(s *session) {
	if len(s.turn.last) > 0 {
		c.writeUpdate(s, s.turn.last)
	}
	for _, r := range c.requests {
		if r.session == s && r.refusals > 0 && r.state == requestQueued && !s.answers(c) {
			c.writeBack(r)
		}
	}
}

// StoreGone notes that nothing is stored any more. After durable.ReasonClosed nothing begins, either: its user has
// logged out.
func (c *Client) StoreGone(now engine.Time, why durable.Reason) {
	c.effects.Begin(now)
	c.storeFailed(now, why)
}
