package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// stream has the server answer the newest request with an event stream, and returns the
// exchange and the id of the request.
func (s solo) stream() (engine.ExchangeID, string) {
	x := s.Newest()
	s.Head(x, 200, "content-type", coretest.Stream)
	return x, coretest.RequestID(s.Exchange(x).Request)
}

// Fault 385: a call ends while an event of it is being stored, and the page is left before
// that is. What it stores beside the commit under way must not have the outcome without the
// event: the commit's secrets are being sealed, and it may never begin.
func TestFault385_LeftWhileAnEventIsStored(t *testing.T) {
	s := newSolo(t, mcp.CallOptions{Connected: true})
	s.land()
	x, id := s.stream()
	s.Chunk(x, coretest.Message("e1", coretest.Progress(id, 1)))
	if s.Store.Flying() == 0 {
		t.Fatalf("no commit is under way\n%s", s.Log())
	}
	s.Chunk(x, coretest.Message("e2", coretest.Result(id, `{"content":[]}`)))
	s.look()
	if got := strings.Join(s.told, " "); got != "result" {
		t.Fatalf("the app was told %q\n%s", got, s.Log())
	}
	s.hide()
	s.next()
	if log := s.Log(); strings.Contains(log, "quarantined") || !strings.Contains(log, "recall c1") {
		t.Errorf("the next page cannot read the call\n%s", log)
	}
	if s.posts != 1 {
		t.Errorf("the tool ran %d times\n%s", s.posts, s.Log())
	}
}

// Fault 388: a call that changes nothing is not stored yet, and its stream has an id. The
// app, or the host, lets go of the stream: what continues it leaves once the id is stored.
func TestFault388_LetGoBeforeItIsWritten(t *testing.T) {
	for name, lets := range map[string]func(s solo, held bool){
		"parked": func(s solo, held bool) {
			s.do("park", func(c *mcp.Client, now engine.Time) { c.Park(now, s.call, held) })
		},
		"held": func(s solo, held bool) { s.hold(held) },
	} {
		s := newSolo(t, mcp.CallOptions{Connected: true, Flags: journal.ReadOnly})
		x, _ := s.stream()
		s.Chunk(x, "id: e1\ndata:\n\n")
		lets(s, true)
		if !s.Exchange(x).Over {
			t.Fatalf("%s: the stream is there\n%s", name, s.Log())
		}
		lets(s, false)
		s.pass(0)
		if n := s.Newest(); n != x && s.stored() == 0 {
			t.Errorf("%s: it is continued before its id is stored\n%s", name, s.Log())
		}
		s.land()
		s.pass(5_000)
		s.land()
		if s.Newest() == x || s.stored() != 1 {
			t.Errorf("%s: it is not continued, or not stored\n%s", name, s.Log())
		}
	}
}

// A page that was busy looks at a queued call late: its app hears that it outlives the page.
func TestDeferredQueuedIsToldLate(t *testing.T) {
	s := newSolo(t, mcp.CallOptions{})
	s.do("late", func(c *mcp.Client, now engine.Time) { c.Advance(now.After(1_200)) })
	s.land()
	s.pass(10)
	if !strings.Contains(s.Log(), `{"guarantee":"resumable"}`) {
		t.Errorf("the app does not hear that the call outlives the page\n%s", s.Log())
	}
}

// Fault 389: a request that was refused, for want of a sign-in, waits while the store is over
// its limit. It stays in the store: once somebody has signed in it is sent.
func TestFault389_RefusedWhileTheStoreIsFull(t *testing.T) {
	// the note that it was refused is what is too much, with one of these
	for limit := 1; limit < 40; limit++ {
		cfg := signingIn
		cfg.Limits.Stored = limit
		w := coretest.NewMCP(t, cfg)
		w.Start()
		signIn(w)
		w.AnswerInitialize(w.Newest(), "2025-11-25", "s1")
		store(w)
		w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true})
		w.Stored(journal.ResultOK, 0)
		w.Head(w.Newest(), 401)
		store(w)
		signIn(w)
		store(w)
		if n := toolCalls(w); n != 2 {
			t.Errorf("limit %d: it leaves %d times, want 2\n%s", limit, n, w.Log())
		}
	}
}
