//go:build !js

package acppeer

import (
	"io"
	"net/http"
)

// A Rule changes what becomes of requests over HTTP.
type Rule struct {
	// Kind of request as for [Peer.Of].
	Kind string
	// Session is the Acp-Session-Id that it came with; "" is any.
	Session string
	// Times the rule is used; 0 means always.
	Times int
	// Gate is waited at first.
	Gate string
	// After lets the request have its effect before Status or Cut replace the
	// answer: it was taken, and its client does not know.
	After bool
	// Status and Body are answered instead; 0 goes on as usual.
	Status int
	Body   string
	// Cut ends the TCP connection instead of an answer.
	Cut How

	used int
}

// Rule adds a rule; the first one that fits a request counts.
func (p *Peer) Rule(r Rule) { p.change(func() { p.rules = append(p.rules, &r) }) }

// ruleFor finds the rule of a request; the zero Rule if none fits.
func (p *Peer) ruleFor(r *Request) Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, rule := range p.rules {
		if rule.Kind == r.kind() && (rule.Session == "" || rule.Session == r.Session) &&
			(rule.Times == 0 || rule.used < rule.Times) {
			rule.used++
			return *rule
		}
	}
	return Rule{}
}

// answer replaces the answer, and reports whether it did.
func (r Rule) answer(w http.ResponseWriter, request *http.Request) bool {
	if r.Cut != None {
		end(request, r.Cut)
		return true // a clean end has no answer either: 200 without a body
	}
	if r.Status != 0 {
		w.WriteHeader(r.Status)
		io.WriteString(w, r.Body)
		return true
	}
	return false
}
