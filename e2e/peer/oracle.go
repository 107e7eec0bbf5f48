//go:build !js

package peer

import (
	"net/http"
	"slices"
	"sync"
)

// An Oracle knows what really happened to every tools/call, whatever its client
// was told and however many pages, tabs and browsers came and went meanwhile.
// Calls go by their label: the argument "call", or the name of the tool. A call
// that is run again adds to its label, so that no repetition can hide.
//
// What it says changes with the Peer: Await waits for it.
type Oracle struct {
	p   *Peer
	mu  sync.Mutex
	all []*execution
	by  map[place]*execution // the newest of a session and request id
	ask map[place]*execution // by the server's own request ids
}

// A place is a JSON-RPC id within a session.
type place struct {
	session *session
	id      string
}

// An execution is one run of a tool. Everything but the first group is guarded
// by the oracle.
type execution struct {
	o                        *Oracle
	label, tool, session, id string
	run                      int

	stream    *stream
	produced  []int
	heard     []Seen
	issued    []*Issued
	resumes   []Resume
	statuses  []Status
	questions []*Question
	over      string
	task      *task
	polls     []Poll
	meter
}

// Oracle returns the Peer's memory of calls.
func (p *Peer) Oracle() *Oracle { return &p.oracle }

// start notes that a tool runs, and completes what its script gets to know.
func (o *Oracle) start(s *session, m envelope, c *Call) {
	c.Label = text(c.Arguments, "call")
	if c.Label == "" {
		c.Label = c.Name
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c.Run = 1
	for _, e := range o.all {
		if e.label == c.Label {
			c.Run++
		}
	}
	e := &execution{o: o, label: c.Label, tool: c.Name, session: s.id, id: m.id, run: c.Run}
	if o.by == nil {
		o.by, o.ask = make(map[place]*execution), make(map[place]*execution)
	}
	o.all, o.by[place{s, m.id}] = append(o.all, e), e
}

// find returns the run of a request; nil if it is none.
func (o *Oracle) find(s *session, id string) *execution {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.by[place{s, id}]
}

// gather concatenates what each run of a label has.
func gather[T any](o *Oracle, label string, of func(*execution) []T) []T {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []T
	for _, e := range o.all {
		if e.label == label {
			all = append(all, of(e)...)
		}
	}
	return all
}

// Labels lists the labels of all calls, in the order of their first runs.
func (o *Oracle) Labels() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []string
	for _, e := range o.all {
		if !slices.Contains(all, e.label) {
			all = append(all, e.label)
		}
	}
	return all
}

// Runs is how often the tool was started under that label: more than one means
// that somebody ran the call again.
func (o *Oracle) Runs(label string) int {
	return len(gather(o, label, func(e *execution) []int { return []int{e.run} }))
}

// Produced are the sequence numbers that the tool count made, in order; those
// of a second run follow those of the first.
func (o *Oracle) Produced(label string) []int {
	return gather(o, label, func(e *execution) []int { return e.produced })
}

// Over says why the server has given up a resumable call: its policy lapsed, or
// its client cancelled it; "" if neither.
func (o *Oracle) Over(label string) string {
	why := ""
	for _, one := range gather(o, label, func(e *execution) []string { return []string{e.over} }) {
		why = one
	}
	return why
}

// Initializes is the number of initialize requests that came in.
func (o *Oracle) Initializes() int { return len(o.p.Of("initialize")) }

// Sessions are the ids of the sessions that requests came with, in order of
// their first appearance.
func (o *Oracle) Sessions() []string {
	var all []string
	for _, r := range o.p.Requests() {
		if r.Session != "" && !slices.Contains(all, r.Session) {
			all = append(all, r.Session)
		}
	}
	return all
}

// Deletes is how often the session was given up with DELETE; "" counts those of
// all sessions.
func (o *Oracle) Deletes(session string) int {
	n := 0
	for _, r := range o.p.Of(http.MethodDelete) {
		if session == "" || r.Session == session {
			n++
		}
	}
	return n
}
