package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Close ends the client because its app asked: calls in flight are rejected
// with closed, the session is taken out of the store, then deleted at the server.
// The state becomes closed when that is answered, or after two seconds. It is never
// sent on pagehide: other calls of the session may outlive the page.
func (c *Client) Close(now engine.Time) { c.close(now, closesIdle) }

// Terminate closes the client and ends the session, whatever of this page's goes on
// in it: a logout. It is ended at the server also where the store fails.
func (c *Client) Terminate(now engine.Time) { c.close(now, endsSession) }

// CloseKeepingSession closes the client as Close does, without ending the session: another tab
// uses it too. It may come after Close as long as the end of the session is not
// stored.
func (c *Client) CloseKeepingSession(now engine.Time) { c.close(now, keepsSession) }

// closing says what becomes of the session when its client is closed.
type closing uint8

const (
	closesIdle   closing = iota // it ends, unless a call that is kept goes on in it
	keepsSession                // it stays
	endsSession                 // it ends
)

func (c *Client) close(now engine.Time, how closing) {
	c.effects.Begin(now)
	shared := how == keepsSession
	if c.state == stateClosing && shared {
		c.keepSession()
	}
	if c.state >= stateClosing {
		return
	}
	for _, call := range c.calls {
		// The session outlives this client where a call in it will go on.
		shared = shared || how == closesIdle && call.isKept() && call.state < callEnding
	}
	c.end(now, stateClosing)
	if c.session.id == "" || shared {
		c.ended()
		return
	}
	c.deleteSession(now, how)
}

// deleteSession ends the session at the server, once the store has it no more:
// whoever reads the store from then on makes a new one (fault 138).
// Where it cannot be taken out of the store it lives on, and so does what is stored.
func (c *Client) deleteSession(now engine.Time, how closing) {
	p := c.newPost(postDelete, nil)
	p.At = now.After(link.DeleteWithin)
	stored := c.session.stored
	if stored {
		c.storeEnd()
	}
	c.writer.WhenStored(now, false, &sessionEnd{c, p, stored && how != endsSession})
}

// sessionEnd sends the DELETE of a session (durable.Waiter).
type sessionEnd struct {
	c      *Client
	post   *post
	unless bool // not where the store has failed, which has the session still
}

// Stored sends it.
func (s *sessionEnd) Stored(now engine.Time) {
	switch {
	case s.post.State != link.PostHeld:
	case s.unless && !s.c.writer.Open():
		s.c.keepSession()
	default:
		s.post.send(s.c, now)
	}
}

// storeEnd writes, in the place of the session, that it is over: the next handshake counts
// on from it.
func (c *Client) storeEnd() {
	plain, _ := journal.AppendServer(&journal.Server{Handshake: uint64(c.session.generation), Tools: c.tools.stored})
	c.writer.Put(journal.Op{Kind: journal.OpServer, Flags: journal.OpEnded | c.session.besides(), Plain: plain})
}

// keepSession closes without the DELETE, unless that has left.
func (c *Client) keepSession() {
	for _, p := range c.posts {
		if p.role == postDelete && p.State == link.PostHeld {
			c.posted(c.effects.Now, p, nil)
			return
		}
	}
}

// end stops everything: no timer is left, no exchange, no call.
func (c *Client) end(now engine.Time, s clientState) {
	c.listen.stop(c)
	c.abort(c.channel.x)
	c.channel.state, c.channel.x = channelClosed, 0
	c.abort(c.reach.X)
	c.reach.End()
	for _, p := range c.posts.all() {
		c.abort(p.X)
		if c.posts.remove(p) && p.State != link.PostOver && p.role == postNotification {
			c.effects.Add(engine.Effect{Kind: engine.Settle, C: p.call, Outcome: engine.OutcomeFailure, Failure: c.closedError(p.method)})
		}
	}
	c.setState(s)
	if ops := c.appendDeferred(nil); len(ops) > 0 { // as long as its calls are known
		c.effects.Add(engine.Effect{Kind: engine.Store, Data: ops})
	}
	for _, call := range c.deferrals.take() {
		call.record.deferred = deferredNothing // of a commit that is under way: nobody hears of its end (fault 409)
	}
	for _, call := range append([]*call(nil), c.calls...) {
		c.abort(call.x)
		call.x = 0
		c.settle(now, call, engine.OutcomeFailure, nil, c.closedError(call.method))
		c.finish(call)
	}
	c.withdrawn.end(c)
	c.claims.trial.ended()
	c.storeUrgent() // nobody reports on the commit under way any more, after which the rest would come
	c.writer.Release(now)
	c.session.initializeAt = engine.Never
	c.token.Stop()
	c.answers, c.openQuestions = answers{}, nil
}

// ended notes that the DELETE is over, however it went (a 405 is allowed).
func (c *Client) ended() {
	if c.state == stateClosing {
		c.session.id = ""
		c.setState(stateClosed)
		c.writer.Unwatch()
		c.writer.Release(c.effects.Now)
	}
}
