package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 156: a call that waited, and may wait for ever, has ended, and the store does
// not delete it. Its app is told all the same, and what is true: a later page may send
// it. Where the store deletes it in time it was not sent, and will not be.
func TestFault156_BrokenStoreAndNoLimit(t *testing.T) {
	const hour = 3_600_000
	triggers := map[string]func(q *queue){
		"unsent": func(q *queue) { q.hold(false) },
		"cancelled": func(
			q *queue) {
			q.do("cancel", func(c *mcp.Client, now engine.Time) { c.Cancel(now, q.call, "") })
		},
	}
	for _, within := range []int64{-1, 24 * hour} {
		for code, trigger := range triggers {
			for _, end := range []string{"quota", "failed", "hangs"} {
				for _, works := range []bool{false, true} {
					q := newQueue(t, mcp.Config{}, mcp.CallOptions{Timeouts: mcp.Timeouts{Send: within}})
					q.land(journal.ResultOK)
					trigger(q)
					for range 20 {
						q.end(end)
						q.pass(1_000)
					}
					if len(q.told) > 0 {
						t.Fatalf("%d, %s, %s: told %v while its record is stored\n%s", within, code, end,
							q.told, q.Log())
					}
					want, sent := "outcome_unknown", 1
					if works {
						want, sent = code, 0
						for q.Store.Flying() == 0 {
							q.pass(1_000)
						}
						q.land(journal.ResultOK)
						q.pass(1_000)
						q.land(journal.ResultOK)
					}
					for range 60 {
						q.pass(10_000)
						q.end(end)
					}
					if len(q.told) != 1 || q.told[0] != want {
						t.Errorf("%d, %s, %s, %t: told %v, want %s\n%s", within, code, end, works, q.told,
							want, q.Log())
					}
					if at, ok := q.Client.Deadline(); ok && q.Store.Flying() == 0 {
						t.Errorf("%d, %s, %s, %t: something is due at %d: the store is asked for ever\n%s",
							within, code, end, works, at, q.Log())
					}
					q.next()
					if q.posts != sent {
						t.Errorf("%d, %s, %s, %t: the next page sends %d\n%s", within, code, end, works,
							q.posts, q.Log())
					}
				}
			}
		}
	}
}
