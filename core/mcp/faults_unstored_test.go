package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 160: a call that runs takes more room than the store may, and goes on in memory.
// A tab that looks on is told that, and not that the call is lost: it would be made again.
func TestFault160_GoesOnInMemoryElsewhere(t *testing.T) {
	owner := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true,
		Limits: mcp.Limits{Stored: 2_000}})
	owner.Handshake("2025-11-25")
	owner.Stored(journal.ResultOK, 0)
	id, _ := owner.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Connected: true})
	owner.Stored(journal.ResultOK, 0)

	follower := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	follower.Handshake("2025-11-25")
	follower.Stored(journal.ResultOK, 0)
	record := owner.Store.Calls()[0]
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"work"}`)})
	tell := func(op journal.Op) {
		follower.Input("told",
			func(c *mcp.Client, now engine.Time) { c.Restore(now, journal.AppendOp(nil, op)) })
	}
	tell(journal.Op{Kind: journal.OpCall, Call: record, Epoch: 1, Plain: head})

	x := owner.Fetched()
	owner.Head(x, 200, "content-type", "text/event-stream")
	for range 4 {
		owner.Chunk(x,
			"data: "+`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+
				strings.Repeat("x", 1_000)+`"}}`+"\n\n")
		owner.Stored(journal.ResultOK, 0)
		for _, e := range owner.Effects {
			for r := journal.ReadOps(e.Data); e.Kind == engine.Store; {
				op, ok := r.Next()
				if !ok {
					break
				}
				if op.Kind == journal.OpForget {
					tell(journal.Op{Kind: op.Kind, Flags: op.Flags &^ journal.OpOwned, Call: op.Call})
				}
			}
		}
	}
	if owner.Settled(id) != nil {
		t.Fatalf("the call does not go on\n%s", owner.Log())
	}
	end := follower.Settled(2)
	if end == nil || end.Failure == nil || end.Failure.Code != engine.CodeLimit || end.Failure.Retryable {
		t.Errorf("who looks on is told %+v\n%s", end, follower.Log())
	}
}

// Fault 124: a key belongs to its call as long as the server may run that. So a call
// with a key stays in the store, whatever it takes: in memory it would free the key,
// and another tab would have the server run it again.
func TestFault124_TheLimitFreesNoKey(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true,
		Limits: mcp.Limits{Stored: 2_000}})
	w.Handshake("2025-11-25")
	w.Stored(journal.ResultOK, 0)
	for _, key := range []string{"order-1", ""} {
		w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Connected: true, Key: key})
		for w.Store.Flying() != 0 {
			w.Stored(journal.ResultOK, 0)
		}
	}
	record := w.Store.Calls()[0]
	for x := range w.Fetched() + 1 {
		if r := w.Request(x); r == nil || !strings.Contains(string(r.Body), "tools/call") {
			continue
		}
		w.Head(x, 200, "content-type", "text/event-stream")
		for range 4 {
			w.Chunk(x,
				"data: "+
					`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+
					strings.Repeat("x", 1_000)+`"}}`+"\n\n")
			w.Stored(journal.ResultOK, 0)
		}
	}
	if calls := w.Store.Calls(); len(calls) != 1 || calls[0] != record {
		t.Errorf("stored are %d, want only %d, which has the key\n%s", calls, record, w.Log())
	}
}
