package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Online notes that the browser says the network is back: what waits is tried,
// and what looks alive has to prove it.
func (c *Client) Online(now engine.Time) {
	c.begin(now)
	c.offline = false
	for _, n := range c.connections() {
		if n.state == connWaiting {
			n.at = now
		}
		for _, es := range n.streams(c) {
			es.link.Online(now)
		}
		n.probe(c, now)
	}
	c.token.Online(now)
	c.posts.Hear(link.News{Kind: link.NewsOnline, Now: now, At: now})
}

// Visited notes that a page has come to a client that outlives its pages. What waits after
// failures is tried now, as a reload tries it where the client is the page's: not before a
// server allows it, nor more often than link.Visits has it.
func (c *Client) Visited(now engine.Time) {
	c.begin(now)
	at := c.visits.At(now)
	hastened := c.token.Hasten(at)
	for _, n := range c.connections() {
		var moved bool
		if n.state == connWaiting {
			n.at, moved = link.Sooner(n.at, 0, at)
		}
		hastened = hastened || moved
		for _, es := range n.streams(c) {
			hastened = es.link.Hasten(at) || hastened
		}
	}
	if c.posts.Hear(link.News{Kind: link.NewsVisit, Now: now, At: at}) || hastened {
		c.visits.Hastened(at)
	}
}

// Offline notes that the browser says there is no network: reconnects slow down.
func (c *Client) Offline(now engine.Time) {
	c.begin(now)
	c.offline = true
}

// Rest lets go of what the page holds and the next tab may need, since it is being
// frozen: an agent gives a session's stream to one reader at a time, and
// answers 409 to another. What was on its way comes once more. Or it takes up again what it still
// carries.
func (c *Client) Rest(now engine.Time, resting bool) {
	c.begin(now)
	for _, s := range c.sessions {
		switch {
		case s.state != sessionOwned || c.state >= stateClosing:
		case !resting:
			s.attach(c, now)
		case s.stream != nil:
			s.stream.interrupt()
			s.detach(c)
			s.missed(c)
		}
	}
}

// Shown notes that the page is visible again, or thawed.
func (c *Client) Shown(now engine.Time) {
	c.begin(now)
	c.prove(now)
}

// Woke notes that the page has slept for gap ms.
func (c *Client) Woke(now engine.Time, gap int64) {
	c.begin(now)
	for _, n := range c.connections() {
		for _, es := range n.streams(c) {
			es.link.Slept(gap)
		}
	}
	c.writer.Slept(gap)
	c.prove(now)
}

func (c *Client) prove(now engine.Time) {
	for _, n := range c.connections() {
		for _, es := range n.streams(c) {
			es.link.Prove(now, link.ProveWithin)
		}
		n.probe(c, now)
	}
}
