//go:build !js

package acppeer

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"net"
	"net/http"
	"sync"
)

// A socket is a WebSocket with one connection on it (RFD streamable-http-websocket-transport): text
// frames, initialize first, no Acp-Session-Id.
type socket struct {
	conn net.Conn
	in   *bufio.Reader

	mu     sync.Mutex // serialises frames
	closed bool       // a close frame has left: nothing follows it (RFC 6455 5.5.1)
}

// handshakeKey is RFC 6455's.
const handshakeKey = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

// Status codes of a close frame (RFC 6455 7.4).
const (
	goingAway     = 1001
	protocolError = 1002
)

func (p *Peer) upgrade(w http.ResponseWriter, r *http.Request) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	s := &socket{conn: conn, in: buffered.Reader}
	defer conn.Close()
	c := p.connect(s)
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + handshakeKey))
	buffered.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]) + "\r\nAcp-Connection-Id: " +
		c.id + "\r\n\r\n")
	if buffered.Flush() != nil {
		return
	}
	entry := &Request{HTTPMethod: http.MethodGet, Header: r.Header.Clone(), Connection: c.id,
		Status: http.StatusSwitchingProtocols}
	p.change(func() { p.requests = append(p.requests, entry) })
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	// The connection dies with its socket.
	defer p.change(func() { p.drop(c) })
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		p.send(ctx, c)
	}()
	for opened := false; ; opened = true {
		body, err := s.read()
		if err != nil {
			return
		}
		m := parse(body)
		entry := &Request{HTTPMethod: "WS", Method: m.Method, ID: string(m.ID), Body: string(body),
			Connection: c.id, Session: m.session()}
		p.change(func() { p.requests = append(p.requests, entry) })
		rule := p.ruleFor(entry)
		if rule.Gate != "" && !p.pass(ctx, rule.Gate) {
			return
		}
		switch {
		case m.bad:
			p.change(func() { p.push(c, "", failure([]byte("null"), -32600, "Invalid Request"), nil) })
		case opened == (m.Method == "initialize"):
			s.close(protocolError)
			return
		case !opened:
			answer := p.initialize(c, m)
			p.change(func() { p.push(c, "", answer, nil) })
		default:
			p.receive(c, m, entry.Session)
		}
	}
}

// send carries the one stream of a socket.
func (p *Peer) send(ctx context.Context, c *connection) {
	receiver := new(receiver)
	var box *outbox
	p.change(func() {
		box = c.box("")
		box.receiver = receiver
	})
	for {
		f, ending, ok := p.take(ctx, c, box, receiver)
		if ok && ending.part > 0 {
			message := f.data
			if ending.part < 1 {
				// Half of a frame is no frame.
				c.socket.half(message)
			} else if c.socket.write(opText, message) == nil && f.sent != nil {
				p.change(func() { f.sent.Written++ })
			}
		}
		if !ok || ending.how != None {
			c.socket.end(ending.how)
			if ending.how == Stall {
				<-ctx.Done()
			}
			return
		}
	}
}

// end ends a socket in the given way; None is how the agent's end is heard of.
func (s *socket) end(how How) {
	switch how {
	case Stall:
	case Reset:
		reset(s.conn)
	case Clean:
		s.close(goingAway)
	default:
		s.conn.Close()
	}
}
