package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 132: the store fails, before ack() or with it, and an app says it again: it is
// not told that this is stored as long as a later page would have the call.
func TestFault132_AskedAgainAfterTheStoreFailed(t *testing.T) {
	for _, before := range []bool{true, false} {
		k := newKeeping(t, mcp.Config{})
		k.ended("a", 10, journal.ManualAck)
		const id = 2 // initialize is the first
		ack := func(ticket uint32) {
			k.Input("ack", func(c *mcp.Client, now engine.Time) { c.Ack(now, id, 0, ticket) })
		}
		want := func(answer, stored string) {
			t.Helper()
			log := k.Log()
			if got := log[strings.LastIndex(log, "acked ")+len("acked "):]; !strings.HasPrefix(got, answer) ||
				k.keys() != stored {
				t.Errorf("the store fails before: %t, has %q, want %q; the answer is to be %s\n%s", before,
					k.keys(), stored, answer, log)
			}
		}
		if before {
			k.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
			k.Stored(journal.ResultFailed, durable.ReasonFailed)
		}
		ack(1)
		if !before {
			k.Stored(journal.ResultFailed, durable.ReasonFailed)
		}
		want(`{"stored":false}`, "a")
		ack(2)
		want(`{"stored":false}`, "a")
		// A commit that was given up is stored after all: the store works again.
		k.Input("back", func(c *mcp.Client, now engine.Time) { c.Stored(now, 99, journal.ResultOK, 0) })
		ack(3)
		k.stored()
		want(`{"stored":true}`, "")
		ack(4)
		want(`{"stored":true}`, "")
	}
}

// Fault 352: an app acknowledges a call twice, the second time while the first waits for
// the store. It is told once both are stored, and that they are not where they are not.
func TestFault352_AcknowledgedTwice(t *testing.T) {
	for _, result := range []journal.Result{journal.ResultOK, journal.ResultFailed} {
		w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
		w.Handshake("2025-11-25")
		store(w)
		c, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true})
		store(w)
		x := w.Newest()
		w.Head(x, 200, "content-type", coretest.JSON)
		w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)), `{}`))
		w.End(x, engine.EndClean)
		store(w)
		for ticket := uint32(1); ticket <= 2; ticket++ {
			w.Input("ack", func(m *mcp.Client, now engine.Time) { m.Ack(now, c, 0, ticket) })
		}
		if told := w.Delivered(c, engine.EventAcked); len(told) != 0 {
			t.Errorf("it is told %q while the store has not answered", told)
		}
		w.Stored(result, durable.ReasonFailed)
		want := fmt.Sprintf(`{"stored":%v}`, result == journal.ResultOK)
		if told := w.Delivered(c, engine.EventAcked); len(told) != 2 || told[0] != want || told[1] != want {
			t.Errorf("it is told %q, want %s twice\n%s", told, want, w.Log())
		}
	}
}

// Fault 132: a client fails, and lets a call go with what is stored of it, for the next
// page. That one is told all of it again: no acknowledgement is stored, and the app does
// not hear that one is.
func TestFault132_OfACallThatAFailedClientHasLetGo(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	store(w)
	c, _ := w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	store(w)
	x := w.Newest()
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("1", coretest.Progress(coretest.RequestID(w.Request(x)), 1)))
	store(w)
	w.Call("tools/call", `{"name":"other"}`, mcp.CallOptions{Durable: true})
	store(w)
	w.Head(w.Newest(), 404) // the session is over
	store(w)
	w.Advance(5_000)
	x = w.Newest()
	w.Head(x, 200, "content-type", coretest.JSON)
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)),
		`{"protocolVersion":"1999-01-01","capabilities":{}}`))
	w.End(x, engine.EndClean)
	store(w)
	if !strings.Contains(w.Log(), `{"state":"failed"}`) {
		t.Fatalf("the client goes on\n%s", w.Log())
	}
	w.Input("ack", func(m *mcp.Client, now engine.Time) { m.Ack(now, c, 1, 1) })
	store(w)
	stored := w.Store.Record(w.Store.Calls()[0]).Acked == 1
	if told := w.Delivered(c, engine.EventAcked); len(told) != 1 ||
		told[0] != fmt.Sprintf(`{"stored":%v}`, stored) {
		t.Errorf("it is told %q, and that is stored: %v\n%s", told, stored, w.Log())
	}
}
