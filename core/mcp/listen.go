package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// listen is the GET stream: what the server says without having been asked.
// It is opened again for ever, since nothing else tells of what it carries.
type listen struct {
	x          engine.ExchangeID
	on         bool
	exchange   link.Exchange
	stream     link.Stream
	generation uint32
	token      int // number of the token that x carries
	refreshed  bool
	opened     bool // this session has had the stream
	parked     bool // waits for a token
}

// open opens the stream for a new session.
func (l *listen) open(c *Client, now engine.Time) {
	*l = listen{on: true, generation: c.session.generation, stream: link.NewStream(max(c.cfg.Timeouts.Idle, 0))}
	l.stream.Reopen = true
	l.connect(c, now)
}

func (l *listen) connect(c *Client, now engine.Time) {
	l.exchange = link.NewExchange(c.linkLimits())
	l.stream.Reconnecting(now)
	l.token = c.token.number
	if l.stream.Cursor.Resumable() {
		l.x = c.fetch(l, "GET", nil, l.stream.Cursor.Header())
	} else {
		l.x = c.fetch(l, "GET", nil)
	}
}

// close ends the stream for good, and says so where it was on.
func (l *listen) close(c *Client) {
	if l.on {
		c.status(nil, "off", nil)
	}
	c.abort(l.x)
	l.on, l.x = false, 0
	l.stream.End()
}

func (l *listen) head(c *Client, now engine.Time, head engine.Head) {
	kind := l.exchange.Head(head)
	if l.exchange.OK() && kind == link.BodyStream {
		l.refreshed, l.opened = false, true
		l.stream.Opened(now)
		c.status(nil, "open", nil)
		c.read(l.x)
		return
	}
	c.abort(l.x)
	l.x = 0
	switch status := head.Status; {
	case status == 401 && c.cfg.HasTokenProvider && !l.refreshed:
		l.refreshed = true
		if l.parked = c.refreshToken(l.token); !l.parked {
			l.connect(c, now)
		}
	case status == 404 || status == 410:
		// A server that has no GET route says 404 as well: only where the
		// session has had the stream does this mean that it is gone.
		had := c.session.id != "" && l.opened
		l.close(c)
		if had {
			c.sessionLost(now, l.generation)
		}
	case status >= 500 || status == 409 || status == 429:
		l.broken(c, now, engine.EndNetwork, cutRefused, retryAfter(&l.exchange))
	default:
		// 405: not offered. 200 with JSON or 204: neither is a stream, and
		// asking again would get the same (RELIABILITY fault 29).
		l.close(c)
	}
}

func (l *listen) chunk(c *Client, now engine.Time, p []byte) {
	comments := l.exchange.Comments()
	if err := l.exchange.Chunk(p); err != nil {
		l.close(c)
		return
	}
	events := 0
	for {
		e, ok, err := l.exchange.Next()
		if err != nil {
			c.abort(l.x)
			l.broken(c, now, engine.EndNetwork, cutNetwork, 0)
			return
		}
		if !ok {
			break
		}
		events++
		duplicates := l.stream.Duplicates
		if l.stream.Accept(&e) {
			c.event(now, nil, &e)
		}
		c.counters.DuplicateEvents += l.stream.Duplicates - duplicates
	}
	l.stream.Arrived(now, events == 0 && l.exchange.Comments() > comments)
	l.stream.Retry(l.exchange.Retry())
	if _, live := c.owners[l.x]; live {
		c.read(l.x)
	}
}

func (l *listen) end(c *Client, now engine.Time, how engine.Ending, _ string) {
	why := cutEnd
	if how != engine.EndClean {
		why = cutNetwork
	}
	l.broken(c, now, how, why, 0)
}

func (l *listen) broken(c *Client, now engine.Time, how engine.Ending, why string, floor int64) {
	l.x = 0
	b := l.stream.Broken(now, how, c.offline, &c.random)
	if !b.Resumable {
		l.close(c)
		return
	}
	l.stream.NotBefore(now.After(floor))
	c.status(nil, "cut", &streamReport{why: why, attempt: b.Attempt, delay: max(b.Delay, floor), looping: b.Looping})
}

func (l *listen) advance(c *Client, now engine.Time) {
	if !l.on || l.parked {
		return
	}
	switch l.stream.Advance(now) {
	case link.ActionReconnect:
		if c.state == stateOpen {
			l.connect(c, now)
		}
	case link.ActionAbort:
		c.abort(l.x)
		l.broken(c, now, engine.EndNetwork, cutSilent, 0)
	}
}

func (l *listen) deadline() engine.Time {
	if !l.on || l.parked {
		return engine.Never
	}
	return l.stream.Deadline()
}
