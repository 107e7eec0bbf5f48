//go:build !js

package wires

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
)

// http1 is what a browser asks for that was told that it has to (HTTP_1_1_REQUIRED). Its
// connections are relayed as bytes.
const http1 = "http/1.1"

// Proxy stands between browsers and one server that speaks HTTP/2, with a connection to the
// server for each of a browser's. It relays frames as they come, but for what it is told to do to
// the streams of one path, which are the ones meant by "stream" below. It ends with its test.
type Proxy struct {
	path     string
	upstream string
	client   *tls.Config
	listener net.Listener
	work     sync.WaitGroup

	mu      sync.Mutex // guards all that follows, and the streams of the links
	links   map[*link]struct{}
	made    int // links that have had a stream, of all times
	buffers bool
	starved bool
	old     bool          // further connections are of HTTP/1.1
	heads   int           // of answers that are to be truncated yet
	limit   time.Duration // of silence, 0 for none
}

// NewProxy starts a Proxy in front of the server at upstream, a host and a port, whose
// certificate is one of own's. path is where the streams are that faults are for.
func NewProxy(t testing.TB, own *authority.Authority, upstream, path string) *Proxy {
	t.Helper()
	server := own.Server()
	server.NextProtos = []string{http2.NextProtoTLS, http1}
	old := server.Clone()
	old.NextProtos = []string{http1}
	var p *Proxy
	server.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.old {
			return old, nil
		}
		return nil, nil
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatalf("wires: %v", err)
	}
	p = &Proxy{path: path, upstream: upstream, client: own.Client(), listener: listener,
		links: make(map[*link]struct{})}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		listener.Close()
		p.Close()
		p.work.Wait()
	})
	return p
}

// Origin is the web origin of the proxy, without a trailing slash.
func (p *Proxy) Origin() string { return "https://" + p.listener.Addr().String() }

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.relay(conn) })
	}
}

// relay serves one connection of a browser's until either side ends it.
func (p *Proxy) relay(browser net.Conn) {
	defer browser.Close()
	if browser.(*tls.Conn).Handshake() != nil {
		return
	}
	config := p.client.Clone()
	config.NextProtos = []string{browser.(*tls.Conn).ConnectionState().NegotiatedProtocol}
	server, err := tls.Dial("tcp", p.upstream, config)
	if err != nil {
		return
	}
	defer server.Close()
	l := newLink(p, browser, server)
	if config.NextProtos[0] != http2.NextProtoTLS {
		l.plain = true
	}
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	var up sync.WaitGroup
	up.Go(func() {
		defer l.end()
		l.fromBrowser()
	})
	if l.plain {
		io.Copy(browser, server)
	} else {
		l.fromServer()
	}
	l.end()
	up.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// Connections is how many connections browsers have open for streams, and how many they have made.
// Chrome has one without cookies beside the one for pages.
func (p *Proxy) Connections() (open, made int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if l.used {
			open++
		}
	}
	return open, p.made
}

// Open is how many streams are open whose answer has begun.
func (p *Proxy) Open() int {
	n := 0
	p.each(func(*link, *stream) { n++ })
	return n
}

// Waiting is how many requests wait for their answer's head.
func (p *Proxy) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for l := range p.links {
		for _, s := range l.streams {
			if s.state == streamAsked {
				n++
			}
		}
	}
	return n
}

// each calls do for every open stream, with the lock held.
func (p *Proxy) each(do func(*link, *stream)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		for _, s := range l.streams {
			if s.state == streamOpen {
				do(l, s)
			}
		}
	}
}
