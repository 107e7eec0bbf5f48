//go:build !js

package simulate

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// instances is how many instances the service has, behind one load balancer.
const instances = 10

// instance is one process of the service. It serves one request after another:
// what it has taken keeps it busy until free.
type instance struct {
	up    bool
	epoch int   // restarts
	free  int64 // us
}

// purpose is what a request asks for.
type purpose uint8

const (
	forHandshake purpose = iota + 1 // initialize
	forInitialized
	forCall   // tools/call
	forPing   // ping
	forResume // a GET with a cursor
	forListen // a GET without: not offered
)

// exchange is one request and its answer.
type exchange struct {
	id      engine.ExchangeID
	page    *page
	call    *call // forCall, forResume
	purpose purpose
	session string
	at      int // the instance that took it, -1 for none

	status int
	body   []byte // a JSON answer
	job    *job   // of an event stream
	next   int    // the event that comes next on it
	tick   uint32 // the evEvents that is awaited

	headed, reading, closing bool
	severed                  bool // accepted by a proxy that has nobody behind it
	deaf                     bool // half open: nothing arrives any more
	over                     bool
	backlog                  []byte // arrived and not read yet
}

// recognise finds out what a request is for.
func (w *World) recognise(x *exchange, r *engine.Request) {
	for _, f := range r.Header {
		switch f.Name {
		case "Mcp-Session-Id":
			x.session = f.Value
		case "Last-Event-ID":
			number, n, _ := strings.Cut(f.Value, ".")
			k, err := strconv.Atoi(number)
			last, err2 := strconv.Atoi(n)
			if err != nil || err2 != nil || k >= len(w.jobs) {
				panic("simulate: a cursor that was never given: " + f.Value)
			}
			x.purpose, x.job, x.next = forResume, w.jobs[k], last+1
			x.call = x.job.call
		}
	}
	switch {
	case x.purpose == forResume:
	case r.Method == "GET":
		x.purpose = forListen
	case bytes.Contains(r.Body, []byte(`"method":"initialize"`)):
		x.purpose = forHandshake
		x.body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{"tools":{}},"serverInfo":{"name":"service","version":"1"}}}`,
			number(r.Body, `"id":`))
	case bytes.Contains(r.Body, []byte(`"method":"ping"`)):
		x.purpose = forPing
		x.body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, number(r.Body, `"id":`))
	case bytes.Contains(r.Body, []byte(`"method":"tools/call"`)):
		x.purpose = forCall
		k, _ := strconv.Atoi(number(r.Body, `"call":`))
		x.call = &x.page.calls[k]
		x.job = &job{call: x.call, request: number(r.Body, `"progressToken":`)}
	default:
		x.purpose = forInitialized
	}
}

// number returns the digits behind a name.
func number(text []byte, name string) string {
	_, rest, _ := bytes.Cut(text, []byte(name))
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	return string(rest[:n])
}

// arrive takes a request at the load balancer.
func (w *World) arrive(x *exchange) {
	w.count(x)
	if x.over {
		return
	}
	x.at = w.route(x)
	back := w.now + x.page.away
	if x.at < 0 {
		switch {
		case w.scenario.Refusing:
			w.refuse(x)
		case w.scenario.Severing > 0 && x.purpose == forResume:
			x.severed, x.status = true, 200
			w.push(event{at: back, kind: evHead, page: x.page, x: x})
			w.push(event{at: back + w.scenario.Severing, kind: evEnd, page: x.page, x: x})
		default:
			w.push(event{at: back, kind: evEnd, page: x.page, x: x}) // nobody listens there
		}
		return
	}
	i := &w.instances[x.at]
	free := max(i.free, w.now*1000)
	if free-w.now*1000 > w.scenario.Patient*1000 {
		w.refuse(x)
		return
	}
	if w.began(w.now) { // what happened before is not what is looked at
		i.free = free + w.cost
	}
	w.result.Served++
	back += max(i.free-w.now*1000, 0) / 1000
	x.status = w.answer(x)
	w.ask(x)
	w.push(event{at: back, kind: evHead, page: x.page, x: x})
}

// refuse answers that the service is overloaded, or down.
func (w *World) refuse(x *exchange) {
	x.status = 503
	w.result.Refused++
	w.push(event{at: w.now + x.page.away, kind: evHead, page: x.page, x: x})
}

// route picks an instance that is up, -1 for none: that of the session where
// they are not shared.
func (w *World) route(x *exchange) int {
	if w.scenario.OwnSessions {
		if i, _ := sessionOf(x.session); i >= 0 && w.instances[i].up {
			return i
		}
	}
	up := 0
	for i := range w.instances {
		if w.instances[i].up {
			up++
		}
	}
	if up == 0 {
		return -1
	}
	k := w.rng.IntN(up)
	for i := range w.instances {
		if w.instances[i].up {
			if k == 0 {
				return i
			}
			k--
		}
	}
	return -1
}

// sessionOf reads a session id: its instance, and which of that one's lives.
func sessionOf(id string) (at, epoch int) {
	a, b, ok := strings.Cut(id, "-")
	if !ok {
		return -1, 0
	}
	at, _ = strconv.Atoi(a)
	epoch, _ = strconv.Atoi(b)
	return at, epoch
}

// answer decides on a request that was taken, and returns the status.
func (w *World) answer(x *exchange) int {
	if w.scenario.OwnSessions && x.session != "" {
		if at, epoch := sessionOf(x.session); at != x.at || epoch != w.instances[at].epoch {
			return 404
		}
	}
	switch x.purpose {
	case forHandshake:
		x.session = fmt.Sprintf("%d-%d", x.at, w.instances[x.at].epoch)
	case forInitialized:
		return 202
	case forListen:
		return 405
	case forCall:
		j := x.job
		j.number, j.every, j.total = len(w.jobs), w.scenario.Every, -1
		j.began = w.now - between(w.rng, 0, j.every)
		if w.finishing {
			j.total = 0
		}
		w.jobs = append(w.jobs, j)
		x.call.job, x.next = j, 1
	}
	return 200
}

// down ends an instance, and every connection on it.
func (w *World) down(n int) {
	w.instances[n].up = false
	w.instances[n].epoch++
	clean := uint32(0)
	if w.scenario.Graceful {
		clean = 1
	}
	for _, p := range w.pages {
		for _, x := range p.live {
			if x.at == n && !x.over && !x.closing {
				w.push(event{at: w.now + p.away, kind: evEnd, page: p, x: x, n: clean})
			}
		}
	}
}
