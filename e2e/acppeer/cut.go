//go:build !js

package acppeer

import (
	"math/rand/v2"
	"net"
	"net/http"
)

// How a connection ends before its stream does.
type How int

const (
	// None does not end it.
	None How = iota
	// Clean ends the body properly; a WebSocket closes with 1001.
	Clean
	// FIN closes the connection without the terminating chunk.
	FIN
	// Reset closes with RST: the client may lose what it had not read.
	Reset
	// Stall keeps the connection open and never sends on it again.
	Stall
)

// RandomCuts decide by a seed where event streams end: at each event, with the
// given chance, in one of five ways: cleanly, with FIN or with RST behind the
// event, with RST after half of it, with RST in its place. Without EventIDs the
// last two lose the event.
type RandomCuts struct {
	Seed   uint64
	Chance float64
	// Most is the most cuts; 0 means no limit.
	Most int
	// Lossless leaves only the first two ways, which lose nothing.
	Lossless bool
}

type dice struct {
	RandomCuts
	roll *rand.Rand
	made int
}

// ending is how one event ends: how much of it is sent, and how its connection is cut.
type ending struct {
	how  How
	part float64 // of the event that leaves; 1 is all
}

// draw decides about one event; the mutex is held.
func (d *dice) draw() ending {
	if d == nil || (d.Most > 0 && d.made == d.Most) || d.roll.Float64() >= d.Chance {
		return ending{None, 1}
	}
	d.made++
	ways := []ending{{Clean, 1}, {FIN, 1}, {Reset, 1}, {Reset, 0.5}, {Reset, 0}}
	if d.Lossless {
		ways = ways[:2]
	}
	return ways[d.roll.IntN(len(ways))]
}

// CutAtRandom cuts from now on; the zero RandomCuts ends it.
func (p *Peer) CutAtRandom(c RandomCuts) {
	p.change(func() { p.cuts = &dice{RandomCuts: c, roll: rand.New(rand.NewPCG(c.Seed, 1))} })
}

// RandomCutsMade is how many cuts CutAtRandom has made.
func (p *Peer) RandomCutsMade() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cuts == nil {
		return 0
	}
	return p.cuts.made
}

// limit is a stream's end after some bytes.
type limit struct {
	session string
	bytes   int
	how     How
}

// CutAfter ends a stream once that many bytes of events have left on it, in the
// middle of one where it falls so; session "" is the connection's stream. It
// holds for the receiver of the moment or the next one to come, and counts what
// leaves from now on. Several are used one after the other.
func (p *Peer) CutAfter(session string, bytes int, how How) {
	p.change(func() { p.limits = append(p.limits, limit{session, bytes, how}) })
}

// Cut ends the streams of a session, or with "" those of connections, or the
// WebSockets, and returns how many there were.
func (p *Peer) Cut(session string, how How) int {
	n := 0
	p.change(func() {
		for _, c := range p.connections {
			if box := c.boxes[session]; box != nil && box.receiver != nil {
				box.receiver.cut = how
				n++
			}
		}
	})
	return n
}

// Receivers is how many streams of a session are being received, over all
// connections; "" are the connections' own, and WebSockets.
func (p *Peer) Receivers(session string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.connections {
		if box := c.boxes[session]; box != nil && box.receiver != nil {
			n++
		}
	}
	return n
}

// end ends an HTTP answer in the given way; it does not return but for a clean
// one, and for a stalled one only when the client has gone.
func end(r *http.Request, how How) {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	switch how {
	case Stall:
		<-r.Context().Done()
	case Reset:
		reset(conn)
		panic(http.ErrAbortHandler)
	case FIN:
		panic(http.ErrAbortHandler)
	}
}

// reset closes with RST.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
		tcp.Close()
	}
}
