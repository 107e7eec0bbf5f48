//go:build unix

package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// asked is what a client has asked of its host since it was last looked at.
func asked(c *mcp.Client) (list []string) {
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		for one := range engine.Unpacked(e) {
			list = append(list, coretest.Describe(one))
		}
	}
	return list
}

// lateCall is a store with a handshake of another client's, ended calls of which
// more are kept than there is room for, and one that goes on at the end of all.
func lateCall(t *testing.T, open bool) []journal.Op {
	t.Helper()
	plain, secret := journal.AppendServer(&journal.Server{Handshake: 3, Revision: "2025-11-25",
		Result: []byte(
			`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`),
		Client: []byte("{\"name\":\"other\"}\n"), HasSession: true, Session: "s1"})
	ops := []journal.Op{{Kind: journal.OpServer, Plain: plain, Secret: secret}}
	r := journal.ReadOps(storedCalls(6)[0])
	for op, ok := r.Next(); ok; op, ok = r.Next() {
		ops = append(ops, op)
	}
	if open {
		head := journal.AppendHead(nil,
			&journal.Head{Method: "tools/call", Params: []byte(`{"name":"open"}`), CreatedAt: 1})
		row := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{99, 3}})
		ops = append(ops, journal.Op{Kind: journal.OpCall, Flags: journal.OpOwned, Call: 99, Epoch: 2,
			Plain: head},
			journal.Op{Kind: journal.OpLog, Call: 99, Epoch: 1, N: 1, Plain: row})
	}
	return ops
}

// What the store holds may come in pieces: nothing is decided by a part of it. The
// session of an earlier page is kept for the call in the last piece, and what there
// is no room for is not forgotten before all of it is known.
func TestRestoreInPieces(t *testing.T) {
	for _, open := range []bool{false, true} {
		var runs [][]string
		for _, each := range []int{1, 2, 100} {
			c := mcp.New(mcp.Config{URL: "https://server.test/mcp",
				ClientInfo: []byte(`{"name":"coretest","version":"1"}`),
				Revision:   "2025-11-25", NoListen: true, Journal: true, Epoch: 2, Seed: 1,
				Limits: mcp.Limits{Stored: 8_000}})
			var all []string
			var piece []byte
			heads := 0
			feed := func() {
				if len(piece) > 0 {
					c.Restore(1, piece)
					all = append(all, asked(c)...)
				}
				piece, heads = nil, 0
			}
			for _, op := range lateCall(t, open) {
				if op.Kind == journal.OpCall {
					if heads == each {
						feed()
					}
					heads++
				}
				piece = journal.AppendOp(piece, op)
			}
			feed()
			c.Start(1)
			runs = append(runs, append(all, asked(c)...))
		}
		for _, other := range runs[1:] {
			if !slices.Equal(runs[0], other) {
				t.Fatalf("in pieces\n%q\nat once\n%q", runs[0], other)
			}
		}
		has := func(text string) bool {
			return slices.ContainsFunc(runs[0], func(s string) bool { return strings.Contains(s, text) })
		}
		if kept := has(`"restored":true`); kept != open || !open && !has(`"method":"initialize"`) {
			t.Errorf("a call is under way in the session: %t, which is kept: %t\n%s", open, kept,
				strings.Join(runs[0], "\n"))
		}
		if !has("forget 1") {
			t.Errorf("nothing is forgotten for want of room\n%s", strings.Join(runs[0], "\n"))
		}
	}
}

// A row that ends a call says so, and one before it does not: who reads the store
// goes by that.
func TestRowsSayThatTheirCallHasEnded(t *testing.T) {
	h := newTally(t, true).connect(t)
	var flags []journal.OpFlags // of the rows that it is given to store
	h.See = func(e engine.Effect) {
		if e.Kind != engine.Store {
			return
		}
		r := journal.ReadOps(e.Data)
		for op, ok := r.Next(); ok; op, ok = r.Next() {
			if op.Kind == journal.OpLog && !op.IsAck() {
				flags = append(flags, op.Flags)
			}
		}
	}
	o, shape := h.open(), hotShapes()[1]
	h.Store()
	for event := range 2 {
		h.Client.Chunk(h.Now, o.x, []byte(shape.event(o.request, event)))
		h.Drain()
		h.Store()
	}
	h.Client.Chunk(h.Now, o.x, []byte(coretest.Message("last", coretest.Result(o.request, `{"content":[]}`))))
	h.Drain()
	h.Store()
	want := []journal.OpFlags{0, 0, journal.OpEnded}
	if n := len(flags) - len(want); n < 0 || !slices.Equal(flags[n:], want) {
		t.Errorf("flags of the rows: %v, want at their end %v", flags, want)
	}
}
