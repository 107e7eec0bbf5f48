//go:build !js

package acppeer

import (
	"bytes"
	"context"
	"net/http"
)

// get is an event stream: the connection's, or a session's.
func (p *Peer) get(w http.ResponseWriter, r *http.Request, c *connection, entry *Request) {
	receiver := new(receiver)
	var box *outbox
	status := http.StatusOK
	p.change(func() {
		box = c.box(entry.Session)
		switch {
		case box.receiver != nil && !p.opts.NewestWins:
			status = http.StatusConflict
			return
		case box.receiver != nil:
			box.receiver.over = true
		}
		if p.opts.EventIDs && entry.LastEventID != "" && !box.rewind(entry.LastEventID) {
			status = http.StatusBadRequest
			return
		}
		box.receiver = receiver
	})
	if status != http.StatusOK {
		http.Error(w, http.StatusText(status), status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	flush()
	how := None
	defer func() { p.leave(c, box, receiver, how) }()
	for {
		f, ending, ok := p.takeOrKeepAlive(r.Context(), c, box, receiver)
		if !ok {
			if how = ending.how; how != None { // or else the client has gone
				p.finish(r, c, box, receiver, how)
			}
			return
		}
		if f.data == nil {
			w.Write([]byte(":\n\n"))
			flush()
			continue
		}
		event := f.event()
		size := int(float64(len(event)) * ending.part)
		p.mu.Lock()
		allowed, stop := p.allowance(entry.Session, size)
		p.mu.Unlock()
		if how = ending.how; stop != None {
			size, how = allowed, stop
		}
		if size > 0 {
			if _, err := w.Write(event[:size]); err != nil || flush() != nil {
				return
			}
		}
		if size == len(event) && f.sent != nil {
			p.change(func() { f.sent.Written++ })
		}
		if how != None {
			p.finish(r, c, box, receiver, how)
			return
		}
	}
}

// finish takes the receiver off its stream before its end shows, because the
// client may be back at once. A stalled one stays where it is, as the server
// knows nothing of it, until the client gives up.
func (p *Peer) finish(r *http.Request, c *connection, box *outbox, receiver *receiver, how How) {
	if how != Stall {
		p.leave(c, box, receiver, how)
	}
	end(r, how)
}

// takeOrKeepAlive is take, but gives an empty frame when a comment is due.
func (p *Peer) takeOrKeepAlive(ctx context.Context, c *connection, box *outbox, r *receiver) (
	frame, ending, bool) {
	if p.opts.KeepAlive == 0 {
		return p.take(ctx, c, box, r)
	}
	due, cancel := context.WithTimeout(ctx, p.opts.KeepAlive)
	defer cancel()
	f, what, ok := p.take(due, c, box, r)
	if !ok && what.how == None && ctx.Err() == nil && p.ctx.Err() == nil &&
		due.Err() == context.DeadlineExceeded {
		return frame{}, ending{None, 1}, true
	}
	return f, what, ok
}

// event is a frame as it is written.
func (f frame) event() []byte {
	if f.raw {
		return f.data
	}
	var b bytes.Buffer
	if f.id != "" {
		b.WriteString("id: " + f.id + "\n")
	}
	b.WriteString("data: ")
	b.Write(f.data)
	b.WriteString("\n\n")
	return b.Bytes()
}
