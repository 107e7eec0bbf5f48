package rig

import (
	"io"
	"net"
	"sync"
	"testing"
)

// A Link is a connection of a node's to the store, by way of the test: it can be cut, and be silent.
type Link struct {
	Address string

	to string

	mu      sync.Mutex
	changed *sync.Cond
	state   linkState
	conns   map[net.Conn]struct{}
}

type linkState int

const (
	passing linkState = iota
	silent            // what is said waits for Mend
	cut               // connections end, and are refused
)

// NewLink listens until t ends, and passes on to an address.
func NewLink(t testing.TB, to string) *Link {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{Address: listener.Addr().String(), to: to, conns: map[net.Conn]struct{}{}}
	l.changed = sync.NewCond(&l.mu)
	t.Cleanup(func() { listener.Close(); l.Cut() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go l.pass(conn)
		}
	}()
	return l
}

// Cut ends what is connected, and refuses what comes, until Mend.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.be(cut)
	for conn := range l.conns {
		conn.Close()
	}
}

// Silence passes nothing on until Mend, which brings late what was said meanwhile: a network that loses its
// way does that. Nobody is told.
func (l *Link) Silence() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.be(silent)
}

// Mend ends a Cut, and a Silence.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.be(passing)
}

func (l *Link) be(state linkState) {
	l.state = state
	l.changed.Broadcast()
}

// Read waits for the end of a silence before it gives what it has read.
func (w way) Read(p []byte) (n int, err error) {
	n, err = w.Conn.Read(p)
	w.link.mu.Lock()
	defer w.link.mu.Unlock()
	for w.link.state == silent {
		w.link.changed.Wait()
	}
	return n, err
}

// way is one direction of a connection.
type way struct {
	net.Conn
	link *Link
}

func (l *Link) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer out.Close()
	l.mu.Lock()
	if l.state == cut {
		l.mu.Unlock()
		return
	}
	l.conns[in], l.conns[out] = struct{}{}, struct{}{}
	l.mu.Unlock()
	var both sync.WaitGroup
	for _, ends := range [][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			_, _ = io.Copy(ends[0], way{ends[1], l})
			in.Close()
			out.Close()
		})
	}
	both.Wait()
	l.mu.Lock()
	delete(l.conns, in)
	delete(l.conns, out)
	l.mu.Unlock()
}
