package acp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

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

// storeOwner is the client, to its store (durable.Keeping).
type storeOwner struct{ c *Client }

// Closing reports whether the client is being closed.
func (o *storeOwner) Closing() bool { return o.c.state >= stateClosing }

// Landed has what is stored fit, and reads on.
func (o *storeOwner) Landed() {
	o.c.fitStored()
	o.c.readWithheld()
}

// MakeRoom finds none: a session may have what no agent replays.
func (o *storeOwner) MakeRoom() []byte { return nil }

// RoomMade has nothing to note.
func (o *storeOwner) RoomMade(uint32, bool) {}

// Failing ends the client where everything was deleted.
func (o *storeOwner) Failing(why durable.Reason) {
	if why == durable.ReasonClosed {
		o.c.loggedOut()
	}
}

// Failed reads on without the store: a store that fails must not end a session.
func (o *storeOwner) Failed(wasOpen bool) {
	if wasOpen {
		o.c.readWithheld()
	}
}

// InMemory lets the sessions go on without a store.
func (o *storeOwner) InMemory(why durable.Reason) {
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
func (o *storeOwner) WriteAgain() {
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

// writeState writes who is at work in a session whose log was written again without its history: whoever
// looks on hears of no end else. Where that is nobody, since a prompt was taken back, the log says that, too
// (fault 650).
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
