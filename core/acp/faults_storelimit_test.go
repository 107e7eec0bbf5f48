//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// commits counts what a page stores from here on; it fails where that has no end.
func (s *sim) commits() *int {
	n := new(int)
	s.also = func(e engine.Effect) {
		if e.Kind == engine.Store {
			if *n++; *n > 50 {
				s.fatal("it stores without end")
			}
		}
	}
	return n
}

// TestFault477_PromptOverTheLimit: what is stored is over its limit for want of nothing that
// the agent could send once more. It is not written again at each commit, for ever.
func TestFault477_PromptOverTheLimit(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{Limits: acp.Limits{Stored: 6000}}, m)
	handle, id := s.session()
	m.onPrompt = func(*modelSession, modelRequest) {} // it is held
	s.commits()
	s.prompt(handle, strings.Repeat("x", 8000))
	s.settle(1_000)
	s.load()
	s.settle(1_000)
	s.expect(len(s.events(engine.EventItem, `"pending"`)) > 0, "the prompt is not there")
	m.sessions[id].chunk("a1", "x")
	s.settle(1_000)
}

// TestFault477_OtherTabsOverTheLimit: another tab's session takes most of what may be stored.
// That tab drops its history; this one keeps the one that it has, and stores nothing again.
func TestFault477_OtherTabsOverTheLimit(t *testing.T) {
	limit := acp.Limits{Stored: 6000}
	m := newModel()
	there := newSim(t, acp.Config{}, m)
	_, large := there.session()
	m.sessions[large].chunk("a", strings.Repeat("x", 8000))
	there.settle(0)
	stored := unsealed(there.Store.Followed())

	s := newSim(t, acp.Config{Limits: limit, Epoch: 50, Tabs: true}, m)
	_, small := s.session()
	m.sessions[small].chunk("b", "kept")
	s.settle(0)
	s.do("hear", func(c *acp.Client, now engine.Time) { c.Restore(now, stored) })
	n := s.commits()
	for range 3 {
		m.sessions[small].chunk("b", ", and more")
		s.settle(1_000)
	}
	s.expect(*n == 3 && len(s.events(engine.EventGuarantee, "")) == 0, "%d commits, %d histories dropped", *n,
		len(s.events(engine.EventGuarantee, "")))

	// It is forgotten there: what is left is no reason to drop anything.
	gone := journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Call: there.Store.Calls()[0]})
	s.do("forgotten", func(c *acp.Client, now engine.Time) { c.Restore(now, gone) })
	m.sessions[small].chunk("b", strings.Repeat("y", 4000))
	s.settle(1_000)
	s.expect(len(s.events(engine.EventGuarantee, "")) == 0, "dropped for what is forgotten")
	m.sessions[small].chunk("b", strings.Repeat("y", 4000))
	s.settle(1_000)
	s.expect(len(s.events(engine.EventGuarantee, "")) == 1, "%d histories dropped",
		len(s.events(engine.EventGuarantee, "")))
}
