package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// ReachTime is how long it may take to find out whether anything answers, in ms. It is
// well over what a slow network needs for one small answer.
const ReachTime = 5_000

// reachState is how far it is known whether anything answers at an address.
type reachState uint8

const (
	reachUnasked reachState = iota // no request was without an answer yet
	reachAsked                     // the question is under way
	reachKnown                     // it was answered: by somebody, by nobody, or by who cannot know
)

// reachTransitions are the states that may follow each: it is asked once.
var reachTransitions = engine.Transitions{
	reachUnasked: 1 << reachAsked,
	reachAsked:   1 << reachKnown,
	reachKnown:   0,
}

// Reach finds out, once, whether anything at all answers at an address: where requests to
// it had no answer, that tells a server that is not there from one whose CORS rules hide
// it, which no failure of fetch does. Its zero value has not asked yet.
type Reach struct {
	X engine.ExchangeID // the question under way, 0 for none

	state   reachState
	found   engine.Reach
	by      engine.Time   // the answer is due
	slow    bool          // what had no answer took long for that
	failure *engine.Error // what it is asked for
	illegal uint32
}

// Wants reports whether the question is worth asking: a request had no answer, and it was
// not asked before.
func (r *Reach) Wants(failure *engine.Error) bool {
	return r.state == reachUnasked && failure.Unanswered()
}

// Ask notes that exchange x asks, because of failure: that of a request which began at
// since.
func (r *Reach) Ask(now, since engine.Time, x engine.ExchangeID, failure *engine.Error) {
	r.enter(reachAsked)
	r.X, r.by, r.failure, r.slow = x, now.After(ReachTime), failure, now.Since(since) >= ReachTime
}

// Answered notes that somebody has answered.
func (r *Reach) Answered() { r.know(engine.ReachAnswers) }

// Ended notes that the exchange has ended without an answer.
func (r *Reach) Ended(how engine.Ending) {
	if how == engine.EndNetwork {
		r.know(engine.ReachNothing)
	} else {
		r.know(engine.ReachUnknown)
	}
}

// Due reports whether an answer is overdue. Then the exchange is to be ended, and Late called.
func (r *Reach) Due(now engine.Time) bool { return r.state == reachAsked && now >= r.by }

// Late notes that there was no answer in time. That alone proves nothing: some servers
// keep a GET until they have something to say. Where the request that it was asked for
// has waited as long, nothing answers there: further requests would wait as long again.
func (r *Reach) Late() {
	if r.slow {
		r.know(engine.ReachNothing)
	} else {
		r.know(engine.ReachUnknown)
	}
}

// End notes that nobody wants to know any more. The exchange is to be ended before.
func (r *Reach) End() {
	if r.state == reachAsked {
		r.know(engine.ReachUnknown)
	}
}

// Deadline returns when an answer is due, Never where none is.
func (r *Reach) Deadline() engine.Time {
	if r.state != reachAsked {
		return engine.Never
	}
	return r.by
}

// Found returns what is known.
func (r *Reach) Found() engine.Reach { return r.found }

// Failure returns the failure that it was asked for, with what was found out.
func (r *Reach) Failure() *engine.Error {
	failure := *r.failure
	failure.Reach = r.found
	return &failure
}

// IllegalTransitions returns how often a state was entered that may not follow the one
// before: a defect of its client's.
func (r *Reach) IllegalTransitions() uint32 { return r.illegal }

func (r *Reach) know(found engine.Reach) {
	r.enter(reachKnown)
	r.X, r.found = 0, found
}

func (r *Reach) enter(next reachState) {
	engine.Enter(&reachTransitions, &r.state, next, &r.illegal)
}
