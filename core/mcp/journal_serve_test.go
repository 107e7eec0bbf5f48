package mcp_test

import (
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// serve lets the server look at requests, not always at once.
func (l *life) serve() {
	l.t.Helper()
	for again := true; again; {
		again = false
		for _, x := range slices.Clone(l.waiting) {
			if !l.kind && l.rng.IntN(4) == 0 {
				continue
			}
			l.waiting = slices.DeleteFunc(l.waiting, func(y engine.ExchangeID) bool { return x == y })
			if !l.Exchange(x).Over {
				l.serveOne(x)
				again = true
			}
		}
	}
	l.wires = slices.DeleteFunc(l.wires, func(k *wire) bool { return l.Exchange(k.x).Over })
}

func (l *life) serveOne(x engine.ExchangeID) {
	l.t.Helper()
	r := l.Exchange(x).Request
	body := string(r.Body)
	switch {
	case strings.Contains(body, `"method":"initialize"`):
		l.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", l.sessionName())
		l.Chunk(x, coretest.Result(coretest.RequestID(r),
			`{"protocolVersion":"2025-11-25","capabilities":{}}`))
		l.End(x, engine.EndClean)
	case session(r) != l.sessionName():
		if e, _ := l.toolCall(r); e != nil {
			e.left = e.leftBefore
		}
		if strings.Contains(body, `"notifications/initialized"`) {
			for _, e := range l.errands {
				e.refused = true // the client fails: the session is over before it has begun
			}
		}
		l.Head(x, 404)
	case r.Method == "GET":
		l.serveGET(x)
	case strings.Contains(body, `"method":"tools/call"`):
		l.servePOST(x)
	case l.questionOf(body) != nil && !strings.Contains(body, `"method"`):
		l.serveAnswer(x)
	default:
		l.Head(x, 202)
		if !l.Exchange(x).Over {
			l.End(x, engine.EndClean)
		}
	}
}

// servePOST takes a call: its connection may break before its head comes, with
// the tool run or not.
func (l *life) servePOST(x engine.ExchangeID) {
	l.t.Helper()
	e, id := l.toolCall(l.Exchange(x).Request)
	n := 99
	if !l.kind {
		n = l.rng.IntN(80)
	}
	if n < 2 {
		e.unsure = true
		if n == 0 {
			l.run(e, id)
		}
		l.End(x, engine.EndNetwork)
		return
	}
	if n == 2 {
		e.refused = true
		l.Head(x, 503)
		return
	}
	r := l.run(e, id)
	r.wire = &wire{x: x, run: r, json: e.inline}
	l.wires = append(l.wires, r.wire)
	if e.inline {
		l.Head(x, 200, "content-type", coretest.JSON)
		return
	}
	l.Head(x, 200, "content-type", coretest.Stream)
	if l.rng.IntN(5) > 0 {
		r.say(l.rng, "") // a priming event
	}
}

// serveGET takes a reconnect, or refuses it in one of many ways.
func (l *life) serveGET(x engine.ExchangeID) {
	l.t.Helper()
	if !l.kind {
		switch l.rng.IntN(12) {
		case 0:
			l.End(x, engine.EndNetwork)
			return
		case 1:
			l.Head(x, 503, "retry-after", "2")
			return
		case 2:
			return // never answered
		}
	}
	k := l.replay(x, header(l.Exchange(x).Request, "Last-Event-ID"))
	l.Head(x, 200, "content-type", coretest.Stream)
	l.wires = append(l.wires, k)
}

// serveAnswer takes the answer to a question, or does not, or does and cannot
// say so.
func (l *life) serveAnswer(x engine.ExchangeID) {
	l.t.Helper()
	q := l.questionOf(string(l.Exchange(x).Request.Body))
	n := 9
	if !l.kind {
		n = l.rng.IntN(10)
	}
	switch n {
	case 0:
		l.End(x, engine.EndNetwork)
	case 1:
		q.takes()
		l.End(x, engine.EndNetwork)
	case 2:
		l.Head(x, []int{502, 503, 500, 504}[l.rng.IntN(4)])
	case 3: // never answered
	default:
		q.takes()
		l.Head(x, 202)
		if !l.Exchange(x).Over {
			l.End(x, engine.EndClean)
		}
	}
}

// deliver hands over what the client has asked to read.
func (l *life) deliver(k *wire) {
	l.t.Helper()
	if k == nil || !l.Exchange(k.x).Reading || l.Exchange(k.x).Over {
		return
	}
	if k.pending == "" {
		if k.closing {
			l.end(k, engine.EndClean)
		}
		return
	}
	n := len(k.pending)
	if l.rng.IntN(3) > 0 {
		n = 1 + l.rng.IntN(n)
	}
	text := k.take(n)
	l.Chunk(k.x, text)
}

// cut breaks a connection: cleanly or not, behind a part of what was sent, or
// so that all of it is lost (a reset).
func (l *life) cut(k *wire) {
	l.t.Helper()
	if k == nil || l.Exchange(k.x).Over {
		return
	}
	if l.rng.IntN(3) > 0 {
		l.deliver(k)
	}
	if !l.Exchange(k.x).Over {
		l.end(k, one(l.rng, cuts))
	}
}

// end reports the end of a connection. What was pending is lost.
func (l *life) end(k *wire, how engine.Ending) {
	l.t.Helper()
	l.cuts++
	e := k.run.errand
	if k.json && (k.pending != "" || !k.closing || how != engine.EndClean) {
		e.unsure = true
	}
	if r := l.shelf.calls[e.record]; !e.ids || r == nil || len(r.Cursor) == 0 {
		e.unsure = true // it may have seen no id
	}
	if k.run.wire == k {
		k.run.wire = nil
	}
	if e := l.Exchange(k.x); !e.Over {
		l.End(k.x, how)
	}
}
