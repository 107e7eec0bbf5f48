package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// The most that the other side may take to say that it has a message, and to end a session, in ms.
const (
	PostWithin   = 30_000
	DeleteWithin = 2_000
)

// PostState is where a Post stands.
type PostState uint8

// The states of a Post.
const (
	PostHeld    PostState = iota // not sent yet: something has to go before it
	PostParked                   // waits for a token
	PostWaiting                  // is sent again, after a delay
	PostSent                     // its exchange is under way
	PostOver                     // answered, or failed; at most the tail of its answer is waited for
)

// postTransitions are the states that may follow each.
var postTransitions = engine.Transitions{
	PostHeld:    1<<PostParked | 1<<PostSent | 1<<PostOver,
	PostParked:  1<<PostSent | 1<<PostOver,
	PostWaiting: 1<<PostParked | 1<<PostSent | 1<<PostOver,
	PostSent:    1<<PostParked | 1<<PostWaiting | 1<<PostOver,
	PostOver:    0,
}

// Post is a one-way message: a request that is answered with a status alone, or with little more. It begins
// no exchange: its client does, and reports what becomes of that.
type Post struct {
	Exchange Exchange
	X        engine.ExchangeID // under way, 0 for none
	Failures int               // times in a row that it had no answer, or was to come later
	Refusals uint8             // for want of authorization

	State PostState   // where it stands
	At    engine.Time // when Due has something to say, by the state: the answer, a further try, the tail
	Token int         // number of the token that it has carried

	floor   engine.Time // PostWaiting: the other side allows it no earlier
	illegal *uint32
}

// Begin has a new post be held. What is entered against the table is counted in illegal.
func (p *Post) Begin(illegal *uint32) { p.At, p.illegal = engine.Never, illegal }

// Park has the post wait for the answer about a token, without a limit: a person may be signing in.
func (p *Post) Park() {
	p.enter(PostParked)
	p.X, p.At = 0, engine.Never
}

// Sent notes that exchange x sends the message, with the token of that number. The answer is due at that
// time, or when the post was held until.
func (p *Post) Sent(x engine.ExchangeID, limits Limits, token int, by engine.Time) {
	if p.State == PostHeld {
		by = min(by, p.At)
	}
	p.enter(PostSent)
	p.X, p.Token, p.At = x, token, by
	p.Exchange = NewExchange(limits)
}

// Unauthorized reports whether its answer is a refusal that another token may mend: no more than so many in a
// row.
func (p *Post) Unauthorized(most uint8) bool {
	if p.Exchange.Status() != 401 || p.Refusals >= most {
		return false
	}
	p.Refusals++
	return true
}

// Retry has the post sent again later, and not before the other side allows it: asked is the Retry-After, in
// ms.
func (p *Post) Retry(now engine.Time, asked int64, policy *Policy, random *engine.Random) {
	p.enter(PostWaiting)
	p.X, p.At, p.floor = 0, now.After(policy.DelayAfter(p.Failures, asked, random)), now.After(asked)
	p.Failures++
}

// Over notes that the post is answered, or has failed, and that an exchange which is under way still gets so
// many ms to end by itself: an answer whose body never ends would hold one of six connections for ever.
func (p *Post) Over(now engine.Time, tail int64) {
	p.enter(PostOver)
	p.At = engine.Never
	if p.X != 0 {
		p.At = now.After(tail)
	}
}

// Wake has Advance look once more at a post that is held.
func (p *Post) Wake(now engine.Time) {
	if p.State == PostHeld {
		p.At = now
	}
}

// Due reports whether the time of its state is over, once for a post that is held.
func (p *Post) Due(now engine.Time) bool {
	if now < p.At {
		return false
	}
	if p.State == PostHeld {
		p.At = engine.Never
	}
	return true
}

// Hear takes news. A post that waits after failures is sent as soon as the other side allows.
func (p *Post) Hear(n *News) (moved bool) {
	switch p.State {
	case PostSent, PostOver:
		p.At = n.Later(p.At)
	case PostWaiting:
		p.At, moved = n.Sooner(p.At, p.floor)
	}
	return moved
}

func (p *Post) enter(next PostState) { engine.Enter(&postTransitions, &p.State, next, p.illegal) }
