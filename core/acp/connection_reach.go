package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// reach asks whether anything answers at the agent's address, before connecting fails for
// want of an answer: the error then says which, and nobody has to find out by more
// requests, each of them an error in the page's console (fault 464). Of a WebSocket that
// does not open it is not asked: browsers tell nothing of those, and nothing would follow.
type reach struct {
	link.Reach
	conn *connection
}

// asksReach asks, where the first initialize over HTTP had no answer and it was not asked
// yet. Reports whether it did.
func (c *Client) asksReach(now engine.Time, n *connection, failure *engine.Error) bool {
	if c.cfg.Transport != TransportHTTP || !c.reach.Wants(failure) {
		return false
	}
	x := c.exchanges.Begin(&c.reach)
	c.effects.Add(engine.Effect{Kind: engine.Fetch, X: x,
		Request: &engine.Request{Method: engine.MethodReach, URL: c.cfg.URL}})
	c.reach.conn = n
	c.reach.Ask(now, n.since, x, failure)
	return true
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

// goOn fails, with what was found out.
func (r *reach) goOn(c *Client, now engine.Time) { r.conn.failed(c, now, r.Failure()) }
