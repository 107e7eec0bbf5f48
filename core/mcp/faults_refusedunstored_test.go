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

// toolCalls counts the requests of this page that carry a call.
func toolCalls(w coretest.MCP) (n int) {
	for _, e := range w.Exchanges() {
		if strings.Contains(string(e.Request.Body), `"method":"tools/call"`) {
			n++
		}
	}
	return n
}

// wantUnsent fails unless the call ends as one that no page sends, this one included.
func wantUnsent(t *testing.T, w coretest.MCP, sent int) {
	t.Helper()
	for range 3 { // its head is deleted before its app is told
		w.Advance(2_000)
		store(w)
	}
	if n := toolCalls(w); n != sent {
		t.Errorf("it leaves %d times, want %d\n%s", n, sent, w.Log())
	}
	if !strings.Contains(w.Log(),
		"settle c2 unsent (retryable): tools/call: the server did not run the request") {
		t.Errorf("its app does not hear that it did not run\n%s", w.Log())
	}
	w.Reload()
	w.Start()
	signIn(w)
	store(w)
	if n := toolCalls(w); n != 0 {
		t.Errorf("the next page sends what the app was told is not sent\n%s", w.Log())
	}
}

// Fault 350: the server refuses a request since somebody has to sign in, which the
// store says. Somebody does, and the store fails: it cannot note that the request leaves.
func TestFault350_RefusedAndTheStoreFails(t *testing.T) {
	w, _ := refusedCall(t)
	w.Head(w.Newest(), 401)
	store(w)
	signIn(w)
	w.Stored(journal.ResultFailed, durable.ReasonFailed)
	wantUnsent(t, w, 1)
}

// Fault 350: the session of a request is over. Meanwhile the store fails, comes back,
// has the call as one that is to be sent, and fails again.
func TestFault350_SessionOverAndTheStoreFailsTwice(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	store(w)
	w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true})
	store(w)
	w.Head(w.Newest(), 404)
	w.StoreBack()
	store(w)
	w.Advance(5_000) // it asks for a session again
	w.AnswerInitialize(w.Newest(), "2025-11-25", "s2")
	w.Stored(journal.ResultFailed, durable.ReasonFailed)
	wantUnsent(t, w, 1)
}

// Fault 350: the same of a tool that may run twice: it leaves, whatever the store has.
func TestFault350_MayRunTwice(t *testing.T) {
	w, _ := refusedCallOf(t, journal.RerunAlways)
	w.Head(w.Newest(), 401)
	store(w)
	signIn(w)
	w.Stored(journal.ResultFailed, durable.ReasonFailed)
	if n := toolCalls(w); n != 2 {
		t.Errorf("it leaves %d times, want 2\n%s", n, w.Log())
	}
}

// Fault 351: a call is run again while an event of the lost run waits to be stored. The
// event is stored with the cursor that covers it: a page that resumes after an earlier
// one would be told it twice.
func TestFault351_RunAgainWithAnEventUnstored(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	store(w)
	w.Call("tools/call", `{"name":"look"}`, mcp.CallOptions{Durable: true, Flags: journal.RerunAlways})
	store(w)
	x := w.Newest()
	id := coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("a1", coretest.Progress(id, 1)))
	w.Chunk(x, coretest.Message("a2", coretest.Progress(id, 2))) // while the first is being stored
	w.End(x, engine.EndNetwork)
	w.Call("tools/list", `{}`, mcp.CallOptions{})
	w.Head(w.Newest(), 404) // the session is over
	if !strings.Contains(w.Log(), `"outcome":"restarted"`) {
		t.Fatalf("it is not run again\n%s", w.Log())
	}
	store(w)
	w.Reload()
	w.Start()
	w.Advance(1_000)
	asked := 0
	for _, e := range w.Exchanges() {
		for _, f := range e.Request.Header {
			if f.Name != "Last-Event-ID" {
				continue
			}
			if asked++; f.Value != "a2" {
				t.Errorf("the next page resumes after %s\n%s", f.Value, w.Log())
			}
		}
	}
	if asked != 1 {
		t.Errorf("the next page resumes %d times\n%s", asked, w.Log())
	}
}
