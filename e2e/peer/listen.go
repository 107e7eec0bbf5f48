//go:build !js

package peer

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

type connKey struct{}

// Up listens again on the Peer's port after Down. It does nothing while the
// Peer is up.
func (p *Peer) Up() {
	p.t.Helper()
	p.lifeMu.Lock()
	defer p.lifeMu.Unlock()
	if p.server != nil || p.mounted {
		return
	}
	l, err := p.listen()
	if err != nil {
		p.t.Errorf("peer: cannot listen: %v", err)
		return
	}
	p.addr = l.Addr().String()
	s := &http.Server{
		Handler:   http.HandlerFunc(p.serve),
		ConnState: p.track,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		// Cuts make the server complain about every dead connection.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	s.SetKeepAlivesEnabled(!p.opts.NoReuse)
	p.server = s
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		s.Serve(l)
	}()
}

// listen takes the old port again. The kernel may have lent it to an outgoing
// connection meanwhile, hence the retries.
func (p *Peer) listen() (net.Listener, error) {
	if p.addr == "" {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		var l net.Listener
		if l, err = net.Listen("tcp", p.addr); err == nil {
			return l, nil
		}
		if p.ctx.Err() != nil {
			return nil, errors.New("closed")
		}
	}
	return nil, err
}

// Down closes the listener and every connection: new connections are refused.
// Sessions, events and running scripts live on, as in a network outage.
func (p *Peer) Down() {
	p.lifeMu.Lock()
	s := p.server
	p.server = nil
	p.lifeMu.Unlock()
	if s != nil {
		s.Close()
	}
}

// Restart is Down, then Up with sessions and events forgotten and scripts
// ended. Tools, rules, gates and the request log stay.
func (p *Peer) Restart() {
	p.t.Helper()
	p.Down()
	p.home.forget()
	p.modern.forget()
	p.tasks.forget()
	p.Up()
}

func (p *Peer) track(c net.Conn, s http.ConnState) {
	p.lifeMu.Lock()
	switch s {
	case http.StateNew:
		p.conns[c] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(p.conns, c)
	}
	p.lifeMu.Unlock()
	p.changed.signal()
}

// OpenConnections is the number of TCP connections now open, idle ones
// included.
func (p *Peer) OpenConnections() int {
	p.lifeMu.Lock()
	defer p.lifeMu.Unlock()
	return len(p.conns)
}

// OpenStreams is the number of event streams now open: answers whose headers
// have left and whose body has not ended.
func (p *Peer) OpenStreams() int { return int(p.open.Load()) }

// WaitOpen returns true once ok accepts the numbers of open connections and
// open event streams, false when ctx ends first.
func (p *Peer) WaitOpen(ctx context.Context, ok func(connections, streams int) bool) bool {
	return p.changed.await(ctx, func() bool { return ok(p.OpenConnections(), p.OpenStreams()) })
}
