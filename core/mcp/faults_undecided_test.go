package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// newKeyed opens a page and makes a call, under a key or not, that could leave at once.
func newKeyed(t *testing.T, key string, send int64) *queue {
	return newQueue(t, mcp.Config{},
		mcp.CallOptions{Key: key, Connected: true, Timeouts: mcp.Timeouts{Send: send}})
}

// Fault 124: whatever becomes of the commit that is to decide whose a key is, the call
// leaves only once that is known. One without a key goes on in memory, as ever.
func TestFault124_LeavesOnlyOnceDecided(t *testing.T) {
	const within = 600_000
	for _, first := range []string{"hangs", "late", "quota", "failed"} {
		for _, then := range []string{"ok", "hangs", "quota", "failed"} {
			q := newKeyed(t, "", within)
			q.end(first)
			if q.posts != 1 {
				t.Errorf("%s: without a key %d requests leave\n%s", first, q.posts, q.Log())
			}
			q = newKeyed(t, "k", within)
			q.end(first)
			if q.posts != 0 {
				t.Errorf("%s: it leaves before it is known whose the key is\n%s", first, q.Log())
			}
			for range 20 { // it is asked again, more and more rarely
				if q.posts == 0 {
					q.pass(1_000)
				}
				q.end(then)
			}
			decided := then == "ok"
			if sent := q.posts == 1; sent != decided || q.posts > 1 || len(q.told) > 0 {
				t.Errorf("%s, then %s: %d requests, told %v\n%s", first, then, q.posts, q.told, q.Log())
			}
			q.pass(2 * within)
			if unsent := len(q.told) == 1 && q.told[0] == "unsent"; unsent == decided {
				t.Errorf("%s, then %s: told %v when its time is over\n%s", first, then, q.told, q.Log())
			}
			if hinted := strings.Contains(q.Log(), "the call's key"); hinted == decided {
				t.Errorf("%s, then %s: hinted %t\n%s", first, then, hinted, q.Log())
			}
		}
	}
}

// Fault 124: the same holds for a call that is made while the store fails, for one of
// two that is another page's as it turns out, and when the app logs out: then none of
// them leaves (fault 718).
func TestFault124_MadeWhileTheStoreFails(t *testing.T) {
	fails := func() *queue {
		q := newKeyed(t, "other", 60_000)
		q.end("quota")
		q.call, _ = q.MCP.Call("tools/call", `{"name":"later"}`,
			mcp.CallOptions{Durable: true, Connected: true, Key: "k", Timeouts: mcp.Timeouts{Send: 60_000}})
		q.look()
		return q
	}
	q := fails()
	if q.posts != 0 {
		t.Fatalf("%d requests leave\n%s", q.posts, q.Log())
	}
	q.pass(1_000)
	q.land(journal.ResultOK)
	if q.posts != 2 {
		t.Errorf("%d requests leave once the store works\n%s", q.posts, q.Log())
	}

	q = fails()
	q.do("logout", func(c *mcp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonClosed) })
	if q.posts != 0 || len(q.told) != 1 || q.told[0] != "unsent" {
		t.Errorf("%d requests leave after a logout, told %v\n%s", q.posts, q.told, q.Log())
	}

	q = newKeyed(t, "k", 60_000)
	q.Store.Quota = 1
	q.end("quota")
	q.do("another page's", func(c *mcp.Client, now engine.Time) {
		head := journal.AppendHead(nil,
			&journal.Head{Key: "k", Method: "tools/call", Params: []byte(`{"name":"pay"}`)})
		c.Restore(now,
			journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Call: 9<<24 + 2, Epoch: 1, Plain: head}))
	})
	q.Store.Quota = 0
	q.pass(30_000)
	q.land(journal.ResultOK)
	if q.posts != 0 || !strings.Contains(q.Log(), `{"state":"followed"`) {
		t.Errorf("%d requests; it is the other page's\n%s", q.posts, q.Log())
	}
}

// Fault 124: a call that waits for the store ends at once when its app cancels it, with
// what there may be of it deleted.
func TestFault124_CancelledUndecided(t *testing.T) {
	for _, first := range []string{"hangs", "quota"} {
		for _, wait := range []int64{0, 1_000, 5_000} {
			q := newKeyed(t, "k", 60_000)
			q.end(first)
			q.pass(wait)
			q.do("cancel", func(c *mcp.Client, now engine.Time) { c.Cancel(now, q.call, "") })
			for range 10 {
				q.end("ok")
				q.pass(1_000)
			}
			if len(q.told) != 1 || q.told[0] != "cancelled" || q.posts != 0 {
				t.Errorf("%s, %d ms: told %v, %d requests\n%s", first, wait, q.told, q.posts, q.Log())
			}
			if stored := q.Store.Calls(); len(stored) > 0 {
				t.Errorf("%s, %d ms: still stored: %v\n%s", first, wait, stored, q.Log())
			}
		}
	}
}
