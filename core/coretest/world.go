package coretest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// World is one MCP client under a virtual clock. Time moves only by Advance;
// every chunk is overwritten after the input that it was lent for, so that a
// payload kept without a copy shows.
type World struct {
	t      testing.TB
	Client *mcp.Client
	Now    engine.Time
	// Effects holds what the last input emitted, in order, payloads copied.
	Effects []engine.Effect
	// Trace holds a line for each input and effect since the beginning.
	Trace []string

	// Store is what the client's commits are written to; nil for none.
	Store *Store

	cfg  mcp.Config
	open map[engine.ExchangeID]*engine.Request
}

// NewWorld returns a World whose client has not been started. Where cfg names
// no URL, client info or seed, it gets ones that are the same in every run; it
// speaks 2025-11-25 unless cfg.Revision is another, or "auto" to negotiate.
func NewWorld(t testing.TB, cfg mcp.Config) *World {
	if cfg.URL == "" {
		cfg.URL = "https://server.test/mcp"
	}
	if len(cfg.ClientInfo) == 0 {
		cfg.ClientInfo = []byte(`{"name":"coretest","version":"1"}`)
	}
	if cfg.Seed == 0 {
		cfg.Seed = 1
	}
	if cfg.Revision == "" && cfg.Assume == "" {
		cfg.Revision = "2025-11-25" // most scenarios are about what follows a handshake
	}
	if cfg.Revision == "auto" {
		cfg.Revision = ""
	}
	if cfg.Epoch == 0 {
		cfg.Epoch = 1
	}
	w := &World{t: t, Client: mcp.New(cfg), cfg: cfg, Now: 1_000_000, open: map[engine.ExchangeID]*engine.Request{}}
	if cfg.Journal {
		w.Store = &Store{}
	}
	return w
}

// input runs one input and collects its effects.
func (w *World) input(line string, do func()) []engine.Effect {
	w.Trace = append(w.Trace, "> "+line)
	w.Effects = nil
	do()
	w.collect()
	return w.Effects
}

func (w *World) collect() {
	for {
		e, ok := w.Client.Next()
		if !ok {
			return
		}
		e.Data = append([]byte(nil), e.Data...)
		switch e.Kind {
		case engine.Fetch:
			w.open[e.X] = e.Request
		case engine.Abort:
			delete(w.open, e.X)
		case engine.Store:
			w.Store.begin(e)
		}
		w.Effects = append(w.Effects, e)
		w.Trace = append(w.Trace, "  "+Describe(e))
	}
}

// Start connects.
func (w *World) Start() []engine.Effect {
	return w.input("start", func() { w.Client.Start(w.Now) })
}

// Head reports a response head; fields are names and values in turn.
func (w *World) Head(x engine.ExchangeID, status int, fields ...string) []engine.Effect {
	head := engine.Head{Status: status}
	for i := 0; i+1 < len(fields); i += 2 {
		head.Header = append(head.Header, engine.Field{Name: fields[i], Value: fields[i+1]})
	}
	return w.input(fmt.Sprintf("head x%d %d %s", x, status, strings.Join(fields, " ")), func() { w.Client.Head(w.Now, x, head) })
}

// Chunk reports bytes of a body and then spoils the buffer they were in.
func (w *World) Chunk(x engine.ExchangeID, text string) []engine.Effect {
	p := []byte(text)
	return w.input(fmt.Sprintf("chunk x%d %s", x, quoted(text)), func() {
		w.Client.Chunk(w.Now, x, p)
		w.collect()
		for i := range p {
			p[i] = 0xdd
		}
	})
}

// End reports the end of an exchange.
func (w *World) End(x engine.ExchangeID, how engine.Ending) []engine.Effect {
	delete(w.open, x)
	return w.input(fmt.Sprintf("end x%d %s", x, endings[how]), func() { w.Client.End(w.Now, x, how, "") })
}

// Call makes a request.
func (w *World) Call(method, params string, o mcp.CallOptions) (engine.CallID, []engine.Effect) {
	var id engine.CallID
	effects := w.input("call "+method+" "+params, func() { id = w.Client.Call(w.Now, method, []byte(params), o) })
	return id, effects
}

// Input runs any other input.
func (w *World) Input(line string, do func(c *mcp.Client, now engine.Time)) []engine.Effect {
	return w.input(line, func() { do(w.Client, w.Now) })
}

// Advance moves the clock on by ms, stopping at every deadline on the way, and
// returns the effects of all of them. A deadline that Advance does not clear
// ends the test: a driver would spin on it.
func (w *World) Advance(ms int64) []engine.Effect {
	var all []engine.Effect
	until := w.Now.After(ms)
	for stuck := 0; ; {
		at, ok := w.Client.Deadline()
		if !ok || at > until {
			break
		}
		if at <= w.Now {
			if stuck++; stuck > 3 {
				w.t.Fatalf("the deadline %d stays in the past at %d: a driver would spin\n%s", at, w.Now, w.Log())
			}
		} else {
			w.Now, stuck = at, 0
		}
		all = append(all, w.input(fmt.Sprintf("advance to +%d", w.Now-1_000_000), func() { w.Client.Advance(w.Now) })...)
	}
	w.Now = until
	w.Effects = all
	return all
}

// Open returns how many exchanges the host would have under way.
func (w *World) Open() int { return len(w.open) }

// Request returns what an open exchange was started with.
func (w *World) Request(x engine.ExchangeID) *engine.Request { return w.open[x] }

// Log returns the whole trace as text.
func (w *World) Log() string { return strings.Join(w.Trace, "\n") }

// endings names the ways an exchange ends, as scripts spell them.
var endings = map[engine.Ending]string{engine.EndClean: "clean", engine.EndNetwork: "network", engine.EndInvalid: "invalid"}
