package node

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// stream answers with what is in a stream behind a position, and what is added, until the answer of its call.
func (n *Node) stream(w http.ResponseWriter, r *http.Request, s store.Stream, at store.Position) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(n.ctx, cancel)()
	out := &eventWriter{w: w, flush: http.NewResponseController(w).Flush}

	// What is there already comes first, so that a position that is refused has a status of its own.
	for event, err := range n.cfg.Log.After(ctx, s, at) {
		if err != nil {
			if !out.begun {
				fail(w, err)
			}
			return
		}
		at = event.Position
		if out.event(s, event) != nil || word(event.Label) == labelFinal {
			return
		}
	}
	if last, err := n.cfg.Log.Last(ctx, s); err != nil || last.Same(at) && word(last.Label) == labelFinal {
		if err != nil && !out.begun {
			fail(w, err)
			return
		}
		out.begin() // the client has the answer: an empty stream
		return
	}
	out.begin()

	events := make(chan store.Event)
	n.work.Go(func() {
		defer close(events)
		for event, err := range n.cfg.Log.Follow(ctx, s, at) {
			if err != nil {
				return // the stream is cut; the client comes back, to another node perhaps, and hears why
			}
			select {
			case events <- event:
			case <-ctx.Done():
				return
			}
		}
	})
	alive := time.NewTicker(n.cfg.KeepAlive)
	defer alive.Stop()
	lease := time.NewTicker(n.beat())
	defer lease.Stop()
	for {
		select {
		case event, ok := <-events:
			if !ok || out.event(s, event) != nil || word(event.Label) == labelFinal {
				return
			}
		case <-alive.C:
			if out.comment() != nil {
				return
			}
		case <-lease.C:
			if !n.leased() {
				return // this node hears nothing any more, and its client must not sit here
			}
		}
	}
}

// eventWriter writes an event stream.
type eventWriter struct {
	w     http.ResponseWriter
	flush func() error
	begun bool
}

func (o *eventWriter) begin() {
	if o.begun {
		return
	}
	o.begun = true
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	o.w.WriteHeader(http.StatusOK)
	_ = o.flush()
}

func (o *eventWriter) comment() error {
	if _, err := o.w.Write([]byte(": keep-alive\n\n")); err != nil {
		return err
	}
	return o.flush()
}

// event writes an event of a call's stream. One that has no message gives an id, and empty data.
func (o *eventWriter) event(s store.Stream, e store.Event) error {
	if word(e.Label) == labelOwner {
		return nil // the id of the one before still does
	}
	o.begin()
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %s_%s\ndata: ", s.Name, e.Position)
	if forClient(e.Label) {
		b.Write(e.Data) // one line: it was made by a JSON encoder, or compacted
	}
	b.WriteString("\n\n")
	if _, err := o.w.Write(b.Bytes()); err != nil {
		return err
	}
	return o.flush()
}
