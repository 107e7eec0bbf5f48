package coretest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestFault124_Histories plays random lives of three tabs over one store. Each makes
// calls under the same few keys, whenever it knows of none yet, and calls without a key,
// while commits land and what was stored is told at any time. What is counted is what
// the server runs: each key once, and each call without one; and each call that an app
// has made ends with that run's result.
func TestFault124_Histories(t *testing.T) {
	const histories = 2_000
	lost := 0
	for seed := range uint64(histories) {
		h := &keyHistory{mcpPlayer: mcpPlayer{t: t, commands: mcpCommands},
			rng: rand.New(rand.NewPCG(seed, 0)), runs: map[string]int{}, tabs: map[string]*keyTab{}}
		h.play()
		lost += h.lost
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(h.lines, "\n"))
		}
	}
	t.Logf("%d histories, %d calls that came second", histories, lost)
	if lost < histories {
		t.Error("the tabs hardly meet: nothing is shown")
	}
}

type keyHistory struct {
	mcpPlayer
	rng  *rand.Rand
	runs map[string]int // how often the server has run the call of a key, or of a name where it has none
	made int            // calls without a key
	due  []string       // commands that answer what it has run, with their tabs
	tabs map[string]*keyTab
	lost int
}

// keyTab is what the app of a tab knows.
type keyTab struct {
	started bool
	calls   map[string]engine.CallID // by their keys
	ended   map[engine.CallID]bool
}

func (h *keyHistory) play() {
	h.do("", "new journal tabs nolisten")
	h.do("", "open")
	for h.world.Store.Flying() != 0 {
		h.do("", "stored")
	}
	names := []string{"", "b", "c"}
	for _, name := range names {
		h.tabs[name] = &keyTab{calls: map[string]engine.CallID{}, ended: map[engine.CallID]bool{}}
	}
	for range 30 {
		h.step(names[h.rng.IntN(len(names))], h.rng.IntN(100))
	}
	for range 8 + 2*h.made { // all is stored, told and answered
		for _, name := range names {
			for _, n := range []int{50, 50, 80, 95} {
				h.step(name, n)
			}
		}
	}
	for _, name := range names {
		for key, id := range h.tabs[name].calls {
			if !h.tabs[name].ended[id] {
				h.t.Errorf("tab %q: the call under %s has not ended", name, key)
			}
		}
	}
	for n := range h.made {
		if name := fmt.Sprintf("n%d", n); h.runs[name] == 0 {
			h.t.Errorf("%s never ran", name)
		}
	}
	for key, runs := range h.runs {
		if runs != 1 {
			h.t.Errorf("%s: %d runs", key, runs)
		}
	}
}

func (h *keyHistory) step(name string, n int) {
	h.do(name, "tab "+name)
	if !h.tabs[name].started && name != "" {
		h.tabs[name].started = true
		h.do(name, "start")
	}
	key := fmt.Sprintf("k%d", h.rng.IntN(3))
	if n == 0 { // one without
		key = fmt.Sprintf("n%d", h.made)
		h.made++
	}
	switch _, known := h.tabs[name].calls[key]; {
	case n < 30 && !known:
		o := mcp.CallOptions{Durable: true, Flags: []journal.Flags{0, journal.ReadOnly}[h.rng.IntN(2)]}
		if n > 0 {
			o.Key = key
		}
		h.lines = append(h.lines, "> "+name+": call "+key)
		h.tabs[name].calls[key], _ = MCP{h.world}.Call("tools/call", `{"name":"`+key+`"}`, o)
		h.take(name)
	case n < 70:
		if h.world.Store.Flying() != 0 {
			h.do(name, "stored")
		}
	case n < 90:
		h.do(name, "hear")
	default:
		for i, due := range h.due {
			if of, command, _ := strings.Cut(due, "\x00"); of == name {
				h.due = slices.Delete(h.due, i, i+1)
				h.do(name, command)
				return
			}
		}
	}
}

// do gives a tab a command.
func (h *keyHistory) do(name, command string) {
	h.lines = append(h.lines, "> "+name+": "+command)
	word, rest, _ := strings.Cut(command, " ")
	h.commands[word](&h.mcpPlayer, rest)
	h.take(name)
}

// take takes what follows, as the server and as the app of the tab.
func (h *keyHistory) take(name string) {
	effects := h.world.Effects
	h.world.Effects = nil
	app := h.tabs[name]
	for _, e := range effects {
		h.note(e)
		h.lines = append(h.lines, Describe(e))
		switch {
		case app == nil:
		case e.Kind == engine.Fetch && strings.Contains(string(e.Request.Body), `"tools/call"`):
			_, key, _ := strings.Cut(string(e.Request.Body), `"name":"`)
			key, _, _ = strings.Cut(key, `"`)
			h.runs[key]++
			id := RequestID(e.Request)
			h.due = append(h.due, name+"\x00"+fmt.Sprintf("head x%d 200 content-type=text/event-stream", e.X),
				name+"\x00"+fmt.Sprintf("chunk x%d data: %s\n\n", e.X, Result(id, `{"content":[]}`)))
		case e.Kind == engine.Recall:
			if _, key, ok := strings.Cut(string(e.Data), `"key":"`); ok {
				app.calls[key[:2]] = e.C
			}
		case e.Kind == engine.Deliver && e.Event == engine.EventStatus &&
			strings.Contains(string(e.Data), "followed"):
			h.lost++
		case e.Kind == engine.Settle:
			if e.Outcome != engine.OutcomeResult {
				h.t.Errorf("tab %q: %s", name, Describe(e))
			}
			app.ended[e.C] = true
		}
	}
}
