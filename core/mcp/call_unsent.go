package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// A call that waits for a connection, the network or a token may leave until its
// sendBy, in this page and in those that find it in the store; then it ends as unsent.
// So what a person has asked for is not done when they have long done without it.

// queued is what a call waits with that has not left, or that is to leave again.
type queued struct {
	left         bool        // its request has left, from here or from an earlier page
	restored     bool        // another page has made it
	sendBy       engine.Time // until when it may leave for the first time
	tellQueuedAt engine.Time // when its app hears that it waits; Never once it has, or where it need not
	tellsQueued  bool        // its guarantee says what a reload does to it while it waits
	rerunAt      engine.Time // callRetrying: not before
	reruns       int         // times it was run again because that is harmless, or allowed
	resends      int         // times it was sent again in a new session
	refusals     uint8       // times in a row that it was refused for want of authorization
	mayHaveRun   bool        // it has, in an earlier page, which has sent it again since
	denied       bool        // the server has refused its request, and the store says so
}

// sendDue returns until when a call that never left may wait; Never for all others.
func (call *call) sendDue(c *Client) engine.Time {
	switch {
	case call.left, call.role != roleApp, call.timeouts.Send < 0, c.state == stateNew, !call.isQueued() && call.state != callRestored:
		return engine.Never
	case call.restored && !c.believes(call):
		return 0
	}
	return call.sendBy
}

// unsent ends a call that never left.
func (call *call) unsent(c *Client, now engine.Time, why string) {
	call.fold = nil
	failure := unsentError(call.method, why)
	switch {
	case call.undecided(c):
		failure = undecidedError(call.method)
	case call.left:
		failure.Message = "the server did not run the request, and it will not be sent again: " + why
	}
	c.settle(now, call, engine.OutcomeFailure, nil, failure)
}

// believes reports whether the wall clock can tell how old a call is that another page
// has made. Once all of the store is known: any record may show that it was set back.
func (c *Client) believes(call *call) bool {
	_, ok := durable.Waited(call.record.Made, c.latest, c.wall())
	return ok
}

// restoreSendBy notes until when a call may leave that another page has made: its age
// counts by the wall clock, the only one that outlives a page.
func (call *call) restoreSendBy(c *Client, now engine.Time, r *recorded.Call) {
	c.latest = max(c.latest, r.Latest())
	call.restored, call.tellsQueued = true, true
	waited, _ := durable.Waited(call.record.Made, c.latest, c.wall())
	call.sendBy = earlier(in(now, call.timeouts.Send), waited)
}

// Slept notes that the clock stood still for ms: the machine slept, and calls have
// waited for longer than it shows.
func (c *Client) Slept(now engine.Time, ms int64) {
	c.effects.Begin(now)
	c.rescheduleAll()
	c.bodies.Slept()
	c.cfg.Wall += ms
	for _, call := range c.calls {
		call.sendBy = earlier(call.sendBy, ms)
	}
}

// earlier returns ms before t.
func earlier(t engine.Time, ms int64) engine.Time {
	if t == engine.Never {
		return t
	}
	return t - engine.Time(ms)
}

// isQueuedInStore reports whether a page that loads now would find the call waiting,
// and send it.
func (call *call) isQueuedInStore(c *Client) bool {
	return call.record != nil && !call.left && (call.isQueued() || call.state == callRestored) && c.writer.Has(call.record.openIn)
}

// waitsQuietly is how long a call waits, in ms, before its app is told what a reload
// would do to it meanwhile. Most wait for a connection that is given at once, and
// the word would be taken back with it.
const waitsQuietly = 1_000

// tellQueued tells the app, once the head of a call that has to wait is stored, that
// the call outlives the page.
func (call *call) tellQueued(c *Client, now engine.Time) {
	call.tellQueuedAt, call.tellsQueued = engine.Never, true
	if call.isKept() {
		c.writeDeferred(call)
		c.whenStored(now, call, false, &report{})
	}
}

// report tells the app what a reload would do to a call.
type report struct{}

func (*report) goOn(c *Client, call *call, _ engine.Time) { c.tellGuarantee(call) }
