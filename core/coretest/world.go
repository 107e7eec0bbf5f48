package coretest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Client is a state machine as a World drives it: MCP's and ACP's are.
type Client interface {
	engine.Machine
	Start(now engine.Time)
	Restore(now engine.Time, ops []byte)
	Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason)
	StoreGone(now engine.Time, why durable.Reason)
	Online(now engine.Time)
	Offline(now engine.Time)
	Woke(now engine.Time, gap int64)
	Visited(now engine.Time)
	Token(now engine.Time, value string, failure *engine.Error)
	Respond(now engine.Time, handle uint32, ok bool, data []byte)
	Close(now engine.Time)
	AppendCounters(b []byte) []byte
	After(ticket uint32) []string
	IllegalTransitions() uint32
}

// Page is what differs between the pages that make a client with the same options.
type Page struct {
	// Epoch goes into every request id.
	Epoch uint32
	// Wall is what a wall clock shows at Time 0, in ms since 1970; Sound the time up
	// to which it is believed.
	Wall, Sound int64
}

// World is one client under a virtual clock. Time moves only by Advance; every chunk
// is overwritten after the input that it was lent for, so that a payload kept without
// a copy shows; and the client is held to its contract with a host (contract).
type World[M Client] struct {
	t      testing.TB
	Client M
	Now    engine.Time
	// Effects holds what the last input emitted, in order, payloads copied.
	Effects []engine.Effect
	// Trace holds a line for each input and effect since the beginning.
	Trace []string

	// Store is what the client's commits are written to; nil for none.
	Store *Store

	after    map[uint32]string // by the ticket of a commit, what goes on once it is stored
	page     Page
	make     func(Page) M
	contract contract
}

// newWorld returns a World whose client has not been started. make makes the client of
// the first page and, after a reload or in another tab, those of others.
func newWorld[M Client](t testing.TB, page Page, journaled bool, make func(Page) M) *World[M] {
	if page.Epoch == 0 {
		page.Epoch = 1
	}
	w := &World[M]{t: t, Client: make(page), Now: 1_000_000, page: page, make: make}
	if journaled {
		w.Store = &Store{}
	}
	return w
}

// another returns the World of another tab, over the same store.
func (w *World[M]) another(epochs uint32) *World[M] {
	page := w.page
	page.Epoch += epochs
	return &World[M]{t: w.t, Client: w.make(page), Now: w.Now, Store: w.Store, page: page, make: w.make}
}

// input runs one input and collects its effects.
func (w *World[M]) input(line string, do func()) []engine.Effect {
	w.Trace = append(w.Trace, "> "+line)
	w.Effects = nil
	do()
	w.collect()
	return w.Effects
}

func (w *World[M]) collect() {
	for {
		e, ok := w.Client.Next()
		if !ok {
			break
		}
		e.Data = append([]byte(nil), e.Data...)
		for one := range engine.Unpacked(e) {
			w.take(one)
		}
	}
	if w.Client.IllegalTransitions() > 0 {
		w.t.Fatalf("a state was entered that may not follow the one before (docs/states.md)\n%s", w.Log())
	}
}

func (w *World[M]) take(e engine.Effect) {
	w.Effects = append(w.Effects, e)
	if e.Kind == engine.Store {
		w.noteAfter(e.Ticket)
	}
	w.Trace = append(w.Trace, "  "+w.describe(e))
	if broken := w.contract.effect(e); broken != "" {
		w.t.Fatalf("%s\n%s", broken, w.Log())
	}
	if e.Kind == engine.Store {
		w.Store.Begin(e)
	}
}

// noteAfter notes what goes on once a commit is stored.
func (w *World[M]) noteAfter(ticket uint32) {
	if w.after == nil {
		w.after = map[uint32]string{}
	}
	w.after[ticket] = strings.Join(w.Client.After(ticket), ", ")
}

// describe is Describe, and for a commit what goes on once it is stored.
func (w *World[M]) describe(e engine.Effect) string {
	if next := w.after[e.Ticket]; e.Kind == engine.Store && next != "" {
		return Describe(e) + "; then " + next
	}
	return Describe(e)
}

// Start connects.
func (w *World[M]) Start() []engine.Effect {
	return w.input("start", func() { w.Client.Start(w.Now) })
}

// Head reports a response head; fields are names and values in turn.
func (w *World[M]) Head(x engine.ExchangeID, status int, fields ...string) []engine.Effect {
	head := engine.Head{Status: status}
	for i := 0; i+1 < len(fields); i += 2 {
		head.Header = append(head.Header, engine.Field{Name: fields[i], Value: fields[i+1]})
	}
	w.contract.head(x)
	return w.input(fmt.Sprintf("head x%d %d %s", x, status, strings.Join(fields, " ")),
		func() { w.Client.Head(w.Now, x, head) })
}

// Chunk reports bytes of a body and then spoils the buffer they were in.
func (w *World[M]) Chunk(x engine.ExchangeID, text string) []engine.Effect {
	p := []byte(text)
	w.contract.chunk(x)
	return w.input(fmt.Sprintf("chunk x%d %s", x, quoted(text)), func() {
		w.Client.Chunk(w.Now, x, p)
		w.collect()
		for i := range p {
			p[i] = 0xdd
		}
	})
}

// End reports the end of an exchange.
func (w *World[M]) End(x engine.ExchangeID, how engine.Ending) []engine.Effect {
	w.contract.end(x)
	return w.input(fmt.Sprintf("end x%d %s", x, endings[how]), func() { w.Client.End(w.Now, x, how, "") })
}

// Fails reports that exchange x had no answer, in the words of Chromium's fetch.
func (w *World[M]) Fails(x engine.ExchangeID) []engine.Effect {
	w.contract.end(x)
	return w.input(fmt.Sprintf("fails x%d", x),
		func() { w.Client.End(w.Now, x, engine.EndNetwork, "Failed to fetch") })
}

// Input runs any other input.
func (w *World[M]) Input(line string, do func(c M, now engine.Time)) []engine.Effect {
	return w.input(line, func() { do(w.Client, w.Now) })
}

// Advance moves the clock on by ms, stopping at every deadline on the way, and
// returns the effects of all of them. A deadline that Advance does not clear
// ends the test: a driver would spin on it.
func (w *World[M]) Advance(ms int64) []engine.Effect {
	var all []engine.Effect
	until := w.Now.After(ms)
	for stuck := 0; ; {
		at, ok := w.Client.Deadline()
		if !ok || at > until {
			break
		}
		if at <= w.Now {
			if stuck++; stuck > 3 {
				w.t.Fatalf("the deadline %d stays in the past at %d: a driver would spin\n%s", at, w.Now,
					w.Log())
			}
		} else {
			w.Now, stuck = at, 0
		}
		all = append(all, w.input(fmt.Sprintf("advance to +%d", w.Now-1_000_000),
			func() { w.Client.Advance(w.Now) })...)
	}
	w.Now = until
	w.Effects = all
	return all
}

// Open returns how many exchanges the host would have under way.
func (w *World[M]) Open() int { return w.contract.open() }

// Request returns what an open exchange was started with.
func (w *World[M]) Request(x engine.ExchangeID) *engine.Request {
	if e := w.contract.exchanges[x]; e != nil && !e.Over {
		return e.Request
	}
	return nil
}

// Exchange returns what the host knows of an exchange of this page, nil for nothing.
func (w *World[M]) Exchange(x engine.ExchangeID) *Exchange { return w.contract.exchanges[x] }

// Exchanges returns all of this page's.
func (w *World[M]) Exchanges() map[engine.ExchangeID]*Exchange { return w.contract.exchanges }

// UnderWay returns the exchanges that are not over, oldest first.
func (w *World[M]) UnderWay() []engine.ExchangeID {
	var xs []engine.ExchangeID
	for x, e := range w.contract.exchanges {
		if !e.Over {
			xs = append(xs, x)
		}
	}
	slices.Sort(xs)
	return xs
}

// Newest returns the id of the exchange that was started last, 0 for none.
func (w *World[M]) Newest() engine.ExchangeID { return w.contract.newest }

// Log returns the whole trace as text.
func (w *World[M]) Log() string { return strings.Join(w.Trace, "\n") }

// endings names the ways an exchange ends, as scripts spell them.
var endings = map[engine.Ending]string{engine.EndClean: "clean", engine.EndNetwork: "network",
	engine.EndInvalid: "invalid", engine.EndUnreadable: "unreadable"}
