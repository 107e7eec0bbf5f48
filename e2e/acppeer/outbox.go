//go:build !js

package acppeer

import (
	"context"
	"fmt"
	"slices"
)

// A connection is what initialize makes: streams that wait for receivers. Over a
// WebSocket there is one stream only.
type connection struct {
	id      string
	version int
	boxes   map[string]*outbox // by session id; "" is the connection's own
	socket  *socket            // nil over HTTP
	gone    bool
}

// An outbox is one stream of a connection: what was sent on it, and how far it
// got.
type outbox struct {
	name     string
	frames   []frame
	next     int // the first frame that was handed to nobody
	receiver *receiver
}

type frame struct {
	id   string // of the event; "" is none
	data []byte
	raw  bool // data is not JSON but bytes of the stream
	sent *Sent
}

// A receiver is the HTTP answer, or the WebSocket, that a stream travels on.
type receiver struct {
	cut  How
	over bool // a newer one took its place
}

// box finds a stream of a connection; the mutex is held.
func (c *connection) box(session string) *outbox {
	if c.socket != nil {
		session = ""
	}
	if c.boxes[session] == nil {
		c.boxes[session] = &outbox{name: session}
	}
	return c.boxes[session]
}

// push puts a message on a stream; the mutex is held.
func (p *Peer) push(c *connection, session, message string, sent *Sent) {
	p.put(c, session, frame{data: []byte(message), sent: sent})
}

func (p *Peer) put(c *connection, session string, f frame) {
	if c.gone {
		return
	}
	box := c.box(session)
	if p.opts.EventIDs && !f.raw {
		f.id = fmt.Sprintf("%s/%s/%d", c.id, session, len(box.frames)+1)
	}
	box.frames = append(box.frames, f)
	if p.opts.NoBuffer && box.receiver == nil {
		box.next = len(box.frames)
	}
}

// drop ends a connection and its streams; the mutex is held.
func (p *Peer) drop(c *connection) {
	c.gone = true
	delete(p.connections, c.id)
	for _, s := range p.sessions {
		delete(s.attached, c)
	}
}

// take waits for the next frame of a receiver, and what befalls it. ok is false
// when the stream is over: a cut, a newer receiver, the connection's end.
func (p *Peer) take(ctx context.Context, c *connection, box *outbox, r *receiver) (
	f frame, what ending, ok bool) {
	done := p.await(ctx, func() bool {
		switch {
		case r.over || c.gone:
			what = ending{Clean, 0}
			return true
		case r.cut != None:
			what = ending{r.cut, 0}
			return true
		case box.next < len(box.frames):
			f, ok = box.frames[box.next], true
			if !p.opts.EventIDs {
				box.frames[box.next].data = nil // it comes once: 64 MiB need not be kept
			}
			box.next++
			what = p.cuts.draw()
			return true
		}
		return false
	})
	return f, what, done && ok
}

// leave takes a receiver off its stream.
func (p *Peer) leave(c *connection, box *outbox, r *receiver, how How) {
	p.change(func() {
		if box.receiver == r {
			box.receiver = nil
		}
		if how != None && how != Stall && p.opts.ForgetOnCut {
			p.drop(c)
		}
	})
}

// rewind makes a stream go on behind an event; the mutex is held.
func (b *outbox) rewind(lastEventID string) bool {
	at := slices.IndexFunc(b.frames, func(f frame) bool { return f.id == lastEventID })
	if at < 0 {
		return false
	}
	b.next = at + 1
	return true
}

// allowance is how many bytes of the next n may leave before a limit, which is
// then used up; the mutex is held.
func (p *Peer) allowance(session string, n int) (int, How) {
	for i := range p.limits {
		l := &p.limits[i]
		if l.session != session {
			continue
		}
		if l.bytes > n {
			l.bytes -= n
			return n, None
		}
		left, how := l.bytes, l.how
		p.limits = slices.Delete(p.limits, i, i+1)
		return left, how
	}
	return n, None
}
