package acp

import "github.com/holdfast-mcp/holdfast/core/engine"

// Over HTTP/1.1 a browser has six connections for an origin, and a seventh request
// waits for ever: with a stream for each session no POST would leave any more.
// So there are Limits.Streams of them, which the sessions lend
// to each other; fewer where other tabs have some of the six (Client.Streams). What
// the agent says to one that is parked the agent keeps, and what was on its way is
// replayed with its history.

const (
	// rotateEvery is how long a session that is at work does without a stream at
	// most, in ms, for each of those that wait before it.
	rotateEvery = 5_000
	// visitEvery is the same where none that waits is at work: agents may begin a
	// turn by themselves.
	visitEvery = 60_000
)

// touch notes that the session is being used.
func (c *Client) touch(s *session) {
	c.used++
	s.used = c.used
}

// makeRoom sees to it that a stream can be opened for s, false where all that are
// open are needed.
func (c *Client) makeRoom(now engine.Time, s *session) bool {
	for !c.roomy(s) {
		least := c.least(now, s)
		if least == nil {
			return false
		}
		c.lendOut(now, least)
	}
	return true
}

// roomy reports whether s, nil for any session, can have a stream beside those
// that are open.
func (c *Client) roomy(s *session) bool {
	streams, sessions := 1, 0 // its own
	for _, n := range c.connections() {
		if n.stream != nil {
			streams++
		}
	}
	for _, other := range c.sessions {
		if other != s && other.stream != nil {
			sessions++
		}
	}
	return sessions < c.share && (streams+sessions <= c.cfg.Limits.Streams || sessions == 0)
}

// least returns the session that can best do without its stream, another than s;
// nil where none can.
func (c *Client) least(now engine.Time, s *session) *session {
	var least *session
	leastBusy := false
	for _, other := range c.sessions {
		if other == s || other.stream == nil || !other.lends(c, now) {
			continue
		}
		if busy := other.busy(c); least == nil || leastBusy && !busy ||
			leastBusy == busy && other.used < least.used {
			least, leastBusy = other, busy
		}
	}
	return least
}

// lendOut parks a session that has a stream.
func (c *Client) lendOut(now engine.Time, s *session) {
	s.stream.interrupt()
	s.detach(c)
	s.missed(c)
	c.park(now, s)
}

// lends reports whether the session can do without its stream: a history that is
// being replayed would have to begin again, and what waits for the stream leaves
// first.
func (s *session) lends(c *Client, now engine.Time) bool {
	switch {
	case s.replay != nil || s.trailing.by != engine.Never:
		return false
	case s.version() == 1 && s.turn.open() && s.heard(c) && now.Since(s.stream.heardAt) < quietFor:
		// The answer that ends its turn comes once, and no history has it: it must
		// not be on its way.
		return false
	case s.disownAt != engine.Never && s.disownAt.Since(now) <= quietFor && s.turn.said == "idle" &&
		s.heard(c):
		return false // a moment more, or it would be so at each of its turns
	case s.turn.grace.lookAt != engine.Never && s.turn.grace.lookAt.Since(now) <= quietFor && s.heard(c):
		return false // nor while a turn may begin that nobody has heard of
	case now.Since(s.since) >= rotateEvery:
		return true
	}
	return s.reads(c) && !s.waits(c)
}

// waits reports whether the app wants something that takes the session's stream.
func (s *session) waits(c *Client) bool {
	if s.wait == waitWanted || s.wait == waitUrgent {
		return true
	}
	for _, r := range c.requests {
		if r.session == s && r.state == requestQueued {
			return true
		}
	}
	return false
}

// park notes that the session waits for a stream.
func (c *Client) park(now engine.Time, s *session) {
	if s.wait < waitParked {
		s.since = now
		if s.wait == waitWanted {
			s.enterWait(c, waitUrgent)
		} else {
			s.enterWait(c, waitParked)
		}
		if c.unauthorized(s) {
			c.tellAwaiting(s)
		} else {
			c.status(s, engine.StreamParked, -1)
		}
	}
	every := int64(visitEvery)
	if s.busy(c) {
		every = rotateEvery
	}
	c.rotateAt = min(c.rotateAt, now.After(every))
}

// rotate gives streams to sessions that are parked, until one finds no room.
func (c *Client) rotate(now engine.Time) {
	if now < c.rotateAt { // Never, once the client is closing
		return
	}
	c.rotateAt = engine.Never
	swapped := false
	for {
		s := c.nextParked(now)
		if s == nil || swapped && !s.waits(c) && !c.idles(now) && !c.roomy(s) {
			break // one at work gives way to another, not all of them
		}
		swapped = true
		if s.attach(c, now); s.wait >= waitParked {
			break
		}
	}
	for _, s := range c.sessions {
		if s.awaitsStream() {
			c.park(now, s) // the next time
		}
	}
}

// nextParked returns the session whose turn it is, nil for none: one of which the
// app wants something; one at work, or that nobody has visited for long; any other.
// Among those it is the one that has been parked for longest.
func (c *Client) nextParked(now engine.Time) *session {
	var next *session
	rank := func(s *session) int {
		switch {
		case s.waits(c):
			return 2
		case s.busy(c), now.Since(s.since) >= visitEvery:
			return 1
		}
		return 0
	}
	for _, s := range c.sessions {
		switch {
		case !s.awaitsStream():
		case next == nil, rank(s) > rank(next), rank(s) == rank(next) && s.since < next.since:
			next = s
		}
	}
	return next
}

func (s *session) awaitsStream() bool {
	return s.wait >= waitParked && s.state == sessionOwned && s.conn != nil && s.conn.state == connOpen
}

// idles reports whether a session that is not at work has a stream to lend.
func (c *Client) idles(now engine.Time) bool {
	for _, s := range c.sessions {
		if s.stream != nil && !s.busy(c) && s.lends(c, now) {
			return true
		}
	}
	return false
}

// lend notes that a session needs its stream less than it did: one that is parked
// and at work has it.
func (c *Client) lend(now engine.Time) {
	for _, s := range c.sessions {
		if s.awaitsStream() && s.busy(c) {
			c.rotateAt = now
		}
	}
}

// hurry notes that a session has its stream, or its history: where the app wants
// something of one that is parked, it may be that one's turn.
func (c *Client) hurry(now engine.Time) {
	for _, s := range c.sessions {
		if s.awaitsStream() && s.waits(c) {
			c.rotateAt = now
		}
	}
}

// busy reports whether the agent may be at work in the session, or about to be, or whether
// a request or a question is open in it. A session without a stream may hide the end of an earlier page's
// prompt.
func (s *session) busy(c *Client) bool {
	if s.turn.said != "idle" || s.turn.state == turnExpected || s.replay != nil ||
		s.trailing.by != engine.Never || s.unseen || s.disownAt != engine.Never ||
		s.turn.grace.lookAt != engine.Never {
		return true
	}
	for _, r := range c.requests {
		if r.session == s {
			return true
		}
	}
	for _, q := range c.questions {
		if q.session == s {
			return true
		}
	}
	return false
}
