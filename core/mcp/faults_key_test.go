package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 145: two pages make one call under one key; to one of them the server has
// listed its tools, so that its request may become a task. It is the same request.
func TestFault145_KeyAndToolFacts(t *testing.T) {
	const plain, task, other = `{"name":"count","arguments":{}}`,
		`{"name":"count","arguments":{},"task":{"ttl":5}}`, `{"name":"count","arguments":{"n":1},"task":{}}`
	for _, c := range []struct {
		theirs, ours string
		same         bool
	}{{plain, task, true}, {task, plain, true}, {task, task, true}, {plain, plain, true},
		{plain, other, false}, {task, other, false}} {
		w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
		w.Handshake("2025-11-25")
		w.Stored(journal.ResultOK, 0)
		id, _ := w.Call("tools/call", c.ours, mcp.CallOptions{Durable: true, Connected: true, Key: "k"})
		w.Input("another page's", func(m *mcp.Client, now engine.Time) {
			head := journal.AppendHead(nil,
				&journal.Head{Key: "k", Method: "tools/call", Params: []byte(c.theirs)})
			m.Restore(now,
				journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Call: 9<<24 + 2, Epoch: 1,
					Plain: head}))
		})
		settled := w.Settled(id)
		if same := settled == nil; same != c.same {
			t.Errorf("%s after %s: the same: %t, want %t\n%s", c.ours, c.theirs, same, c.same, w.Log())
		}
		if c.same && !strings.Contains(w.Log(), `{"state":"followed"`) {
			t.Errorf("%s after %s: the call is not the other page's\n%s", c.ours, c.theirs, w.Log())
		}
	}
}
