package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 386: what a page stores as it is left fails, and the page is not left after all: it
// comes back from the back/forward cache. The app hears that its calls will not outlive the
// page, and nothing is stored of a call whose head is not.
func TestFault386_WhatIsStoredAsThePageIsLeftFails(t *testing.T) {
	failed := func(s solo) {
		s.do("stored 0 failed", func(c *mcp.Client, now engine.Time) {
			c.Stored(now, durable.Beside, journal.ResultFailed, durable.ReasonFailed)
		})
	}
	for _, row := range []struct {
		name  string
		flags journal.Flags
		ends  bool // before the page is left
	}{
		{"a call that changes nothing", journal.ReadOnly, false},
		{"one that is over", journal.ReadOnly, true},
		{"an outcome", 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSolo(t, mcp.CallOptions{Connected: true, Flags: row.flags})
			s.land()
			if row.ends {
				s.answer()
			}
			s.Store.Lossy = true
			s.hide()
			s.Store.Lossy = false
			failed(s)
			if !strings.Contains(s.Log(), `{"durability":"memory","why":"failed"}`) {
				t.Errorf("the app does not hear that nothing is stored\n%s", s.Log())
			}
			if !row.ends {
				s.answer()
			}
			s.pass(1_000)
			s.land()
			if got := strings.Join(s.told, " "); got != "result" {
				t.Errorf("the app was told %q\n%s", got, s.Log())
			}
			if n := s.Store.Orphans(); n > 0 {
				t.Errorf("%d rows are stored without their head\n%s", n, s.Log())
			}
			s.next()
			if s.posts != 1 || strings.Contains(s.Log(), "quarantined") {
				t.Errorf("the tool ran %d times, or a page cannot read it\n%s", s.posts, s.Log())
			}
		})
	}

	// What was in it waits for the next commit as well, as an ack does: nothing counts as stored that is not.
	acked := newSolo(t, mcp.CallOptions{Connected: true, Flags: journal.ManualAck})
	acked.land()
	x, id := acked.stream()
	acked.Chunk(x, coretest.Message("e1", coretest.Progress(id, 1)))
	acked.land()
	acked.do("ack", func(c *mcp.Client, now engine.Time) { c.Ack(now, acked.call, 1, 0) })
	acked.Store.Lossy = true
	acked.hide()
	failed(acked)
	if strings.Contains(acked.Log(), `"durability"`) || !strings.Contains(acked.Log(), "store 0") {
		t.Errorf("an ack that is written again later has the app told, or was not written\n%s", acked.Log())
	}

	// It fails after the client is closed, or has said so already: nobody is told again.
	s := newSolo(t, mcp.CallOptions{Connected: true, Flags: journal.ReadOnly})
	s.Store.Lossy = true
	s.hide()
	failed(s)
	before := strings.Count(s.Log(), `"durability"`)
	failed(s)
	s.do("close", (*mcp.Client).Close)
	failed(s)
	if n := strings.Count(s.Log(), `"durability"`); n != before {
		t.Errorf("the app is told %d times\n%s", n, s.Log())
	}
}
