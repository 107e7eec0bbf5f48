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
	// unseenFor is after how many ms a stream is taken for open although its head has not
	// come: servers exist that give none before they have something to say. Where the
	// host is one that shows heads late, it is unseenForLate: the request has had time to get there.
	unseenFor     = 5_000
	unseenForLate = 250
)

// Heads is what a client knows of when its server sends the heads of event
// streams. Its streams share one. It is not stored: each page learns it for itself, from
// the first stream that opens.
type Heads struct {
	// Late: the host shows a head only once the first byte behind it has come. So does
	// Firefox, in fetch and in EventSource. Such a head says nothing of when it was sent, and that there
	// is none says nothing at all.
	Late bool

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

// Within returns how long a request whose answer may be an event stream may go without a
// head, in ms: as long as any request, answer, or, where a head is shown late, as long as
// the open stream that it may be by now is allowed to be silent, idle, if that is longer. Of each 0 or less
// is for ever, and the result is then 0.
func (h *Heads) Within(answer, idle int64) int64 {
	switch {
	case h == nil || !h.Late:
		return max(answer, 0)
	case answer <= 0 || idle <= 0:
		return 0
	}
	return max(answer, idle)
}

// within is the same for a reconnect, which a server that is known to be prompt is
// given less time for.
func (h *Heads) within(answer, idle int64) int64 {
	answer = h.Within(answer, idle)
	if h == nil || !h.prompt {
		return answer
	}
	wait := int64(headWithin) << min(max(h.missed-headDoubts+1, 0), 16)
	if answer > 0 {
		return min(wait, answer)
	}
	return wait
}

// Unseen returns after how many ms a stream is taken for open although its head has not
// come: what waits for that to be sent goes, and its server keeps what it says to a stream
// that it has not accepted yet.
func (h *Heads) Unseen() int64 {
	if h.Late {
		return unseenForLate
	}
	return unseenFor
}

// Prompt reports whether a head that does not come means that something is wrong: the
// server is known to send them at once, and the host shows them.
func (h *Heads) Prompt() bool { return h.prompt }

// came notes a head so many ms after its request. Of a first request only a prompt
// one says anything: else it may have waited for the work.
func (h *Heads) came(after int64, again bool) {
	if h == nil {
		return
	}
	h.missed = 0
	if !h.Late && (after <= headSoon || again) {
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
