//go:build !js

package peer

import (
	"bytes"
	"net/http"
	"sync"
)

// A Fault is what goes wrong on one resumed GET. The zero value is none.
type Fault struct {
	// Answer replaces the stream altogether: 404, 405, 409, 500, 503 with
	// Retry-After, ...
	Answer *Response
	// NoAnswer closes the connection (as Cut says, FIN if None) before any
	// byte of an answer.
	NoAnswer bool
	// Cut ends the connection after the first After events, replayed or live;
	// After 0 means right behind the headers, before any id.
	Cut   Cutting
	After int
	// Repeat replays that many events from before the cursor again.
	Repeat int
	// FromStart replays the whole stream, whatever the cursor.
	FromStart bool
	// Skip leaves that many events after the cursor out: a hole.
	Skip int
	// Foreign sends an event of another stream first.
	Foreign bool
	// Other sends the events of another stream of the session, ids and response
	// included, in place of those of this one, and ends properly.
	Other bool
	// NoIDs sends events without their ids.
	NoIDs bool
	// Gate holds the answer back until the gate lets it through.
	Gate string
}

// rules are what tests changed about the Peer's behaviour.
type rules struct {
	mu       sync.Mutex
	resumes  int
	onResume func(n int) Fault
	posts    int
	onPost   func(n int) Fault
	replies  []Cutting
	refuse   func(token string) bool
	delay    map[string]delay
	answer   map[string]*override
	form     map[string]Form
	scripts  map[string]func(Call) Script
}

// A delay is the gate at which requests stop, those whose body has a text.
type delay struct{ gate, text string }

// OnResume asks f about every GET with a usable Last-Event-ID; n counts them
// from 1, over all streams and since the Peer was made. nil goes back to none.
func (p *Peer) OnResume(f func(n int) Fault) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	p.rules.onResume = f
}

func (r *rules) fault() Fault {
	r.mu.Lock()
	r.resumes++
	f, n := r.onResume, r.resumes
	r.mu.Unlock()
	if f == nil {
		return Fault{}
	}
	return f(n)
}

// Unauthorized asks refuse about the bearer token of every request ("" if none
// came, preflights excepted); true answers 401 with a WWW-Authenticate
// challenge. nil goes back to no authorization.
func (p *Peer) Unauthorized(refuse func(token string) bool) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	p.rules.refuse = refuse
}

// Delay stops every request of one kind at a gate, after it was logged and
// before anything else is done about it. Kinds are JSON-RPC methods, "GET" (a
// standalone stream), "RESUME" (a GET with Last-Event-ID), "DELETE" and
// "RESPONSE" (a POSTed JSON-RPC response). An empty gate ends the delay.
func (p *Peer) Delay(kind, gate string) { p.DelayWith(kind, "", gate) }

// DelayWith is Delay for those whose body has a text in it.
func (p *Peer) DelayWith(kind, text, gate string) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	if p.rules.delay == nil {
		p.rules.delay = make(map[string]delay)
	}
	p.rules.delay[kind] = delay{gate, text}
}

func (r *rules) gateOf(kind string, body []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.delay[kind]; bytes.Contains(body, []byte(d.text)) {
		return d.gate
	}
	return ""
}

func (p *Peer) refused(w http.ResponseWriter, token string) bool {
	p.rules.mu.Lock()
	refuse := p.rules.refuse
	p.rules.mu.Unlock()
	if refuse == nil || !refuse(token) {
		return false
	}
	w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+p.Origin()+
		`/.well-known/oauth-protected-resource"`)
	fail(w, http.StatusUnauthorized, -32001, "Unauthorized")
	return true
}
