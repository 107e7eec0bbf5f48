//go:build !js

package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// page is a client that runs natively against a real agent, with a store that
// outlives it: what a page and its IndexedDB are.
type page struct {
	*coretest.Host[*acp.Client]
	t     testing.TB
	cfg   acp.Config
	store *store
	read  int // effects that were looked at
	pace  int64
	over  sync.Once
}

// store is what outlives a page.
type store struct {
	coretest.Store
	epoch uint32 // of the page that was loaded last
}

// open loads a page whose client talks to url. A nil store is an empty one.
func open(t testing.TB, url string, s *store) *page {
	t.Helper()
	return openAt(t, url, s, 1)
}

// openAt is open for a page whose time passes so many times as fast.
func openAt(t testing.TB, url string, s *store, pace int64) *page {
	t.Helper()
	if s == nil {
		s = &store{}
	}
	s.epoch++
	p := &page{t: t, store: s, pace: pace, cfg: acp.Config{URL: url, Journal: true, Epoch: s.epoch,
		Seed:         uint64(s.epoch),
		Info:         []byte(`{"name":"t","version":"1"}`),
		Capabilities: []byte(`{"elicitation":{"form":{},"url":{}}}`)}}
	if strings.HasPrefix(url, "ws") {
		p.cfg.Transport = acp.TransportWebSocket
	}
	machine := acp.New(p.cfg)
	p.Host = coretest.HostOf(machine)
	p.Hasten(pace)
	p.Host.OnStore = func(ticket uint32, ops []byte) {
		s.Begin(engine.Effect{Ticket: ticket, Data: ops})
		s.Land()
		p.Defer(func(c *acp.Client, now engine.Time) { c.Stored(now, ticket, journal.ResultOK, 0) })
	}
	p.Input(func(c *acp.Client, now engine.Time) {
		c.Restore(now, s.Loaded())
		c.Start(now)
	})
	t.Cleanup(func() {
		p.leave()
		if t.Failed() {
			t.Log("the page was told\n" + p.summary())
		}
	})
	return p
}

// leave is the end of the page.
func (p *page) leave() { p.over.Do(p.Close) }

// reload is the end of the page and the next one; nothing is said to the agent.
func (p *page) reload() *page {
	p.leave()
	return openAt(p.t, p.cfg.URL, p.store, p.pace)
}

// log is what the page was told, an effect a line.
func (p *page) log() string {
	var b strings.Builder
	for _, e := range p.Effects() {
		b.WriteString(line(e))
	}
	return b.String()
}

// summary is log with the pieces of a message on one line: how many there were.
func (p *page) summary() string {
	var b strings.Builder
	appended := 0
	flush := func() {
		if appended > 0 {
			fmt.Fprintf(&b, "… %d pieces of messages\n", appended)
			appended = 0
		}
	}
	for _, e := range p.Effects() {
		if e.Event == engine.EventItem && bytes.HasPrefix(e.Data, []byte(`{"op":"append"`)) {
			appended++
			continue
		}
		flush()
		b.WriteString(line(e))
	}
	flush()
	return b.String()
}

func line(e engine.Effect) string {
	failure := ""
	if e.Failure != nil {
		failure = e.Failure.Error()
	}
	return fmt.Sprintf("kind %d event %d c%d #%d %.300s %s\n", e.Kind, e.Event, e.C, e.Position, e.Data,
		failure)
}

// wait waits for an effect whose data holds text, after those that were waited
// for before.
func (p *page) wait(kind engine.Kind, event engine.EventKind, text string) engine.Effect {
	p.t.Helper()
	var found engine.Effect
	ok := p.Wait(func(all []engine.Effect) bool {
		for i, e := range all[p.read:] {
			if e.Kind == kind && e.Event == event && strings.Contains(string(e.Data), text) {
				found = e
				p.read += i + 1
				return true
			}
		}
		return false
	})
	if !ok {
		p.t.Fatalf("no effect %d/%d with %s", kind, event, text)
	}
	return found
}

// request makes a request and returns how it is settled.
func (p *page) request(session uint32, method, params string) engine.CallID {
	var id engine.CallID
	p.Input(func(c *acp.Client, now engine.Time) { id = c.Request(now, session, method, []byte(params)) })
	return id
}

func (p *page) settled(id engine.CallID) engine.Effect {
	p.t.Helper()
	var found engine.Effect
	if !p.Wait(func(all []engine.Effect) bool {
		for _, e := range all {
			if e.Kind == engine.Settle && e.C == id {
				found = e
				return true
			}
		}
		return false
	}) {
		p.t.Fatalf("call %d does not settle", id)
	}
	return found
}

// newSession makes a session and returns its handle and id.
func (p *page) newSession() (uint32, string) {
	p.t.Helper()
	if !p.Wait(func(all []engine.Effect) bool {
		return slices.ContainsFunc(all,
			func(e engine.Effect) bool {
				return e.Kind == engine.State &&
					strings.Contains(string(e.Data), "open")
			})
	}) {
		p.t.Fatalf("the client does not open")
	}
	e := p.settled(p.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`))
	var result struct{ SessionID string }
	if err := json.Unmarshal(e.Data, &result); err != nil || e.Outcome != engine.OutcomeResult {
		p.t.Fatalf("session/new: %s %v", e.Data, e.Failure)
	}
	return p.handle(result.SessionID), result.SessionID
}

// handle waits for the session with that id and returns its handle.
func (p *page) handle(id string) uint32 {
	p.t.Helper()
	var handle uint32
	if !p.Wait(func(all []engine.Effect) bool {
		for _, e := range all {
			if e.Kind == engine.Recall && strings.Contains(string(e.Data), `"sessionId":"`+id+`"`) {
				handle = uint32(e.C)
				return true
			}
		}
		return false
	}) {
		p.t.Fatalf("no session %s", id)
	}
	return handle
}

func (p *page) prompt(session uint32, id, text string) engine.CallID {
	params, _ := json.Marshal(map[string]any{"sessionId": id,
		"prompt": []any{map[string]any{"type": "text", "text": text}}})
	return p.request(session, "session/prompt", string(params))
}

// text is what the app shows of the agent's messages in a session.
func (p *page) text(session uint32) string {
	return said(p.Effects(), session)
}

func said(effects []engine.Effect, session uint32) string {
	var b strings.Builder
	for _, item := range transcript(effects, session) {
		if item.kind == "agent_message" {
			b.WriteString(item.text)
		}
	}
	return b.String()
}

type shown struct{ kind, id, text string }

// transcript applies the operations that the app was given.
func transcript(effects []engine.Effect, session uint32) []shown {
	var items []shown
	for _, e := range effects {
		if e.Kind != engine.Deliver || e.Event != engine.EventItem || uint32(e.C) != session {
			continue
		}
		var op struct {
			Op, Type, ID string
			At           int
			Patch        struct{ Content []struct{ Text string } }
			Content      json.RawMessage
		}
		if err := json.Unmarshal(e.Data, &op); err != nil {
			panic(fmt.Sprintf("%s: %v", e.Data, err))
		}
		switch op.Op {
		case "reset":
			items = nil
		case "put":
			for len(items) <= op.At {
				items = append(items, shown{kind: op.Type, id: op.ID})
			}
			if strings.Contains(string(e.Data), `"content":`) {
				items[op.At].text = ""
				for _, c := range op.Patch.Content {
					items[op.At].text += c.Text
				}
			}
		case "append":
			var block struct{ Text string }
			_ = json.Unmarshal(op.Content, &block)
			items[op.At].text += block.Text
		}
	}
	return items
}

// counted is ⟨1⟩⟨2⟩…⟨n⟩, as the peers count.
func counted(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "⟨%d⟩", i)
	}
	return b.String()
}

func (p *page) waitText(session uint32, want string) {
	p.t.Helper()
	if !p.Wait(func(all []engine.Effect) bool { return said(all, session) == want }) {
		p.t.Fatalf("shown %q, want %q", p.text(session), want)
	}
}
