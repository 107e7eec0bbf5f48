package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// reach asks whether anything answers at the server's address, before connecting fails
// for want of an answer, and before it goes on with what else a server might answer
// (fault 464): each request to a server that is not there is an error in the page's console.
type reach struct {
	link.Reach
	// initialize is to follow, which the server may answer though it did not answer server/discover
	initializes bool
}

// asksReach asks, where the first handshake had no answer and it was not asked yet.
// Reports whether it did.
func (c *Client) asksReach(now engine.Time, failure *engine.Error, initializes bool) bool {
	if c.state != stateConnecting || !c.reach.Wants(failure) {
		return false
	}
	x := c.exchanges.Begin(&c.reach)
	c.effects.Add(engine.Effect{Kind: engine.Fetch, X: x,
		Request: &engine.Request{Method: engine.MethodReach, URL: c.cfg.URL}})
	c.reach.initializes = initializes
	c.reach.Ask(now, c.session.startedAt, x, failure)
	return true
}

// asksFirst reports whether server/discover that had no answer is reason enough to ask: it
// has waited for long, and initialize would wait as long again; or the server has spoken
// self-describing revisions to this page before, so that no rule keeps those in the browser.
func (c *Client) asksFirst(now engine.Time) bool {
	spoken := wire.FindRevision(c.cfg.Assume)
	return now.Since(c.session.startedAt) >= link.ReachTime || spoken != nil && spoken.SelfDescribing
}

func (r *reach) head(c *Client, now engine.Time, _ engine.Head) {
	c.abort(r.X)
	r.Answered()
	r.goOn(c, now)
}

func (r *reach) chunk(*Client, engine.Time, []byte) {}

func (r *reach) end(c *Client, now engine.Time, how engine.Ending, _ string) {
	r.Ended(how)
	r.goOn(c, now)
}

func (r *reach) advance(c *Client, now engine.Time) {
	if r.Due(now) {
		c.abort(r.X)
		r.Late()
		r.goOn(c, now)
	}
}

// goOn fails where nothing answers, and else goes on with what connecting has left.
func (r *reach) goOn(c *Client, now engine.Time) {
	failure := r.Failure()
	switch {
	case r.Found() == engine.ReachNothing:
		if r.initializes {
			c.negotiation.note("server/discover", 0, 0, wire.ProbeFailed)
		}
		c.failure = failure
		c.fail(now)
	case r.initializes:
		c.negotiation.note("server/discover", 0, 0, wire.ProbeLegacy)
		c.sendInitialize(now)
	default:
		c.handshakeFailed(now, failure)
	}
}
