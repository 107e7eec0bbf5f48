package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// A browser sends a request again by itself where its connection ends before the head of the answer. A body
// that is a stream cannot be read twice, so a request with such a body is not sent again (fault 758). A
// stream needs HTTP/2 or later, and no browser tells whether another origin speaks HTTP/2 and takes streams.
// Bodies finds that out by requests that may be sent twice.

// proven is for how long, in ms, a connection counts as alive after the server has said something. Chromium
// doubts a connection after 10 s of silence, and a request on a dead connection is lost.
const proven = 9_000

// Lead is a request that may be sent twice. It has to be answered before a request leaves that may not.
type Lead uint8

// The leads.
const (
	LeadNone   Lead = iota // the request may leave
	LeadWait               // another lead is under way, or due later
	LeadStream             // find out whether the server takes a body that is a stream
	LeadBytes              // find out whether the connection is alive
)

// bodiesState is what is known of bodies that are streams.
type bodiesState uint8

const (
	bodiesUnknown bodiesState = iota // no lead has left since a handshake, or the finding is doubtful
	bodiesTried                      // a lead with a stream is under way
	bodiesDoubted                    // that lead was rejected or refused; the same lead with bytes is under way
	bodiesRefused                    // the server takes bytes alone
	bodiesTaken                      // the server takes streams
	bodiesProved                     // the server takes streams; a lead finds out whether the connection is alive
	bodiesAway                       // that lead has failed; the next one is due later
)

// bodiesTransitions are the states that may follow each.
var bodiesTransitions = engine.Transitions{
	bodiesUnknown: 1 << bodiesTried,
	bodiesTried:   1<<bodiesUnknown | 1<<bodiesDoubted | 1<<bodiesTaken | 1<<bodiesRefused,
	bodiesDoubted: 1<<bodiesUnknown | 1<<bodiesRefused,
	bodiesRefused: 1 << bodiesUnknown,
	bodiesTaken:   1<<bodiesUnknown | 1<<bodiesRefused | 1<<bodiesProved,
	bodiesProved:  1<<bodiesUnknown | 1<<bodiesRefused | 1<<bodiesTaken | 1<<bodiesAway,
	bodiesAway:    1<<bodiesUnknown | 1<<bodiesRefused | 1<<bodiesTaken,
}

// Bodies is what a client knows of how its requests may leave. Its zero value knows nothing.
type Bodies struct {
	state   bodiesState
	triedAt engine.Time // when the lead with a stream was asked for
	heardAt engine.Time // when the server has said something last
	heard   bool        // and it counts: the clock has run since
	tries   int         // leads that have failed in a row, of a server that takes streams
	took    bool        // a lead with a stream was answered, and none was rejected since
	at      engine.Time // bodiesAway: the next one is due
	illegal uint32
}

// Streams reports whether a request that leaves now has a body that is a stream.
func (b *Bodies) Streams() bool { return b.state >= bodiesTaken }

// Lead returns the lead that has to be answered before a request leaves; once: the request must not be sent
// twice. The caller sends LeadStream or LeadBytes, and reports Answered or Failed. A request that may be sent
// twice waits for no lead, but has the first one sent.
func (b *Bodies) Lead(now engine.Time, once bool) Lead {
	switch {
	case !once && b.state != bodiesUnknown:
	case b.state == bodiesUnknown:
		b.enter(bodiesTried)
		b.triedAt = now
		return LeadStream
	case b.state == bodiesTaken && (!b.heard || now.Since(b.heardAt) >= proven):
		b.enter(bodiesProved)
		return LeadBytes
	case b.state == bodiesTried, b.state == bodiesProved, b.state == bodiesAway:
		return LeadWait
	}
	return LeadNone // where a stream was rejected nothing is gained by waiting: bytes may leave
}

// Heard notes that the server has said something.
func (b *Bodies) Heard(now engine.Time) { b.heardAt, b.heard = now, true }

// Slept notes that the clock stood still, or that nobody could hear the server: it counts as silent.
func (b *Bodies) Slept() { b.heard = false }

// Answered notes that the lead under way was answered with a message of its own.
func (b *Bodies) Answered() {
	b.tries = 0
	switch b.state {
	case bodiesTried, bodiesProved:
		b.took = true
		b.enter(bodiesTaken)
	case bodiesDoubted:
		b.enter(bodiesRefused)
	}
}

// Failed notes that the lead under way has no answer, and returns the one that is to be sent at once. Of a
// server that has taken streams another stream is the likelier to tell: its connection may have ended under
// this one, as behind a proxy that closes it (fault 780). Else the browser or the server may have rejected
// the stream. final: no other lead would fare better, as where the answer did not come in its time.
func (b *Bodies) Failed(now engine.Time, final bool, retry *Policy, random *engine.Random) Lead {
	switch {
	case final:
		b.enter(bodiesRefused) // else it would hold up everything
	case b.state == bodiesTried && b.took:
		b.took, b.triedAt = false, now
		return LeadStream
	case b.state == bodiesTried && now.Since(b.triedAt) < proven:
		b.enter(bodiesDoubted)
		return LeadBytes
	case b.state == bodiesTried, // after so long its connection was dead
		b.state == bodiesDoubted:
		b.enter(bodiesUnknown)
	case b.state == bodiesProved:
		b.at = now.After(retry.Delay(b.tries, -1, random))
		b.tries++
		b.enter(bodiesAway)
	}
	return LeadNone
}

// Hear takes news: the next lead is due where the network is back.
func (b *Bodies) Hear(n *News) (moved bool) {
	switch {
	case n.Kind == NewsWoke:
		b.Slept()
	case n.Kind == NewsOnline && b.state == bodiesAway:
		b.at = min(b.at, n.At)
	}
	return false
}

// Refused notes that the server has said that it wants bytes.
func (b *Bodies) Refused() {
	if b.Streams() {
		b.enter(bodiesRefused)
	}
}

// Forget drops the finding: a request with a stream was rejected, or there is another session. A lead that is
// under way counts no more.
func (b *Bodies) Forget() { b.enter(bodiesUnknown) }

// Due reports whether another lead is due after one that has failed: those that wait ask for it.
func (b *Bodies) Due(now engine.Time) bool {
	if b.state != bodiesAway || now < b.at {
		return false
	}
	b.heard = false
	b.enter(bodiesTaken)
	return true
}

// Deadline returns when Due is.
func (b *Bodies) Deadline() engine.Time {
	if b.state != bodiesAway {
		return engine.Never
	}
	return b.at
}

// IllegalTransitions returns how often a state was entered that may not follow the one before: a defect.
func (b *Bodies) IllegalTransitions() uint32 { return b.illegal }

func (b *Bodies) enter(next bodiesState) {
	engine.Enter(&bodiesTransitions, &b.state, next, &b.illegal)
}
