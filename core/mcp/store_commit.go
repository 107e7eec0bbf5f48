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

// Stored takes the host's answer to effect Store. why is that of a
// failure.
func (c *Client) Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason) {
	c.effects.Begin(now)
	switch c.writer.Stored(now, ticket, result) {
	case durable.CommitLate:
		if ticket == c.evictedIn {
			c.evictedStored()
		}
		c.storeReturned()
	case durable.CommitStored:
		c.fitStored()
		c.readAllWithheld()
	case durable.CommitFull:
		if room := c.evict(); room != nil {
			c.effects.Add(c.writer.MakeRoom(room))
			return
		}
		c.storeFailed(now, durable.ReasonQuota)
	case durable.CommitRoomMade:
		c.evictedStored()
		c.effects.Add(c.writer.Retry())
	case durable.CommitFailed:
		c.evicted = nil // they are stored still
		if result == journal.ResultQuota {
			why = durable.ReasonQuota
		}
		c.storeFailed(now, why)
	}
}

// Missed notes that the store has failed a commit that only deletes, and whose end nobody waited for.
func (c *Client) Missed(now engine.Time, ops []byte) {
	c.effects.Begin(now)
	c.writer.Missed(ops)
}

// StoreGone notes that nothing is stored any more, and that what was may be gone:
// everything was deleted, or a newer version has the database. Calls at hand do not
// wait for their next commit to say that they end with the page. After
// durable.ReasonClosed nothing is stored for as long as the client lives, and nothing begins: its user has logged out.
func (c *Client) StoreGone(now engine.Time, why durable.Reason) {
	c.effects.Begin(now)
	c.storeFailed(now, why)
}

// storeFailed goes on in memory: what waited counts as stored, and the calls at
// hand will not outlive the page. Calls made later are kept again
// if the store comes back.
func (c *Client) storeFailed(now engine.Time, why durable.Reason) {
	c.rescheduleAll()
	waiting := c.undecided()
	if why == durable.ReasonClosed { // everything was deleted
		c.loggedOut()
		for _, call := range c.calls {
			if call.record != nil {
				call.record.neverStored()
			}
		}
		c.session.stored = false // nor is the session: whoever closes last ends it
		c.withdrawn.gone(c)
	}
	open := c.writer.Open()
	c.writer.Fail(now, why, storeOwner{c})
	if open {
		c.readAllWithheld()
	} else {
		c.sendDecided(now, waiting)
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

// InMemory lets the calls at hand go on without a store.
func (o storeOwner) InMemory(why durable.Reason) {
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
func (o storeOwner) WriteAgain() {
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
