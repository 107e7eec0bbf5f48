package rig

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// A Client is the core on net/http, with a journal: a page without a browser.
type Client struct {
	*coretest.Host[*mcp.Client]

	t     testing.TB
	cfg   mcp.Config
	store *coretest.Store
	left  sync.Once
}

// Connect opens a client of 2025-11-25, and returns once it is connected.
func Connect(t testing.TB, url string) *Client {
	t.Helper()
	return ConnectIn(t, url, "2025-11-25")
}

// ConnectIn is Connect in a revision.
func ConnectIn(t testing.TB, url, revision string) *Client {
	t.Helper()
	return open(t, mcp.Config{
		URL: url, ClientInfo: []byte(`{"name":"t","version":"1"}`), Revision: revision, NoListen: true,
		Journal:      true,
		Capabilities: []byte(`{"elicitation":{}}`), Handles: []string{"elicitation/create"},
	}, &coretest.Store{})
}

func open(t testing.TB, cfg mcp.Config, store *coretest.Store) *Client {
	t.Helper()
	cfg.Epoch++
	cfg.Seed = uint64(cfg.Epoch)
	c := &Client{Host: coretest.NewHost(cfg), t: t, cfg: cfg, store: store}
	c.OnStore = func(ticket uint32, ops []byte) {
		store.Begin(engine.Effect{Ticket: ticket, Data: ops})
		store.Land()
		c.Defer(func(m *mcp.Client, now engine.Time) { m.Stored(now, ticket, journal.ResultOK, 0) })
	}
	t.Cleanup(func() {
		c.leave()
		if t.Failed() {
			for _, e := range c.Effects() {
				t.Log(coretest.Describe(e))
			}
		}
	})
	c.Input(func(m *mcp.Client, now engine.Time) {
		m.Restore(now, store.Loaded())
		m.Start(now)
	})
	if !c.Wait(func(effects []engine.Effect) bool {
		for _, e := range effects {
			if e.Kind == engine.State && strings.Contains(string(e.Data), `"state":"open"`) {
				return true
			}
		}
		return false
	}) {
		t.Fatal("the client did not connect")
	}
	return c
}

// Reload ends the page, without a word to anybody, and opens the next one over the same journal.
func (c *Client) Reload() *Client {
	c.t.Helper()
	c.leave()
	return open(c.t, c.cfg, c.store)
}

func (c *Client) leave() { c.left.Do(c.Close) }

// Find returns the call of a label that an earlier page has made; of any, where label is "".
func (c *Client) Find(label string) engine.CallID {
	c.t.Helper()
	for _, e := range c.Effects() {
		if e.Kind == engine.Recall &&
			(label == "" || strings.Contains(string(e.Data), `"label":"`+label+`"`)) {
			return e.C
		}
	}
	c.t.Fatalf("call %s is not in the journal", label)
	return 0
}

// Call calls a tool, in a call that is not to be run again.
func (c *Client) Call(tool string, arguments any) (id engine.CallID) {
	text, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	c.Input(func(m *mcp.Client, now engine.Time) {
		id = m.Call(now, "tools/call", text, mcp.CallOptions{Durable: true})
	})
	return id
}

// Calls are calls by their labels.
type Calls map[string]engine.CallID

// Count calls the tool count.
func (c *Client) Count(label string, n int) engine.CallID {
	return c.Call("count", map[string]any{"label": label, "n": n})
}

// Progress returns the steps that the app was told of, in order.
func Progress(effects []engine.Effect, id engine.CallID) (steps []int) {
	for _, e := range effects {
		var said struct{ Progress int }
		if e.Kind == engine.Deliver && e.C == id && e.Event == engine.EventProgress &&
			json.Unmarshal(e.Data, &said) == nil {
			steps = append(steps, said.Progress)
		}
	}
	return steps
}

// AwaitProgress returns once the app was told of that step.
func (c *Client) AwaitProgress(id engine.CallID, step int) {
	c.t.Helper()
	if !c.Wait(func(effects []engine.Effect) bool { return len(Progress(effects, id)) >= step }) {
		c.t.Fatalf("progress %d did not come: %v", step, Progress(c.Effects(), id))
	}
}

// AwaitTask returns once a call is a task.
func (c *Client) AwaitTask(id engine.CallID) {
	c.t.Helper()
	if !c.Wait(func(effects []engine.Effect) bool {
		for _, e := range effects {
			if e.Kind == engine.Deliver && e.C == id && e.Event == engine.EventTask {
				return true
			}
		}
		return false
	}) {
		c.t.Fatal("the call did not become a task")
	}
}

// Questions returns the handles of what the app was asked on a call, in order.
func Questions(effects []engine.Effect, id engine.CallID) (handles []uint32) {
	for _, e := range effects {
		if e.Kind == engine.Deliver && e.C == id && e.Event == engine.EventRequest {
			handles = append(handles, e.Position)
		}
	}
	return handles
}

// AwaitQuestion returns the handle of the n-th question of a call, once the app was asked it.
func (c *Client) AwaitQuestion(id engine.CallID, n int) (handle uint32) {
	c.t.Helper()
	if !c.Wait(func(effects []engine.Effect) bool { return len(Questions(effects, id)) >= n }) {
		c.t.Fatalf("question %d was not asked", n)
	}
	return Questions(c.Effects(), id)[n-1]
}

// Answer answers a question.
func (c *Client) Answer(handle uint32, answer string) {
	data := fmt.Appendf(nil, `{"action":"accept","content":{"answer":%q}}`, answer)
	c.Input(func(m *mcp.Client, now engine.Time) { m.Respond(now, handle, true, data) })
}

// Refused returns once the app was told of the first step of a call, or that no node has taken it: true.
func (c *Client) Refused(id engine.CallID) bool {
	c.t.Helper()
	if !c.Wait(func(effects []engine.Effect) bool {
		return len(Progress(effects, id)) > 0 || settled(effects, id) != nil
	}) {
		c.t.Fatal("the call does not begin")
	}
	e := settled(c.Effects(), id)
	return e != nil && e.Outcome == engine.OutcomeFailure && e.Failure.Code == engine.CodeHTTP &&
		e.Failure.Status == http.StatusServiceUnavailable
}

// Outcome waits for how a call ends: "result", "error" with the server's own, or "failure" with the code.
func (c *Client) Outcome(id engine.CallID) (how, text string) {
	c.t.Helper()
	if !c.Wait(func(effects []engine.Effect) bool { return settled(effects, id) != nil }) {
		c.t.Fatalf("the call did not end; progress %v", Progress(c.Effects(), id))
	}
	e := settled(c.Effects(), id)
	switch e.Outcome {
	case engine.OutcomeResult:
		return "result", string(e.Data)
	case engine.OutcomeRPCError:
		return "error", string(e.Data)
	}
	return "failure", fmt.Sprintf("%s: %v", e.Failure.Code, e.Failure)
}

// Ended reports whether a call has ended.
func (c *Client) Ended(id engine.CallID) bool { return settled(c.Effects(), id) != nil }

func settled(effects []engine.Effect, id engine.CallID) *engine.Effect {
	for i := range effects {
		if effects[i].Kind == engine.Settle && effects[i].C == id {
			return &effects[i]
		}
	}
	return nil
}

// Whole checks that a call has ended with its result, and that the app was told of each step once, in order.
func (c *Client) Whole(id engine.CallID, n int) {
	c.t.Helper()
	how, text := c.Outcome(id)
	if how != "result" || !strings.Contains(text, fmt.Sprintf("%d steps", n)) {
		c.t.Errorf("ended with %s: %s", how, text)
	}
	steps := Progress(c.Effects(), id)
	for i := range max(n, len(steps)) {
		if i >= len(steps) || i >= n || steps[i] != i+1 {
			c.t.Errorf("steps %v, want 1 to %d", steps, n)
			return
		}
	}
}
