package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// hints are what tools say of running them again.
var hints = []journal.Flags{0, journal.ReadOnly, journal.Idempotent, journal.ReadOnly | journal.Idempotent}

// Fault 143: a tool may say of itself what it likes. Where the app forbids it nothing
// is run again, whatever becomes of the request; where the app allows it, all is; else
// the hints decide. A run that follows another one is always told.
func TestFault143_TheAppDecides(t *testing.T) {
	harms := map[string]func(j *journey, e *errand){
		"killed": func(j *journey, e *errand) { j.reloadAs(false, true) },
		"cut":    func(j *journey, e *errand) { j.End(e.page.x, engine.EndNetwork) },
		"forgotten": func(j *journey, e *errand) {
			e.lost = true
			j.forget()
			j.End(e.page.x, engine.EndNetwork)
		},
	}
	for name, harm := range harms {
		for _, hint := range hints {
			for _, rerun := range []journal.Flags{0, journal.RerunNever, journal.RerunAlways} {
				j := newJourney(t, hint|rerun, 0, 1<<20)
				e := j.errands[0]
				e.ids, e.unsure = false, true
				j.until("the tool runs", func() bool { return len(e.runs) == 1 && j.Store.Flying() == 0 })
				harm(j, e)
				for j.tick() {
				}
				s := e.page.settled
				again := rerun == journal.RerunAlways || rerun == 0 && hint != 0
				want := 1
				if again {
					want = 2
				}
				if s == nil || len(e.runs) != want || (s.Outcome == engine.OutcomeResult) != again {
					j.fatal("%s, flags %b: it has run %d times, want %d", name, hint|rerun, len(e.runs), want)
				}
				if told := strings.Count(j.Log(), `"outcome":"restarted"`); told != want-1 {
					j.fatal("%s, flags %b: told %d times of running again", name, hint|rerun, told)
				}
			}
		}
	}
}

// Fault 143: a tool that says that it changes nothing leaves before the store knows
// of it. Not where the app does not believe it: after a crash nobody would know that
// it has left, and it would be sent as one that never has.
func TestFault143_NeverIsWrittenAhead(t *testing.T) {
	for _, flags := range []journal.Flags{journal.ReadOnly, journal.ReadOnly | journal.RerunNever} {
		w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
		w.Handshake("2025-11-25")
		w.Stored(journal.ResultOK, 0)
		w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Flags: flags})
		if left := len(w.Fetches()) > 0; left != flags.Harmless() {
			t.Errorf("flags %b: before it is stored, it has left: %t\n%s", flags, left, w.Log())
		}
	}
}

// Fault 143: an answered round that is sent once more after a reload runs the tool
// again, and that is told like any other run.
func TestFault143_RoundIsTold(t *testing.T) {
	for _, flags := range []journal.Flags{journal.Idempotent, journal.Idempotent | journal.RerunNever,
		journal.RerunAlways} {
		w := coretest.NewMCP(t, mcp.Config{Revision: "2026-07-28", Journal: true, NoListen: true})
		w.Start()
		answer := func(x engine.ExchangeID, body string) {
			w.Head(x, 200, "content-type", coretest.JSON)
			w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)), body))
			w.End(x, engine.EndClean)
		}
		answer(w.Fetched(), `{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
		w.Stored(journal.ResultOK, 0)
		c, _ := w.Call("tools/call", `{"name":"book"}`, mcp.CallOptions{Durable: true, Flags: flags})
		w.Stored(journal.ResultOK, 0)
		answer(w.Fetched(), `{"resultType":"input_required","inputRequests":{"k":{}}}`)
		w.Stored(journal.ResultOK, 0)
		w.Input("answer",
			func(m *mcp.Client, now engine.Time) { m.Answer(now, c, []byte(`{"k":{"action":"accept"}}`)) })
		w.Stored(journal.ResultOK, 0)
		w.Stored(journal.ResultOK, 0)
		if len(w.Fetches()) == 0 {
			t.Fatalf("the answered round does not leave\n%s", w.Log())
		}
		w.Reload()
		w.Start()
		told := strings.Join(w.Delivered(1, engine.EventResumed), "")
		if again := flags.Repeatable(); strings.Contains(told, `"restarted"`) != again ||
			again == strings.Contains(told, `"unknown"`) {
			t.Errorf("flags %b: told %q\n%s", flags, told, w.Log())
		}
	}
}
