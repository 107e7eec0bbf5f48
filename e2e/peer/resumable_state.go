//go:build !js

package peer

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A resumption is the server's side of one resumable request, from its policy
// until its session ends, or beyond it (ResumePolicy.Outlives); also when it has
// lapsed, so that it can say so.
type resumption struct {
	policy ResumePolicy
	job    *run
	owner  *execution

	mu       sync.Mutex // only the oracle and the clock are locked under it
	over     string     // why it cannot be resumed any more; "" if it can
	deadline time.Time  // zero while there is none
	timer    *time.Timer
}

// declare remembers what initialize said about the client: "If a client has the
// resumableRequests capability, a server MAY send a resumePolicy notification".
func (s *session) declare(m envelope) {
	s.mu.Lock()
	s.declared = field(m.params, "capabilities")
	s.resumable = object(field(m.params, "capabilities", "resumableRequests"))
	s.mu.Unlock()
}

// witness lets the oracle see a tools/call, and puts the policy around the
// script of one that is resumable.
func (p *Peer) witness(job *run, script Script) Script {
	s, owner := job.session, p.oracle.find(job.session, job.id)
	job.stream.owner = owner
	owner.note(func() { owner.stream = job.stream })
	found := p.policyFor(s, job.params)
	if found == nil {
		return script
	}
	policy := *found
	s.mu.Lock()
	defer s.mu.Unlock()
	res := &resumption{policy: policy, job: job, owner: owner}
	job.stream.resumption, s.resumptions[job.id] = res, res
	if policy.odd(PolicyLate) {
		return append(slices.Clone(script), res.announce(job.id, None))
	}
	var first Script
	if policy.odd(PolicyForeign) {
		first = append(first, res.announce(`"nobody"`, None))
	}
	if policy.odd(PolicyTwice) {
		first = append(first, res.announce(job.id, None))
	}
	return append(append(first, res.announce(job.id, policy.Close)), script...)
}

// policyFor is the policy of a tool's call in that session; nil where it gets none.
func (p *Peer) policyFor(s *session, params json.RawMessage) *ResumePolicy {
	t := p.tools.find(text(params, "name"))
	if t == nil || t.policy == nil || s.revision < Revision20250618 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.resumable && !t.policy.odd(PolicyUnasked) {
		return nil
	}
	return t.policy
}

func (o ResumePolicy) odd(what Oddity) bool { return slices.Contains(o.Odd, what) }

// announce sends a policy as part of the call's stream, and ends the connection
// that it went out on in the given way: the client may have resumed on another
// one by then.
func (res *resumption) announce(id string, how Cutting) Step {
	return Step{func(r *run) {
		c := r.stream.now.Load()
		r.stream.emit(res.issue(id))
		if how != None && c != nil {
			r.stream.now.CompareAndSwap(c, nil)
			c.cut(how)
		}
	}}
}

// issue makes a policy with a token of its own. Tokens look as if they could not
// be guessed, and are the same in every run of a test.
func (res *resumption) issue(id string) event {
	var issued *Issued
	res.owner.note(func() {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", res.job.stream.name, len(res.owner.issued), id))
		issued = &Issued{Time: time.Now(), Token: fmt.Sprintf("resume-%x", sum[:12]), RequestID: id}
		res.owner.issued = append(res.owner.issued, issued)
	})
	params := []string{`"requestId":` + id, `"resumeToken":` + quote(issued.Token)}
	waits := res.policy.Waits
	if waits == "" {
		if res.policy.MinWait != 0 {
			params = append(params, fmt.Sprintf(`"minWait":%d`, res.policy.MinWait))
		}
		if res.policy.MaxWait != 0 {
			params = append(params, fmt.Sprintf(`"maxWait":%d`, res.policy.MaxWait))
		}
	} else {
		params = append(params, waits)
	}
	text := notification("notifications/requests/resumePolicy", "{"+strings.Join(params, ",")+"}")
	return event{retry: -1, data: text, policy: issued}
}

// valid reports whether a token was issued for the request and not replaced. It
// is replaced once another was written, and not before: a client whose resumed
// stream was cut before its first byte has only the old one (fault 92).
func (res *resumption) valid(token string) bool {
	ok := false
	res.owner.note(func() {
		for _, i := range res.owner.issued {
			switch {
			case i.RequestID != res.job.id:
			case i.Token == token:
				ok = true
			case ok && i.Written && !res.policy.OldTokens:
				ok = false
			}
		}
	})
	return ok
}

// arm starts the time after which a call without its client lapses.
func (res *resumption) arm() {
	wait := res.policy.Lapse
	if wait == 0 {
		wait = time.Duration(res.policy.MaxWait) * time.Second
	}
	if wait == 0 {
		return
	}
	res.mu.Lock()
	defer res.mu.Unlock()
	res.deadline = res.job.p.clock.now().Add(wait)
	if res.timer != nil {
		res.timer.Stop()
	}
	res.timer = time.AfterFunc(wait, res.lapse)
}

// lapse ends the request if its time has come and nobody is connected: "After
// this time has elapsed, the server MAY cancel the request and free all
// associated resources."
func (res *resumption) lapse() {
	var live int
	res.owner.note(func() { live, _ = res.owner.count() })
	res.mu.Lock()
	due := !res.deadline.IsZero() && !res.job.p.clock.now().Before(res.deadline)
	res.mu.Unlock()
	if due && live == 0 {
		res.end("expired: nobody came within maxWait")
	}
}

// end cancels the request; the first reason stays.
func (res *resumption) end(why string) {
	res.mu.Lock()
	if res.over == "" {
		res.over = why
		res.owner.note(func() { res.owner.over = why })
	}
	if res.timer != nil {
		res.timer.Stop()
	}
	res.mu.Unlock()
	res.job.stop()
	res.job.p.changed.signal()
}

func (res *resumption) ended() string {
	res.mu.Lock()
	defer res.mu.Unlock()
	return res.over
}

// stale reports whether a stored event must not go out again: a policy whose
// token was replaced, and to whoever resumes by token any policy at all. The
// stream is locked.
func (st *stream) stale(c *carrier, e event) bool {
	return e.policy != nil && st.resumption != nil && (c.posted || !st.resumption.valid(e.policy.Token))
}

// forgot reports whether the store cannot be resumed from that index on.
func (st *stream) forgot(from int) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return from < st.deleted || st.resumption != nil && st.resumption.ended() != ""
}
