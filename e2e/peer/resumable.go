//go:build !js

package peer

import "time"

// A ResumePolicy makes a tool's calls resumable as SEP-975 describes: the first
// message of the answer is notifications/requests/resumePolicy, after which
// "both the client and the server MAY disconnect at will". The proposal is
// written for 2025-06-18; 2025-11-25 sessions get it too. The zero value sends a
// policy without waits, never lapses, and forgets what it has written.
type ResumePolicy struct {
	// MinWait and MaxWait, in seconds, go into the policy unless they are 0.
	MinWait, MaxWait int
	// Waits replaces both on the wire with members of the test's own, for
	// values that are none: `"minWait":-1,"maxWait":"soon"`.
	Waits string
	// Lapse is after which time without the client the call is cancelled and
	// freed (schema.json, maxWait); 0 takes MaxWait seconds, and never if that
	// is 0 too. The time starts over with each disconnection, getStatus and
	// resume. See Peer.Advance.
	Lapse time.Duration
	// Keeps is what the server still has for a client that resumes.
	Keeps Keeping
	// Second is what happens to a resume while a connection carries the call.
	Second Doubling
	// Close ends the connection right behind the policy; the tool goes on.
	Close Cutting
	// NewTokens sends a policy with a new token first on every resumed stream.
	// From then on the token before is refused, unless OldTokens.
	NewTokens bool
	OldTokens bool
	// Outlives keeps a call, and its token, beyond its session: the tool goes on,
	// and whoever comes with id and token in another session gets the rest there.
	Outlives bool
	// What a server must not do, alone or together.
	Odd []Oddity
}

// A Keeping is what a server takes for delivered, and deletes with the next
// resume: "for the Streamable HTTP transport, requests/resume is sent via POST,
// not GET, allowing servers to delete delivered messages".
type Keeping int

const (
	// Unwritten messages are kept: what was put on a connection counts as
	// delivered, even if the connection ate it (fault 93).
	Unwritten Keeping = iota
	// Unconfirmed messages are kept: those after the Last-Event-ID that came
	// with the resume, all of them if none has come yet.
	Unconfirmed
	// Everything is kept, and sent again from the start each time.
	Everything
)

// A Doubling answers the question that the review left open: "how should the
// server react if a request is resumed twice?"
type Doubling int

const (
	// DropFirst gives the stream to the newest connection.
	DropFirst Doubling = iota
	// RefuseSecond answers with an error while the first is open.
	RefuseSecond
)

// An Oddity is a misbehaviour (fault 90).
type Oddity int

const (
	// PolicyUnasked sends policies to clients without the capability.
	PolicyUnasked Oddity = iota + 1
	// PolicyForeign sends a policy for the id "nobody" before the proper one.
	PolicyForeign
	// PolicyTwice sends a second policy with a new token behind the first.
	PolicyTwice
	// PolicyLate sends the policy behind the response, and none before.
	PolicyLate
)

// Resumable gives the tool a resume policy.
func Resumable(policy ResumePolicy) Trait { return func(t *tool) { t.policy = &policy } }

// OnResumeRequest asks f about every requests/resume with a valid token; n
// counts them from 1. Faults mean what they do for a GET. nil goes back to none.
func (p *Peer) OnResumeRequest(f func(n int) Fault) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	p.rules.onPost = f
}

func (r *rules) postFault() Fault {
	r.mu.Lock()
	r.posts++
	f, n := r.onPost, r.posts
	r.mu.Unlock()
	if f == nil {
		return Fault{}
	}
	return f(n)
}

// CORSResuming is CORS2025 with what a page of another origin needs to resume
// and to leave: Last-Event-ID and DELETE. With CORS2025 itself a browser lets
// requests/resume pass, but only without the cursor.
func CORSResuming() CORS {
	c := CORS2025()
	c.Methods = append(c.Methods, "DELETE")
	c.Allow = append(c.Allow, "Last-Event-ID")
	return c
}
