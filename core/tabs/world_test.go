package tabs_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// world is a browser with several tabs of one server and user: real clients, each with
// its real Machine, over one store, one channel and one server. What is under way lies in
// queues, and the test says what comes next.
type world struct {
	t   testing.TB
	rng *rand.Rand
	// calls wait for connections
	scarce bool
	now    engine.Time
	store  store
	tabs   []*tab
	lines  []string
	runs   map[string]int // how often the server was asked to do a job, by its name
	said   map[string]int // how much of its answer it has said: 0, 1 (progress), 2 (the result)
	ids    map[string]string
	job    map[string]string // the job of a request id
}

// tab is one page.
type tab struct {
	w       *world
	name    string
	client  *mcp.Client
	m       *tabs.Machine
	dead    bool // its lock is free
	frozen  bool // it hears, and does nothing
	cached  bool // it is in the back/forward cache: frozen, and hears nothing; its lock is free
	inbox   []message
	store   []func() // transactions that it has asked for, in their order
	reports []func() // what the store has answered and the page has not taken yet
	gone    []string // tabs whose end the browser is about to report to it
	watched map[string]bool
	streams map[engine.ExchangeID]*stream
	calls   map[string]engine.CallID // of its app, by the name of the job
	names   map[engine.CallID]string
	ended   map[engine.CallID]string // how they have ended
}

// stream is a response that the server still writes.
type stream struct {
	job    string
	sent   int
	wanted bool // the client asks for the next chunk
}

// message is what one tab tells the others.
type message struct {
	kind tabs.Kind // of the effect; 0 for no more than that the sender is there
	from string
	to   string // of an answer
	e    tabs.Effect
	word string // "released", "frozen" and "hello" are no effects
}

func newWorld(t testing.TB, seed uint64, scarce bool) *world {
	w := &world{
		t: t, scarce: scarce, rng: rand.New(rand.NewPCG(seed, 14)), now: 1_000_000, store: store{ended: map[uint64]journal.OpFlags{}},
		runs: map[string]int{}, said: map[string]int{}, ids: map[string]string{}, job: map[string]string{},
	}
	first := w.open()
	w.settle(first) // it makes the session that all share
	return w
}

func (w *world) note(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *world) named(name string) *tab {
	for _, p := range w.tabs {
		if p.name == name {
			return p
		}
	}
	return nil
}

// living returns the tabs that have their lock and are not frozen.
func (w *world) living() (list []*tab) {
	for _, p := range w.tabs {
		if !p.dead && !p.frozen {
			list = append(list, p)
		}
	}
	return list
}

// open opens a tab: it reads the store, and takes over what is nobody's.
func (w *world) open() *tab {
	p := &tab{
		w: w, name: fmt.Sprintf("t%d", len(w.tabs)), watched: map[string]bool{}, streams: map[engine.ExchangeID]*stream{},
		calls: map[string]engine.CallID{}, names: map[engine.CallID]string{}, ended: map[engine.CallID]string{},
	}
	w.note("> open %s", p.name)
	ops := w.store.load(p.name, func(owner string) bool { o := w.named(owner); return o != nil && !o.dead && !o.cached })
	p.client = mcp.New(mcp.Config{
		URL: "https://server.test/mcp", ClientInfo: []byte(`{"name":"tabs","version":"1"}`), Revision: "2025-11-25",
		Journal: true, Tabs: true, NoListen: true, Epoch: w.store.loads, Seed: 1, Scarce: w.scarce,
	})
	p.m = tabs.New(tabs.Config{Tab: p.name, Seed: w.rng.Uint64()}, p.client)
	for _, other := range w.tabs {
		if !other.dead && !other.cached {
			p.m.Living(w.now, other.name)
		}
	}
	w.tabs = append(w.tabs, p)
	p.tell(message{word: "hello", from: p.name})
	p.m.Load(w.now, ops)
	p.client.Restore(w.now, ops)
	p.drain()
	p.client.Start(w.now)
	p.drain()
	p.m.Start(w.now)
	p.drain()
	return p
}

// tell puts a message into the inbox of every other tab.
func (p *tab) tell(m message) {
	for _, other := range p.w.tabs {
		if other != p && !other.dead && !other.cached {
			other.inbox = append(other.inbox, m)
		}
	}
}

// drain carries out what the client and the machine ask for.
func (p *tab) drain() {
	for {
		e, ok := p.client.Next()
		if !ok {
			break
		}
		p.carryOut(e)
	}
	for {
		e := p.m.Next()
		if e == nil {
			break
		}
		p.carryOutTabs(*e)
	}
	if p.m.IllegalTransitions() > 0 {
		p.w.t.Errorf("%s: a state was entered that may not follow the one before", p.name)
	}
	for _, other := range p.w.tabs {
		for _, c := range p.w.store.calls {
			mine, is := p.m.Epoch(c.head.Call)
			theirs, too := other.m.Epoch(c.head.Call)
			if is && too && other != p && mine == theirs && !other.dead {
				p.w.t.Errorf("%s and %s both carry %d under epoch %d", p.name, other.name, c.head.Call, mine)
			}
		}
	}
}

func (p *tab) carryOutTabs(e tabs.Effect) {
	w := p.w
	if e.Kind != tabs.Ping {
		w.note("  %s: effect %d call %d epoch %d n %d %s", p.name, e.Kind, e.Call, e.Epoch, e.N, e.Tab)
	}
	answer := func(ops []byte) {
		p.reports = append(p.reports, func() { p.m.Answer(w.now, e.Ticket, ops) })
	}
	switch e.Kind {
	case tabs.Read:
		p.store = append(p.store, func() {
			if w.rng.IntN(50) == 0 {
				answer(nil) // it failed
				return
			}
			answer(w.store.read(e.Call, p.name))
		})
	case tabs.TakeOver:
		p.store = append(p.store, func() {
			if w.rng.IntN(50) == 0 {
				answer(nil)
				return
			}
			answer(w.store.take(e.Call, e.Epoch, p.name))
		})
	case tabs.Release:
		p.store = append(p.store, func() {
			if c := w.store.find(e.Call); c != nil && c.owner == p.name {
				c.owner = ""
			}
			p.tell(message{word: "released", from: p.name, e: e})
		})
	case tabs.Watch:
		p.watched[e.Tab] = true
		if o := w.named(e.Tab); o == nil || o.dead || o.cached {
			p.gone = append(p.gone, e.Tab)
		}
	case tabs.Ping:
		p.tell(message{kind: tabs.Ping, from: p.name, e: e})
	case tabs.Broadcast, tabs.BroadcastSession, tabs.BroadcastTaken, tabs.Ask, tabs.Tell:
		p.tell(message{kind: e.Kind, from: p.name, e: e})
	}
}

func (p *tab) carryOut(e engine.Effect) {
	w := p.w
	w.note("  %s: %s", p.name, coretest.Describe(e))
	switch e.Kind {
	case engine.Store:
		unawaited := p.m.Committing(w.now, e.Ticket, e.Data)
		data := bytes.Clone(e.Data)
		if unawaited && e.Ticket != 0 {
			p.m.Stored(w.now, e.Ticket, journal.ResultOK, 0)
		}
		p.store = append(p.store, func() {
			fenced := w.store.commit(data, e.Strict, p.name)
			p.reports = append(p.reports, func() {
				if len(fenced) > 0 {
					p.m.Fenced(w.now, e.Ticket, fenced)
				}
				if unawaited {
					p.m.Landed(w.now, e.Ticket, true)
				} else {
					p.m.Stored(w.now, e.Ticket, journal.ResultOK, 0)
				}
			})
		})
	case engine.Fetch:
		p.fetch(e)
	case engine.Read:
		if s := p.streams[e.X]; s != nil {
			s.wanted = true
		}
	case engine.Abort:
		delete(p.streams, e.X)
	case engine.Handshake:
		p.store = append(p.store, func() {
			server := w.store.server
			p.reports = append(p.reports, func() {
				if server != nil {
					p.client.Restore(w.now, journal.AppendOp(nil, *server))
				} else {
					p.client.Handshake(w.now)
				}
			})
		})
	case engine.Recall:
		if name := nameIn(string(e.Data)); name != "" {
			p.calls[name], p.names[e.C] = e.C, name
		}
	case engine.Deliver:
		if e.Event == engine.EventQuarantined {
			w.t.Errorf("%s: a record cannot be read", p.name)
		}
	case engine.Settle:
		end := "result"
		if e.Failure != nil {
			end = string(e.Failure.Code)
		}
		if was, twice := p.ended[e.C]; twice && was != end { // a page takes the first
			w.t.Errorf("%s: the call %s ends in two ways: %s, %s", p.name, p.names[e.C], was, end)
		}
		p.ended[e.C] = end
		if w.rng.IntN(2) == 0 && !strings.HasPrefix(p.names[e.C], "k") { // whose key would be free
			p.reports = append(p.reports, func() { p.client.Handed(w.now, e.C) })
		}
	}
}

// call makes a call of the tab's app for a job, with its name for a key or without.
func (p *tab) call(name string, keyed bool, flags journal.Flags) {
	o := mcp.CallOptions{Durable: true, Flags: flags}
	if keyed {
		o.Key = "key" + name
	}
	p.w.note("> %s: call %s", p.name, name)
	id := p.client.Call(p.w.now, "tools/call", []byte(`{"name":"job`+name+`"}`), o)
	p.calls[name], p.names[id] = id, name
	p.drain()
}

// hear takes the oldest message.
func (p *tab) hear() {
	m := p.inbox[0]
	p.inbox = p.inbox[1:]
	now := p.w.now
	if m.kind != 0 && m.kind != tabs.Ping || m.word != "" {
		p.w.note("> %s: hears of %s: %d %s call %d epoch %d", p.name, m.from, m.kind, m.word, m.e.Call, m.e.Epoch)
	}
	switch {
	case m.kind == tabs.Broadcast:
		p.m.HearStored(now, m.from, bytes.Clone(m.e.Ops))
	case m.kind == tabs.BroadcastTaken:
		p.m.HearTaken(now, m.from, journal.Op{Kind: journal.OpCall, Call: m.e.Call, Epoch: m.e.Epoch, N: m.e.N}, bytes.Clone(m.e.Ops))
	case m.kind == tabs.Ask:
		p.m.Report(now, &tabs.Input{Kind: tabs.HearAsked, Tab: m.from, Ops: journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Call: m.e.Call})})
	case m.kind == tabs.Tell:
		p.m.Report(now, &tabs.Input{Kind: tabs.HearTold, Tab: m.from, Ops: bytes.Clone(m.e.Ops)})
	case m.word == "released":
		p.m.HearReleased(now, m.from, m.e.Call)
	case m.word == "frozen":
		p.m.HearFrozen(now, m.from)
	default:
		p.m.Hear(now, m.from, m.word == "hello" || m.to == p.name)
		if m.word == "hello" || m.kind == tabs.Ping && m.e.Tab == p.name {
			p.tell(message{from: p.name, to: m.from})
		}
		if m.kind == tabs.BroadcastSession && p.w.store.server != nil {
			p.client.Restore(now, journal.AppendOp(nil, *p.w.store.server))
		}
	}
	p.drain()
}

// land carries out the tab's oldest transaction.
func (p *tab) land() {
	do := p.store[0]
	p.store = p.store[1:]
	p.w.note("> %s: a transaction", p.name)
	do()
}

// report has the page take the oldest answer.
func (p *tab) report() {
	do := p.reports[0]
	p.reports = p.reports[1:]
	p.w.note("> %s: a report", p.name)
	do()
	p.drain()
}

// freeze freezes the page: with a word to the others, or hung without one.
func (p *tab) freeze(word bool) {
	p.w.note("> %s: freezes %v", p.name, word)
	if word {
		p.tell(message{word: "frozen", from: p.name})
		p.m.Rest()
	}
	p.frozen = true
	for x := range p.streams { // its network is gone with it, in time
		p.streams[x].wanted = false
	}
}

// thaw lets it go on: what was said meanwhile is heard first.
func (p *tab) thaw() {
	p.w.note("> %s: thaws", p.name)
	p.frozen = false
	for len(p.inbox) > 0 {
		p.hear()
	}
	p.m.Wake(p.w.now)
	p.drain()
	if len(p.streams) > 0 {
		p.cut(slices.Min(slices.Collect(maps.Keys(p.streams))))
	}
}

// cut ends a connection.
func (p *tab) cut(x engine.ExchangeID) {
	p.w.note("> %s: x%d is cut", p.name, x)
	delete(p.streams, x)
	p.client.End(p.w.now, x, engine.EndNetwork, "cut")
	p.drain()
}

// die ends the page: its lock is free, and what it had not begun to store is lost.
func (p *tab) die() {
	p.w.note("> %s: dies", p.name)
	for len(p.store) > 0 && p.w.rng.IntN(2) == 0 {
		p.land()
	}
	p.dead, p.store, p.reports, p.inbox, p.streams = true, nil, nil, nil, nil
	p.free()
}

// free gives the page's lock back: those that wait for it hear of that.
func (p *tab) free() {
	for _, other := range p.w.tabs {
		if other.watched[p.name] {
			other.gone = append(other.gone, p.name)
		}
	}
}

// advance moves the time on for all. No commit takes 3 s, after which a client works in
// memory: that is another story (fault 62).
func (w *world) advance(ms int64) {
	for _, p := range w.living() {
		for len(p.store)+len(p.reports) > 0 {
			p.step(1)
			p.step(2)
		}
	}
	w.now = w.now.After(ms)
	for _, p := range w.living() {
		if at, ok := p.m.Deadline(); ok && at <= w.now {
			p.m.Advance(w.now)
		}
		if at, ok := p.client.Deadline(); ok && at <= w.now {
			p.client.Advance(w.now)
		}
		p.drain()
	}
}

// step does one thing that is due in a tab; false where nothing is.
func (p *tab) step(n int) bool {
	switch {
	case n == 0 && len(p.inbox) > 0:
		p.hear()
	case n == 1 && len(p.store) > 0:
		p.land()
	case n == 2 && len(p.reports) > 0:
		p.report()
	case n == 3 && len(p.gone) > 0:
		name := p.gone[0]
		p.gone = p.gone[1:]
		p.w.note("> %s: %s is gone", p.name, name)
		p.m.Gone(p.w.now, name)
		p.drain()
	case n == 4:
		for x := engine.ExchangeID(1); x < 1000; x++ {
			if s := p.streams[x]; s != nil && s.wanted && s.job != "" && s.sent < 2 {
				p.serve(x)
				return true
			}
		}
		return false
	default:
		return false
	}
	return true
}

// connect gives connections to some of the app's calls.
func (p *tab) connect(most int) {
	for _, name := range slices.Sorted(maps.Keys(p.calls)) {
		if p.ended[p.calls[name]] == "" && most > 0 {
			p.client.Hold(p.w.now, p.calls[name], false)
			p.drain()
			most--
		}
	}
}

// settle does all that is due in a tab.
func (w *world) settle(p *tab) {
	if w.scarce {
		p.connect(len(p.calls))
	}
	for busy := true; busy; {
		busy = false
		for n := range 5 {
			busy = p.step(n) || busy
		}
	}
}
