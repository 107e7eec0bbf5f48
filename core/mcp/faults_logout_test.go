package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 158: a logout ends the session, though a call of this page's goes on in it that
// is kept, and though the store fails. A close that is none leaves it to that call.
func TestFault158_LogoutEndsTheSession(t *testing.T) {
	for _, result := range []journal.Result{journal.ResultOK, journal.ResultFailed} {
		for _, logout := range []bool{true, false} {
			w := withSession(t)
			w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
			w.Stored(journal.ResultOK, 0)
			left := false
			if logout {
				w.Input("terminate", (*mcp.Client).Terminate)
				left = deleted(w)
				if left {
					t.Errorf("the DELETE leaves while the session is stored\n%s", w.Log())
				}
			} else {
				closes(w)
			}
			left = left || deleted(w)
			for w.Store.Flying() != 0 {
				w.Stored(result, durable.ReasonFailed)
				left = left || deleted(w)
			}
			if left != logout {
				t.Errorf("logout %t, result %d: a DELETE leaves: %t\n%s", logout, result, left, w.Log())
			}
		}
	}
}

// Fault 158: another tab has logged out, and this one's call goes on in memory: when
// this one is closed nothing is stored of the session, and it is ended.
func TestFault158_LastTabEndsTheSession(t *testing.T) {
	w := withSession(t)
	w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	w.Stored(journal.ResultOK, 0)
	w.Input("logout elsewhere",
		func(c *mcp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonClosed) })
	closes(w)
	if !deleted(w) {
		t.Errorf("no DELETE leaves\n%s", w.Log())
	}
}
