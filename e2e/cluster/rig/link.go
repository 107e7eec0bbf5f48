package rig

import (
	"io"
	"net"
	"sync"
	"testing"
)

// A Link is a connection of a node's to the store, by way of the test: it can be cut.
type Link struct {
	Address string

	to string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]struct{}
}

// NewLink listens until t ends, and passes on to an address.
func NewLink(t testing.TB, to string) *Link {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{Address: listener.Addr().String(), to: to, conns: map[net.Conn]struct{}{}}
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
	l.cut = true
	for conn := range l.conns {
		conn.Close()
	}
}

// Mend ends a Cut.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

func (l *Link) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer out.Close()
	l.mu.Lock()
	if l.cut {
		l.mu.Unlock()
		return
	}
	l.conns[in], l.conns[out] = struct{}{}, struct{}{}
	l.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1])
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
