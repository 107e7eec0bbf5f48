//go:build !js

package simulate

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// page is one client: the real one, on a host that lives in virtual time, and
// the app that uses it. It is the client's engine.Host.
type page struct {
	w      *World
	client *mcp.Client
	driver *engine.Driver
	index  int
	away   int64 // ms that a packet takes to the service
	calls  []call
	live   []*exchange

	timer   uint32 // number of the timer that is set
	timerAt int64
	behind  int64 // ms that the clock has stood still
	asleep  int64 // since when, -1 while awake
	still   bool  // the clock stands still during sleep (macOS, Linux)
	noisy   bool  // its system tells of dead connections on waking
	offline bool

	broken   int   // calls that are without their stream
	since    int64 // since when they could have it
	requests int   // sent since the incident began
	wholeAt  int64
	shakeNot int64 // no handshake before this: a Retry-After
}

// call is one call of the app's.
type call struct {
	page    *page
	id      engine.CallID
	job     *job // the run that the service took last
	run     int  // number of the job whose events come; -1 until the first
	got     int  // its last event
	whole   bool // a connection carries it
	settled bool

	retry     int64 // what its stream has named, -1 for nothing
	notBefore int64 // the server allows no attempt before this
}

// now is what the page's monotonic clock shows.
func (p *page) now() engine.Time { return engine.Time(p.w.now - p.behind) }

// Do carries out one effect.
func (p *page) Do(e engine.Effect) {
	w := p.w
	switch e.Kind {
	case engine.Fetch:
		x := &exchange{id: e.X, page: p, at: -1}
		w.recognise(x, e.Request)
		p.live = append(p.live, x)
		w.checkFloor(x)
		if p.offline {
			w.push(event{at: w.now + 1, kind: evEnd, page: p, x: x})
			return
		}
		w.push(event{at: w.now + p.away, kind: evArrive, page: p, x: x})
	case engine.Read:
		if x := p.find(e.X); x != nil {
			x.reading = true
		}
	case engine.Abort:
		if x := p.find(e.X); x != nil {
			p.drop(x)
			if x.carries() && !x.deaf {
				w.result.Doubted++ // the client's own decision: nothing was wrong
			}
			if x.carries() && x.call.retry >= 0 {
				x.call.notBefore = w.now + x.call.retry
			}
		}
	case engine.Deliver, engine.Replay:
		for one := range engine.Unpacked(e) {
			p.told(one)
		}
	case engine.Settle:
		p.settled(e)
	case engine.State:
		switch {
		case e.Failure != nil:
			w.result.Failures[string(e.Failure.Code)]++
		case p.calls[0].id == 0:
			for i := range p.calls {
				p.make(&p.calls[i])
			}
		}
	case engine.Store:
		w.push(event{at: w.now + 2, kind: evStored, page: p, n: e.Ticket})
	}
}

// Wake sets the timer.
func (p *page) Wake(delay int64) {
	p.timer++
	p.timerAt = p.w.now + delay
	p.w.push(event{at: p.timerAt, kind: evTimer, page: p, n: p.timer})
}

// make makes a call of the app's. It is read-only: a server that has lost it may
// be asked again.
func (p *page) make(k *call) {
	*k = call{page: p, run: -1, whole: k.whole, retry: -1}
	index := 0
	for i := range p.calls {
		if k == &p.calls[i] {
			index = i
		}
	}
	k.id = ^engine.CallID(0) // nested: State may come again before Call returns
	k.id = p.client.Call(p.now(), "tools/call",
		[]byte(`{"name":"render","arguments":{"call":`+strconv.Itoa(index)+`}}`),
		mcp.CallOptions{Durable: true, Key: strconv.Itoa(index), Flags: journal.ReadOnly})
}

func (p *page) find(id engine.ExchangeID) *exchange {
	for _, x := range p.live {
		if x.id == id {
			return x
		}
	}
	return nil
}

// drop forgets an exchange: nothing of it is reported any more.
func (p *page) drop(x *exchange) {
	x.over = true
	for i, other := range p.live {
		if other == x {
			p.live = append(p.live[:i], p.live[i+1:]...)
			return
		}
	}
}

// flow carries out what the client wants, and hands over what has arrived and
// may be read, until there is nothing left of either.
func (p *page) flow() {
	p.driver.Drain(p.now())
	for again := true; again; {
		again = false
		for _, x := range p.live {
			if x.headed && (x.reading && len(x.backlog) > 0 || x.closing && len(x.backlog) == 0) {
				p.give(x)
				again = true
				break // the list may be another one now
			}
		}
	}
}

// give hands over the next chunk of x, or its end.
func (p *page) give(x *exchange) {
	if len(x.backlog) > 0 {
		b := x.backlog
		x.reading, x.backlog = false, nil
		p.client.Chunk(p.now(), x.id, b)
		p.driver.Drain(p.now())
		p.w.scratch = b[:0] // lent until here
		return
	}
	p.ended(x, engine.EndClean)
	p.driver.Drain(p.now())
}

// ended reports the end of x.
func (p *page) ended(x *exchange, how engine.Ending) {
	p.drop(x)
	if x.carries() || x.purpose == forResume {
		p.cut(x.call)
	}
	p.client.End(p.now(), x.id, how, "")
}
