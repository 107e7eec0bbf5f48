//go:build !js

package peer

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/holdfast-mcp/holdfast/e2e/internal/oldport"
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
	l, err := oldport.Listen(p.ctx, p.addr, patience)
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
	serve := func() { s.Serve(l) }
	if p.opts.TLS != nil {
		s.TLSConfig = p.opts.TLS.Clone()
		s.Protocols = new(http.Protocols)
		s.Protocols.SetHTTP1(true)
		s.Protocols.SetHTTP2(!p.opts.HTTP1)
		// A client with many calls has as many streams: the default is 250.
		s.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 1_000}
		serve = func() { s.ServeTLS(l, "", "") }
	}
	p.server = s
	p.work.Go(serve)
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
