package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// solo is a page that knows of no other tab, and a call of it.
type solo struct{ *queue }

func newSolo(t *testing.T, o mcp.CallOptions) solo {
	cfg := mcp.Config{Journal: true, NoListen: true, Scarce: true, Wall: 1_790_000_000_000}
	s := solo{&queue{MCP: coretest.NewMCP(t, cfg), t: t}}
	s.Handshake("2025-11-25")
	s.Stored(journal.ResultOK, 0)
	s.alone(true)
	s.make(o)
	return s
}

func (s solo) alone(is bool) {
	s.do(fmt.Sprintf("alone %t", is), func(c *mcp.Client, now engine.Time) { c.Alone(now, is) })
}

// make makes the call.
func (s solo) make(o mcp.CallOptions) {
	o.Durable = true
	s.call, _ = s.MCP.Call("tools/call", `{"name":"pay"}`, o)
	s.look()
}

// land stores what is under way, and what follows from that.
func (s solo) land() { s.queue.land(journal.ResultOK) }

// answer has the server answer the call's request in JSON.
func (s solo) answer() {
	x := s.Newest()
	s.Head(x, 200, "content-type", "application/json")
	s.Chunk(x, coretest.Result(coretest.RequestID(s.Exchange(x).Request), `{"content":[]}`))
	s.End(x, engine.EndClean)
	s.look()
}

func (s solo) hide() { s.do("hide", (*mcp.Client).Hide) }

// next is another page, whose calls have a connection at once.
func (s solo) next() {
	s.told = nil
	s.queue.next()
}

func (s solo) stored() int { return len(s.Store.Calls()) }

// Fault 380: a page crashes in the moment after it was handed an outcome that is not
// stored. The next page is told of the call as of one whose end is not known, and runs
// nothing again; what the app has acknowledged by having it is gone before long, and what
// a page that is left has not acknowledged is stored.
func TestFault380_CrashAfterAnOutcomeWasHandedOver(t *testing.T) {
	for _, row := range []struct {
		name    string
		before  func(s solo)
		stored  int
		outcome string // how the next page hears of the call
	}{
		{"crash at once", func(solo) {}, 1, "outcome_unknown"},
		{"crash after 50 ms", func(s solo) { s.pass(50); s.land() }, 1, "result"},
		{"acknowledged, crash at once", func(s solo) { s.handed() }, 1, "outcome_unknown"},
		{"acknowledged, crash after 50 ms", func(s solo) { s.handed(); s.pass(50); s.land() }, 0, ""},
		{"acknowledged, another tab comes", func(s solo) { s.handed(); s.alone(false); s.land() }, 0, ""},
		{"left", func(s solo) { s.hide() }, 1, "result"},
		{"acknowledged, left", func(s solo) { s.handed(); s.hide() }, 0, ""},
		{"closed", func(s solo) { s.do("close", (*mcp.Client).Close) }, 1, "result"},
		{"another tab comes", func(s solo) { s.alone(false); s.land() }, 1, "result"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSolo(t, mcp.CallOptions{Connected: true})
			s.land()
			s.answer()
			if got := strings.Join(s.told, " "); got != "result" || s.Store.Flying() != 0 {
				t.Fatalf("the app was told %q\n%s", got, s.Log())
			}
			row.before(s)
			if got := s.stored(); got != row.stored {
				t.Errorf("%d calls are stored, want %d\n%s", got, row.stored, s.Log())
			}
			s.next()
			if got := strings.Join(s.told, " "); got != row.outcome {
				t.Errorf("the next page hears %q, want %q\n%s", got, row.outcome, s.Log())
			}
			if s.posts != 1 {
				t.Errorf("the tool ran %d times\n%s", s.posts, s.Log())
			}
		})
	}
}

// Calls that follow each other are deleted together, and not each with the commit of the next;
// in the commit of some call, and in none of their own, as long as calls come.
func TestFault380_DeletedTogether(t *testing.T) {
	s := newSolo(t, mcp.CallOptions{Connected: true})
	first := s.Store.Flying()
	s.land()
	last := first
	var stored []int
	for range 14 {
		s.answer()
		s.handed()
		s.pass(4)
		s.make(mcp.CallOptions{Connected: true})
		last = s.Store.Flying()
		s.land()
		stored = append(stored, s.stored())
	}
	if got, want := fmt.Sprint(stored), "[2 3 4 5 6 7 1 2 3 4 5 6 7 1]"; got != want {
		t.Errorf("stored: %s, want %s\n%s", got, want, s.Log())
	}
	if n := last - first; n != 14 {
		t.Errorf("%d commits of 14 calls\n%s", n, s.Log())
	}
}

// handed says that the app has had the outcome.
func (s solo) handed() {
	s.do("handed", func(c *mcp.Client, now engine.Time) { c.Handed(now, s.call) })
}

// Fault 381: a page crashes while a call is under way that changes nothing, and is not
// written yet. No later page hears of it; one that is left tells the next.
func TestFault381_CrashBeforeAReadIsWritten(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(s solo)
		stored int
	}{
		{"crash at once", func(solo) {}, 0},
		{"crash after 50 ms", func(s solo) { s.pass(50); s.land() }, 1},
		{"left", func(s solo) { s.hide() }, 1},
		{"left while a commit is under way",
			func(s solo) { s.make(mcp.CallOptions{Connected: true}); s.hide() }, 1},
		{"closed", func(s solo) { s.do("close", (*mcp.Client).Close) }, 1},
		{"another tab comes", func(s solo) { s.alone(false); s.land() }, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSolo(t, mcp.CallOptions{Connected: true, Flags: journal.ReadOnly})
			if s.posts != 1 || s.Store.Flying() != 0 || s.stored() != 0 {
				t.Fatalf("%d requests have left, %d calls are stored\n%s", s.posts, s.stored(), s.Log())
			}
			row.before(s)
			if got := s.stored(); got != row.stored {
				t.Errorf("%d calls are stored, want %d\n%s", got, row.stored, s.Log())
			}
			s.next() // it can read all that is there
			if strings.Contains(s.Log(), "quarantined") {
				t.Error(s.Log())
			}
		})
	}
}

// Fault 382: a page crashes while a call waits for a connection that is not written yet.
// It never left, and no later page hears of it. It is written with the note that it leaves,
// or alone once it has waited for a while, or where the page is left: then the next page
// sends it.
func TestFault382_CrashBeforeAQueuedCallIsWritten(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(s solo)
		stored int
		posts  int // of the first page
	}{
		{"crash at once", func(solo) {}, 0, 0},
		{"crash after 250 ms", func(s solo) { s.pass(250); s.land() }, 1, 0},
		{"left", func(s solo) { s.hide() }, 1, 0},
		{"closed", func(s solo) { s.do("close", (*mcp.Client).Close) }, 1, 0},
		{"another tab comes", func(s solo) { s.alone(false); s.land() }, 1, 0},
		{"it has a connection", func(s solo) { s.hold(false); s.land() }, 1, 1},
		{"it has one, and its commit is under way", func(s solo) { s.hold(false) }, 0, 0},
		{"it has one after 250 ms", func(s solo) { s.pass(250); s.land(); s.hold(false); s.land() }, 1, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSolo(t, mcp.CallOptions{})
			row.before(s)
			if s.posts != row.posts || s.stored() != row.stored {
				t.Fatalf("%d requests have left, %d calls are stored\n%s", s.posts, s.stored(), s.Log())
			}
			s.next()
			if s.posts > 1 || row.stored > 0 && s.posts != 1 {
				t.Errorf("the tool ran %d times\n%s", s.posts, s.Log())
			}
		})
	}
}

// Fault 383: another tab is there, the page is being frozen, or it has slept: an outcome is
// the app's once it is stored, by the hand of who carries the call, as before.
func TestFault383_NotAloneItIsStoredFirst(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(s solo)
		after  string // what the app was told before the outcome is stored
	}{
		{"alone", func(solo) {}, "result"},
		{"another tab", func(s solo) { s.alone(false) }, ""},
		{"an old call", func(s solo) { s.pass(2_000) }, ""},
		{"the machine slept", func(s solo) {
			s.do("slept", func(c *mcp.Client, now engine.Time) { c.Slept(now, 2_000) })
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSolo(t, mcp.CallOptions{Connected: true})
			s.land()
			row.before(s)
			s.answer()
			if got := strings.Join(s.told, " "); got != row.after {
				t.Errorf("the app was told %q, want %q\n%s", got, row.after, s.Log())
			}
			s.pass(50)
			s.land()
			if got := strings.Join(s.told, " "); got != "result" {
				t.Errorf("the app was told %q in the end\n%s", got, s.Log())
			}
		})
	}
}
