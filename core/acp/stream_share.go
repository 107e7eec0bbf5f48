package acp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// The six connections of an origin are those of all tabs, which
// only the tabs together can share out. The core says what its sessions would have,
// and hears what they get.

// unshared is the share of a client whose page knows of no others.
const unshared = 1 << 30

// demand is what the sessions would have.
type demand struct {
	wanted int // sessions that this page carries, with a stream or without, and that need no sign-in first
	needed int // those of them that are at work, or of which the app wants something
}

// Streams says how many event streams of sessions the client may hold from now on.
// The connection's own does not count, which is small and always there. Before it
// is called for the first time Limits.Streams is the only bound, and it stays the
// upper one. After that effect EventStreams tells what the sessions would have,
// {"wanted":3,"needed":1}, and again each time that this has changed.
//
// A higher n gives streams to sessions that are parked. A lower one parks those
// that can best do without; what is parked is given a stream in turn, as where
// Limits.Streams are too few, and with n 0 not at all. Some cannot do without: a
// history that is being replayed would have to begin again, and in version 1 the
// answer that ends a turn may be on its way. So Streams returns how many the client
// may hold: n, or as many as it goes on to hold. The page asks again later.
func (c *Client) Streams(now engine.Time, n int) int {
	c.effects.Begin(now)
	c.shared, c.share = true, max(n, 0)
	for held := c.held(); held > c.share; held-- {
		least := c.least(now, nil)
		if least == nil {
			c.share = held
			break
		}
		c.lendOut(now, least)
	}
	if c.state < stateClosing && c.roomy(nil) {
		c.rotateAt = min(c.rotateAt, now)
		c.rotate(now)
	}
	return c.share
}

// held counts the streams of sessions.
func (c *Client) held() int {
	n := 0
	for _, s := range c.sessions {
		if s.stream != nil {
			n++
		}
	}
	return n
}

// demanded tells the page what the sessions would have, where that has changed.
func (c *Client) demanded() (engine.Effect, bool) {
	var d demand
	for _, s := range c.sessions {
		if s.state != sessionOwned || c.state >= stateClosing || c.unauthorized(s) {
			continue
		}
		d.wanted++
		if s.busy(c) || s.waits(c) {
			d.needed++
		}
	}
	if d == c.demand {
		return engine.Effect{}, false
	}
	c.demand = d
	b := strconv.AppendInt([]byte(`{"wanted":`), int64(d.wanted), 10)
	b = strconv.AppendInt(appendName(b, "needed"), int64(d.needed), 10)
	return engine.Effect{Kind: engine.Deliver, Event: engine.EventStreams, Data: append(b, '}')}, true
}

// Rest lets go of what the page holds and the next tab may need, since it is being
// frozen: an agent gives a session's stream to one reader at a time, and
// answers 409 to another. What was on its way comes once more. Or it takes up again what it still
// carries.
func (c *Client) Rest(now engine.Time, resting bool) {
	c.effects.Begin(now)
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
