package link

import "github.com/holdfast-mcp/holdfast/core/engine"

const (
	// headSoon is within how many ms of its request the head of a stream counts as
	// prompt: the server sends it before it has anything to say.
	headSoon = 5_000
	// headWithin is how long a reconnect to such a server may go without a head, in
	// ms. Then it was swallowed: accepted, and nothing will ever come.
	headWithin = 15_000
	// headDoubts is after how many of those in a row the wait begins to double: this
	// server, or a browser that shows a head with the first byte behind it, may just
	// be quiet.
	headDoubts = 3
)

// Heads is what a client knows of when its server sends the heads of event
// streams. Its streams share one. It is not stored: each page learns it for itself, from
// the first stream that opens.
type Heads struct {
	prompt bool
	missed int         // reconnects in a row that were given up for want of a head
	probe  engine.Time // when the last quick try after a second cut is due
}

// mayProbe reports whether a stream that was accepted and cut again may be tried again
// quickly. One of a client's streams at a time may: where a proxy accepts everybody's
// and cuts them, each client counts once.
func (h *Heads) mayProbe(now engine.Time) bool { return h == nil || now >= h.probe }

// probes notes when such a try is due.
func (h *Heads) probes(at engine.Time) {
	if h != nil {
		h.probe = at
	}
}

// within returns how long a reconnect may go without a head, in ms; answer is how
// long any request may, 0 or less for ever. The result is 0 for ever.
func (h *Heads) within(answer int64) int64 {
	if h == nil || !h.prompt {
		return max(answer, 0)
	}
	wait := int64(headWithin) << min(max(h.missed-headDoubts+1, 0), 16)
	if answer > 0 {
		return min(wait, answer)
	}
	return wait
}

// came notes a head so many ms after its request. Of a first request only a prompt
// one says anything: else it may have waited for the work.
func (h *Heads) came(after int64, again bool) {
	if h == nil {
		return
	}
	h.missed = 0
	if after <= headSoon || again {
		h.prompt = after <= headSoon
	}
}

func (h *Heads) gaveUp() {
	if h != nil {
		h.missed++
	}
}

// opening is a request for a stream whose head has not come.
type opening struct {
	sentAt engine.Time // Never where nobody saw when
	within int64       // ms that it was given; 0 for ever
}

// due returns when the request is given up.
func (o opening) due() engine.Time {
	if o.within <= 0 {
		return engine.Never
	}
	return o.sentAt.After(o.within)
}
