package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// whenStored has the call go on once everything written so far is stored, on disk where
// strict. For a call that is not kept that is at once.
func (c *Client) whenStored(now engine.Time, call *call, strict bool, next continuation) {
	if !call.isKept() {
		next.goOn(c, call, now)
		return
	}
	c.writer.WhenStored(now, strict, &afterStored{c, call, next, call.record.Epoch})
}

// storeOwner is the client, to its store (durable.Keeping).
type storeOwner struct{ c *Client }

// Closing reports whether the client is being closed.
func (o *storeOwner) Closing() bool { return o.c.state >= stateClosing }

// Landed has what is stored fit, and reads on.
func (o *storeOwner) Landed() {
	o.c.fitStored()
	o.c.readAllWithheld()
}

// MakeRoom returns the deletions of calls that make room.
func (o *storeOwner) MakeRoom() []byte { return o.c.evict() }

// RoomMade tells the app of them once they are stored.
func (o *storeOwner) RoomMade(ticket uint32, stored bool) {
	switch {
	case !stored:
		o.c.evicted = nil // they are stored still
	case ticket == o.c.evictedIn:
		o.c.evictedStored()
	}
}

// Failing notes which calls wait for the store's word, and that nothing is stored any more where everything
// was deleted.
func (o *storeOwner) Failing(why durable.Reason) {
	c := o.c
	c.rescheduleAll()
	c.claims.waiting = c.undecided()
	if why != durable.ReasonClosed {
		return
	}
	c.loggedOut()
	for _, call := range c.calls {
		if call.record != nil {
			call.record.neverStored()
		}
	}
	c.session.stored = false // nor is the session: whoever closes last ends it
	c.withdrawn.gone(c)
}

// Failed goes on without the store.
func (o *storeOwner) Failed(wasOpen bool) {
	if wasOpen {
		o.c.readAllWithheld()
	} else {
		o.c.sendDecided(o.c.effects.Now, o.c.claims.waiting)
	}
	o.c.claims.waiting = nil
}

// InMemory lets the calls at hand go on without a store.
func (o *storeOwner) InMemory(why durable.Reason) {
	c := o.c
	c.writer.Unstored(c.missServer)
	for _, call := range c.calls {
		if call.record != nil {
			call.record.Fail()
			call.record.deferred = deferredNothing
		}
	}
	for _, call := range c.kept {
		call.record.Fail()
		call.record.deferred = deferredNothing
	}
	c.tellDurability("memory", why)
	for _, call := range c.calls {
		c.tellGuarantee(call)
	}
}

// missServer notes that the store has failed for the server's row.
func (c *Client) missServer(op journal.Op) {
	c.session.unstored = c.session.unstored || op.Kind == journal.OpServer
}

// WriteAgain writes what the store has not, or not any more: with the record that a
// call had before the store failed, a later page would resume it from a cursor that
// the server has left behind.
func (o *storeOwner) WriteAgain() {
	c := o.c
	c.rescheduleAll()
	c.tellDurability("indexeddb", 0)
	if c.session.unstored {
		c.storeServer() // the calls go on in it
	}
	c.withdrawn.trial.ask(c.effects.Now)
	waiting := c.undecided()
	for _, call := range c.calls {
		if call.role == roleApp && call.record != nil && call.record.Memory && call.state != callFollowed && call.state < callEnding {
			c.rewrite(call)
		}
	}
	for _, call := range c.keptInOrder() {
		if call.record.Memory && call.record.over != nil {
			c.rewriteOutcome(call)
		}
	}
	c.sendDecided(c.effects.Now, waiting)
}
