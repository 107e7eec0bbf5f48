package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Offline notes that the browser believes itself offline. Streams are left
// alone (a loopback server is still there); only new attempts become rare.
func (c *Client) Offline(now engine.Time) {
	c.begin(now)
	c.offline = true
}

// Online notes that the network is back: waiting reconnects are tried at once,
// open streams have to prove that they are.
func (c *Client) Online(now engine.Time) {
	c.begin(now)
	c.rescheduleAll()
	c.offline = false
	c.eachStream(func(s *link.Stream) { s.Online(now) })
	for _, call := range c.calls {
		if call.state == callTask {
			call.task.online(now)
		}
	}
	c.session.initializeAt, _ = link.Sooner(c.session.initializeAt, c.session.notBefore, now)
	c.bodies.Hasten(now)
	c.token.Online(now)
}

// Visited notes that a page has come to a client that outlives its pages. What waits after
// failures is tried now, as a reload tries it where the client is the page's: not before a
// server allows it, nor more often than link.Visits has it.
func (c *Client) Visited(now engine.Time) {
	c.begin(now)
	at := c.visits.At(now)
	hastened := c.token.Hasten(at)
	c.eachStream(func(s *link.Stream) { hastened = s.Hasten(at) || hastened })
	for _, call := range c.calls {
		if call.state == callTask {
			hastened = call.task.hasten(at) || hastened
		}
	}
	var again bool
	c.session.initializeAt, again = link.Sooner(c.session.initializeAt, c.session.notBefore, at)
	if hastened || again {
		c.rescheduleAll()
		c.visits.Hastened(at)
	}
}

// Shown notes that the tab is seen again after a long time hidden. Its
// connections were not frozen, only its timers were slow, so streams get the
// time of a server's usual keep-alive to show that they live.
func (c *Client) Shown(now engine.Time) {
	c.begin(now)
	c.rescheduleAll()
	c.eachStream(func(s *link.Stream) { s.Prove(now, link.ProveShown) })
}

// Woke notes that the page comes back from a time in which it could not see:
// frozen, in the back/forward cache, or asleep with the machine. gap is how much of that time the clock counted, in ms; deadlines
// move on by it, since a server's silence that nobody could hear proves nothing.
func (c *Client) Woke(now engine.Time, gap int64) {
	c.begin(now)
	c.rescheduleAll()
	c.bodies.Slept()
	c.eachStream(func(s *link.Stream) {
		s.Slept(gap)
		s.Prove(now, link.ProveWithin)
	})
	for _, call := range c.calls {
		call.answerBy = later(call.answerBy, gap)
		call.totalBy = later(call.totalBy, gap)
	}
	c.posts.Hear(link.News{Kind: link.NewsSlept, Now: now, Gap: gap})
	c.writer.Slept(gap)
}

func (c *Client) eachStream(do func(*link.Stream)) {
	for _, call := range c.calls {
		if call.state == callStreaming {
			do(&call.stream)
		}
	}
	if c.listen.runs() {
		do(&c.listen.stream)
	}
}

func later(t engine.Time, gap int64) engine.Time {
	if t == engine.Never {
		return t
	}
	return t.After(gap)
}
