//go:build !js

package simulate

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Run plays the scenario until every call has its result, or it is clear that
// some never will.
func (w *World) Run() Result {
	for w.open > 0 {
		e, ok := w.pop()
		if !ok || e.at > w.until {
			break
		}
		w.now = e.at
		w.happen(e)
		if !w.finishing && w.broken == 0 && w.now > w.last() {
			w.finish()
		}
	}
	w.result.Unsettled = w.open
	w.conclude()
	return w.result
}

func (w *World) happen(e event) {
	p := e.page
	switch e.kind {
	case evConnect:
		p.connect()
	case evArrive:
		w.arrive(e.x)
		return
	case evDown:
		w.down(int(e.n))
		return
	case evUp:
		w.instances[e.n].up, w.instances[e.n].free = true, 0
		return
	case evSleep:
		p.sleep()
		return
	case evWake:
		p.wake()
	case evNetwork:
		p.offline = false
		if p.since = w.now; p.broken == 0 {
			p.since = -1
		}
		p.client.Online(p.now())
	case evNotice:
		p.client.Woke(p.now(), int64(e.n))
	case evTimer:
		if e.n != p.timer || p.asleep >= 0 {
			return
		}
		p.fired()
	case evStored:
		if p.asleep >= 0 {
			e.at = w.now + minute
			w.push(e) // it landed; the page hears of it when it can
			return
		}
		p.client.Stored(p.now(), e.n, journal.ResultOK, 0)
	case evRecall:
		if p.asleep < 0 {
			p.make(&p.calls[e.n])
		}
	default:
		if e.x.over || e.x.deaf || p.asleep >= 0 {
			return
		}
		w.report(e)
	}
	p.flow()
}

// report hands over what comes from the network.
func (w *World) report(e event) {
	p, x := e.page, e.x
	switch e.kind {
	case evHead:
		p.head(x)
	case evEvents:
		if e.n == x.tick {
			p.events(x)
		}
	case evEnd:
		if x.carries() && x.reading && len(x.backlog) == 0 && w.rng.IntN(4) == 0 {
			// Half of what was being sent gets through, and counts for nothing.
			half := x.job.appendEvent(w.scratch[:0], x.next)
			x.reading = false
			p.client.Chunk(p.now(), x.id, half[:1+w.rng.IntN(len(half)-1)])
			w.scratch = half
			p.driver.Drain(p.now())
		}
		how := engine.EndNetwork
		if e.n == 1 {
			how = engine.EndClean
		}
		p.ended(x, how)
	}
}

// head hands over the head of an answer.
func (p *page) head(x *exchange) {
	w := p.w
	head := engine.Head{Status: x.status}
	add := func(name, value string) {
		head.Header = append(
			head.Header, engine.Field{Name: name, Value: value})
	}
	x.headed = true
	switch {
	case x.status == 503:
		if w.scenario.RetryAfter > 0 {
			add("retry-after", itoa(w.scenario.RetryAfter))
		}
		if x.purpose == forResume {
			p.cut(x.call)
		}
		p.refused(x)
	case x.status != 200:
		x.closing = x.status == 202
	case x.purpose == forHandshake, x.purpose == forPing:
		add("content-type", "application/json")
		if x.purpose == forHandshake {
			add("mcp-session-id", x.session)
		}
		x.backlog, x.closing = x.body, true
	case x.severed:
		add("content-type", "text/event-stream")
	default:
		add("content-type", "text/event-stream")
		p.begin(x)
	}
	p.client.Head(p.now(), x.id, head)
}

// begin starts an event stream: what it says first is there with its head.
func (p *page) begin(x *exchange) {
	k, j := x.call, x.job
	k.notBefore = 0
	if x.purpose == forCall {
		k.retry = p.w.scenario.Retry
		x.backlog, p.w.scratch = j.appendPriming(p.w.scratch[:0], k.retry), nil
	} else if x.next > 1 && p.w.rng.IntN(4) == 0 {
		x.next-- // some servers repeat the event that the cursor names
		p.w.result.Repeated++
	}
	p.extend(x)
	p.back(k)
}

// events hands over the next events of a stream.
func (p *page) events(x *exchange) {
	p.extend(x)
	if x.reading && len(x.backlog) > 0 {
		b := x.backlog
		x.reading, x.backlog = false, nil
		p.client.Chunk(p.now(), x.id, b)
		p.w.scratch = b[:0]
	}
}

// extend appends to what has arrived on x the events that have been given since,
// and awaits the next one.
func (p *page) extend(x *exchange) {
	w, j := p.w, x.job
	if len(x.backlog) == 0 {
		x.backlog, w.scratch = w.scratch[:0], nil
	}
	given := j.given(w.now - p.away)
	for ; x.next <= given; x.next++ {
		x.backlog = j.appendEvent(x.backlog, x.next)
	}
	if j.total >= 0 && x.next > j.total {
		x.backlog, x.closing = j.appendResult(x.backlog), true
		return
	}
	x.tick++
	w.push(event{at: max(j.next(x.next)+p.away, w.now+1), kind: evEvents, page: p, x: x, n: x.tick})
}

// fired is what the wasm does when its timer fires.
func (p *page) fired() {
	const late = 75_000
	if overdue := p.driver.Overdue(p.now()); overdue > late {
		p.client.Woke(p.now(), overdue)
	}
	p.driver.Fired(p.now())
}

// finish has every job give its response behind what it has given so far.
func (w *World) finish() {
	w.finishing = true
	for _, j := range w.jobs {
		j.total = j.given(w.now)
	}
	for _, p := range w.pages {
		for _, x := range p.live {
			if x.carries() {
				x.tick++
				w.push(event{at: w.now + p.away + between(w.rng, 1, second), kind: evEvents, page: p, x: x,
					n: x.tick})
			}
		}
	}
}
