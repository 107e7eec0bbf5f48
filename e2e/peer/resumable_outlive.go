//go:build !js

package peer

import "context"

// lifeOf is what ends the script of a request: its session, or the server alone.
func (p *Peer) lifeOf(s *session, m envelope) context.Context {
	if m.method != "tools/call" {
		return s.ctx
	}
	if policy := p.policyFor(s, m.params); policy != nil && policy.Outlives {
		return p.ctx
	}
	return s.ctx
}

// adopt brings a call that has outlived its session into the one in which its
// client has come with id and token; nil where there is none.
func (p *Peer) adopt(s *session, id, token string) *resumption {
	var owner *execution
	var job *run
	p.oracle.mu.Lock()
	for _, e := range p.oracle.all {
		// What has a token has a stream with a policy.
		if e.id != id || !issuedTo(e, token) || !e.stream.resumption.policy.Outlives {
			continue
		}
		if job = e.stream.resumption.job; job.session != s && job.session.ctx.Err() != nil {
			owner = e
			p.oracle.by[place{s, id}] = e
			break
		}
	}
	p.oracle.mu.Unlock()
	if owner == nil {
		return nil
	}
	res := owner.stream.resumption
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resumptions[id], s.calls[id], s.used[id] = res, job, true
	s.streams = append(s.streams, owner.stream)
	return res
}

// issuedTo reports whether a token is one of the call's. The oracle is locked.
func issuedTo(e *execution, token string) bool {
	for _, i := range e.issued {
		if i.Token == token {
			return true
		}
	}
	return false
}
