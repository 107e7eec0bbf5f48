package mcp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// errand is a call as its app means it, over all pages, and what is known of it
// without asking the client: what was run, stored, said to whom.
type errand struct {
	number    int
	flags     journal.Flags
	total     int // progress events that a run of it gives
	questions int // that a run of it asks
	ids       bool
	polling   bool // the server closes after each event
	inline    bool // it is answered in JSON
	retry     string

	runs []*run
	// How often an app was told that it is run again.
	restarts int
	asks     map[string]*question
	record   uint64 // its number in the store; 0 before it has one
	at       map[uint32]spot
	ended    *engine.Effect // its outcome, once that is stored
	done     uint32         // its app was told that it is stored that it is done up to here
	gone     bool           // acknowledged, evicted or cleared: nobody need know it any more

	cancelled bool
	ahead     bool // that it leaves was stored before it did
	volatile  bool // a page was told that it is kept in memory alone
	unsealed  bool // a row of it was stored without its secrets
	unsure    bool // the client may truly not know what became of it
	lost      bool // its session was forgotten
	refused   bool // the server said 503
	left      bool // a request of it has left, and the server has not said that it did not run

	leftBefore bool // the same, before the request that is under way
	never      bool // the app was told that nobody sends it
	told       bool // a page was handed its outcome before that was stored

	page *sight // what the page of now knows of it; nil for nothing
}

// spot is a progress event: the n-th of a run.
type spot struct{ run, n int }

// sight is a call as one page sees it.
type sight struct {
	c        engine.CallID
	position uint32
	last     spot
	settled  *engine.Effect
	memory   bool // the page was told that it is kept in memory alone
	never    bool // it was made while there was no store
	acked    bool
	asked    map[string]bool
	x        engine.ExchangeID // that carries it
}

// life is one client over many pages, its store and its server.
type life struct {
	coretest.MCP
	t   testing.TB
	rng *rand.Rand
	backend
	errands []*errand
	shelf   shelf
	bodies  map[string]string // of requests, by JSON-RPC id, over all pages

	// Of the page of now:
	byCall    map[engine.CallID]*errand
	waiting   []engine.ExchangeID // the server has not looked at them yet
	wires     []*wire
	prompts   []prompt // questions that nobody has answered
	acks      []ack
	memory    bool // the store has failed
	forgotten bool // for good: what it held was deleted
	dead      bool // the client could not connect

	alone                       bool // the page knows of no other tab: it writes later what nobody needs yet
	scarce                      bool // calls wait for connections
	kind                        bool // no more harm is done
	pages, cuts, landed, failed int
}

// prompt is a question as the page has it.
type prompt struct {
	handle uint32
	q      *question
}

// ack is what the app has said of a call in this page; its place is its ticket.
type ack struct {
	*errand
	position uint32
}

func newLife(t testing.TB, seed uint64) *life {
	cfg := mcp.Config{Seed: seed, Journal: true, NoListen: true, Handles: []string{"elicitation/create"},
		Wall: 1_790_000_000_000}
	l := &life{MCP: coretest.NewMCP(t, cfg), t: t, rng: rand.New(rand.NewPCG(seed, 2)),
		bodies: map[string]string{}}
	l.session = 1
	l.blank()
	return l
}

// blank forgets what a page knew.
func (l *life) blank() {
	l.byCall = map[engine.CallID]*errand{}
	l.waiting, l.wires, l.prompts, l.acks, l.memory, l.forgotten, l.dead = nil, nil, nil, nil, false, false,
		false
	for _, r := range l.runs {
		r.wire = nil
	}
	for _, e := range l.errands {
		e.page = nil
	}
	l.pages++
}

func (l *life) fatal(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf(format+"\n%s", append(args, l.Log())...)
}

// Every input is followed by an audit of its effects.

func (l *life) Start() {
	l.t.Helper()
	l.World.Start()
	l.audit()
	if l.alone {
		l.input("alone", func(c *mcp.Client, now engine.Time) { c.Alone(now, true) })
	}
	if l.scarce {
		l.input("scarce", func(c *mcp.Client, now engine.Time) { c.Scarce(now, true) })
	}
}
func (l *life) Head(x engine.ExchangeID, status int, fields ...string) {
	l.t.Helper()
	l.World.Head(x, status, fields...)
	l.audit()
}
func (l *life) Chunk(x engine.ExchangeID, text string) {
	l.t.Helper()
	l.World.Chunk(x, text)
	l.audit()
}
func (l *life) End(x engine.ExchangeID, how engine.Ending) {
	l.t.Helper()
	l.World.End(x, how)
	l.audit()
}
func (l *life) Advance(ms int64) { l.t.Helper(); l.World.Advance(ms); l.audit() }
func (l *life) input(line string, do func(c *mcp.Client, now engine.Time)) {
	l.t.Helper()
	l.World.Input(line, do)
	l.audit()
}

// call makes a call of the app's.
func (l *life) call(e *errand) {
	l.t.Helper()
	e.number, e.asks, e.at = len(l.errands), map[string]*question{}, map[uint32]spot{}
	e.page = &sight{asked: map[string]bool{}, memory: l.memory, never: l.memory}
	l.errands = append(l.errands, e)
	key := ""
	if e.number%2 == 0 {
		key = fmt.Sprintf("key-%d", e.number)
	}
	c, _ := l.MCP.Call("tools/call", fmt.Sprintf(`{"name":"%d"}`, e.number),
		mcp.CallOptions{Durable: true, Key: key, Flags: e.flags})
	e.page.c = c
	l.byCall[c] = e
	l.audit()
}

// stored ends the commit under way.
func (l *life) stored(result journal.Result, why durable.Reason) {
	l.t.Helper()
	if result == journal.ResultOK || result == journal.ResultUnsealed {
		l.land(result == journal.ResultOK)
		l.landed++
	} else {
		l.failed++
	}
	l.shelf.flying = nil
	l.World.Stored(result, why)
	l.audit()
	for _, e := range l.errands {
		r := l.shelf.calls[e.record]
		e.ahead = e.ahead || r != nil && r.Sent && !e.left
	}
}

// reload replaces the page. A request that was under way has arrived at the
// server, or has not.
func (l *life) reload() {
	l.t.Helper()
	for _, x := range l.waiting {
		if e := l.Exchange(x); !e.Over && l.rng.IntN(2) == 0 {
			l.arrive(e.Request)
		}
	}
	if l.rng.IntN(2) == 0 { // else it crashes
		l.input("hide", (*mcp.Client).Hide)
		for _, a := range l.acks {
			if r := l.shelf.calls[a.record]; r != nil && !a.gone && !a.volatile {
				a.done = max(a.done, min(a.position, r.Position))
			}
		}
	}
	for _, e := range l.errands {
		if r := l.shelf.calls[e.record]; r != nil && r.Sent && len(r.Cursor) == 0 {
			e.unsure = true
		}
		if l.shelf.server != l.sessionName() {
			e.unsure, e.lost = true, true
		}
	}
	l.blank()
	l.shelf.flying = nil
	l.World.Reload()
	l.audit()
	for id, r := range l.shelf.calls {
		e := l.errands[r.errand]
		if done := min(e.done, r.Position); r.Acked < done {
			l.fatal("the app is done with call %d up to %d, and the next page hears %d", e.number, done,
				r.Acked)
		}
		if e.page == nil {
			l.fatal("call %d is stored and the new page is not told of it", id)
		}
		if r.Outcome != 0 && e.page.settled == nil {
			l.fatal("the outcome of call %d is stored and the new page does not get it", id)
		}
		if e.page.position != r.Position {
			l.fatal("the new page is told of call %d up to position %d, and %d are stored", id,
				e.page.position, r.Position)
		}
	}
}

// arrive lets the server take a request whose page is gone.
func (l *life) arrive(r *engine.Request) {
	if session(r) != l.sessionName() {
		return
	}
	if e, id := l.toolCall(r); e != nil {
		l.run(e, id)
	} else if q := l.questionOf(string(r.Body)); q != nil {
		q.takes()
	}
}

// run lets the server run a tool, once unless it was said to be harmless.
func (l *life) run(e *errand, id string) *run {
	l.t.Helper()
	if len(e.runs) > 0 && !e.flags.Repeatable() {
		l.fatal("call %d runs twice", e.number)
	}
	for _, r := range e.runs {
		// What changes nothing leaves before it is noted that it does.
		if r.request == id && !e.flags.Harmless() && !e.volatile {
			l.fatal("call %d runs again under the id %s of an earlier run", e.number, id)
		}
	}
	return l.start(e, id)
}

// toolCall returns the errand that a POST is for, nil for none, and its id.
func (l *life) toolCall(r *engine.Request) (*errand, string) {
	if r.Method != "POST" || !strings.Contains(string(r.Body), `"method":"tools/call"`) {
		return nil, ""
	}
	_, after, _ := strings.Cut(string(r.Body), `"name":"`)
	var n int
	fmt.Sscanf(after, "%d", &n)
	return l.errands[n], coretest.RequestID(r)
}

// questionOf returns the question that a message asks or answers, nil for none.
func (l *life) questionOf(message string) *question {
	_, after, ok := strings.Cut(message, `"id":"q`)
	if !ok {
		return nil
	}
	var n, k int
	fmt.Sscanf(after, "%d.%d", &n, &k)
	return l.runs[n].asks[fmt.Sprintf("q%d.%d", n, k)]
}

func session(r *engine.Request) string { return header(r, "Mcp-Session-Id") }

func header(r *engine.Request, name string) string {
	for _, f := range r.Header {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}
