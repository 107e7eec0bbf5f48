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

// queue is a page with a call whose head is stored, and that waits for a connection.
type queue struct {
	coretest.MCP
	t     *testing.T
	call  engine.CallID
	posts int      // requests of the call that have left, of all pages
	told  []string // how it has ended for the app, in the order of the pages
}

// newQueue opens a page whose host has few connections, and makes the call.
func newQueue(t *testing.T, cfg mcp.Config, o mcp.CallOptions) *queue {
	cfg.Journal, cfg.NoListen, cfg.Scarce = true, true, true
	if cfg.Wall == 0 {
		cfg.Wall = 1_790_000_000_000
	}
	q := &queue{MCP: coretest.NewMCP(t, cfg), t: t}
	q.Handshake("2025-11-25")
	q.Stored(journal.ResultOK, 0)
	o.Durable = true
	q.call, _ = q.MCP.Call("tools/call", `{"name":"pay"}`, o)
	return q
}

// look counts what the last input has brought.
func (q *queue) look() {
	for _, e := range q.Effects {
		if e.Kind == engine.Fetch && strings.Contains(string(e.Request.Body), `"tools/call"`) {
			q.posts++
		}
		if e.Kind == engine.Settle && e.C == q.call {
			code := "result"
			if e.Failure != nil {
				code = string(e.Failure.Code)
			}
			q.told = append(q.told, code)
		}
	}
	q.Effects = nil
}

// do runs an input.
func (q *queue) do(line string, input func(c *mcp.Client, now engine.Time)) {
	q.Input(line, input)
	q.look()
}

// hold gives the call a connection, or takes it away.
func (q *queue) hold(held bool) {
	q.do("hold", func(c *mcp.Client, now engine.Time) { c.Hold(now, q.call, held) })
}

// land ends commits until none is under way.
func (q *queue) land(result journal.Result) {
	for n := 0; q.Store.Flying() != 0; n++ {
		if n > 20 {
			q.t.Fatalf("commits without end\n%s", q.Log())
		}
		q.Stored(result, 0)
		q.look()
	}
}

func (q *queue) pass(ms int64) {
	q.Advance(ms)
	q.look()
}

// next is the page after a reload, whose calls have a connection at once.
func (q *queue) next() {
	q.call = 1
	q.Reload()
	q.look()
	q.Start()
	q.look()
	q.hold(false)
	q.land(journal.ResultOK)
}

// Fault 126: the store fails while a call waits for a connection. It ends as unsent,
// and no later page sends it: not after the app has given it up, and not beside the
// one that the app makes in its place.
func TestFault126_RejectedIsNotSent(t *testing.T) {
	q := newQueue(t, mcp.Config{}, mcp.CallOptions{})
	q.land(journal.ResultOK)
	q.hold(false) // the note that it leaves finds no room
	q.Stored(journal.ResultQuota, 0)
	q.look()
	q.land(journal.ResultOK)
	if len(q.told) != 1 || q.told[0] != "unsent" || q.posts != 0 {
		t.Errorf("told %v, %d requests\n%s", q.told, q.posts, q.Log())
	}
	q.do("abandon", func(c *mcp.Client, now engine.Time) { c.Ack(now, q.call, 0, 0) })
	q.land(journal.ResultOK)
	q.next()
	if q.posts != 0 {
		t.Errorf("the next page has sent it\n%s", q.Log())
	}
}

// Fault 127: a call that waits is not sent weeks later.
func TestFault127_NotWeeksLater(t *testing.T) {
	const hour = 3_600_000
	for away, sent := range map[int64]int{1_000: 1, hour: 0, 7 * 24 * hour: 0, 29 * 24 * hour: 0,
		31 * 24 * hour: 0, -hour: 0} {
		q := newQueue(t, mcp.Config{}, mcp.CallOptions{})
		q.land(journal.ResultOK)
		q.JumpWall(away)
		q.next()
		q.pass(1_000)
		if q.posts != sent {
			t.Errorf("after %d ms %d requests leave\n%s", away, q.posts, q.Log())
		}
	}
}

// Fault 128: the note that a call leaves is on disk before it does, where its head
// was stored before: a power cut that took the note back would have it sent again.
func TestFault128_NoteIsStrict(t *testing.T) {
	for _, flags := range []journal.Flags{0, journal.ReadOnly} {
		q := newQueue(t, mcp.Config{}, mcp.CallOptions{Flags: flags})
		q.land(journal.ResultOK)
		q.hold(false)
		if q.posts != 0 || !strings.HasSuffix(q.Log(), "strict; log 2/1/1 [sent]; then transmit c2") {
			t.Errorf("flags %b: %d requests before the note is on disk\n%s", flags, q.posts, q.Log())
		}
		q.land(journal.ResultOK)
		if q.posts != 1 {
			t.Errorf("flags %b: %d requests", flags, q.posts)
		}
	}
}

// end lets the commit under way end in some way; nothing where there is none.
func (q *queue) end(how string) {
	if q.Store.Flying() == 0 {
		return
	}
	switch how {
	case "ok":
		q.Stored(journal.ResultOK, 0)
	case "quota":
		q.Stored(journal.ResultQuota, 0)
	case "failed":
		q.Stored(journal.ResultFailed, durable.ReasonFailed)
	case "late": // it is stored, when nobody waits for it any more
		q.pass(3_000)
		q.Stored(journal.ResultOK, 0)
	case "hangs":
		q.pass(3_000)
	}
	q.look()
}

// hasLeft tells what the app may believe of a word.
func hasLeft(code string) bool { return code != "unsent" && code != "cancelled" }

// Fault 126: every way in which the commits of a call that waits can end, that of its
// head, that of what becomes of it, and that of its deletion, with the page gone at any
// time. It is sent once at most, and never where the app was told that it was not. A
// page that lives tells, or goes on to wait, no longer than it may (sendWithin).
func TestFault126_Matrix(t *testing.T) {
	const within = 60_000
	triggers := map[string]func(q *queue){
		"a connection": func(q *queue) { q.hold(false) },
		"cancel": func(
			q *queue) {
			q.do("cancel", func(c *mcp.Client, now engine.Time) { c.Cancel(now, q.call, "") })
		},
		"its time": func(q *queue) { q.pass(within) },
		"nothing":  func(q *queue) {},
	}
	ends := []string{"ok", "quota", "failed", "late", "hangs"}
	runs, words := 0, map[string]int{}
	for _, head := range ends {
		for trigger, pull := range triggers {
			for _, note := range ends {
				for _, deletion := range ends {
					for _, lives := range []int64{0, 1_000, 2 * within} { // ms that the page lives on
						for _, away := range []int64{100, within / 2, 2 * within} {
							q := newQueue(t, mcp.Config{},
								mcp.CallOptions{Timeouts: mcp.Timeouts{Send: within}})
							q.end(head)
							pull(q)
							q.end(note)
							q.end(deletion)
							if lives > 0 {
								for range 3 {
									q.pass(lives / 3)
									q.end(deletion)
								}
							}
							if len(q.told) > 0 {
								q.do("ack", func(c *mcp.Client, now engine.Time) { c.Ack(now, q.call, 0, 0) })
								q.end(deletion)
							} else if lives > within && q.posts == 0 {
								t.Fatalf("%s, %s, %s, %s: it waits for longer than it may\n%s", head, trigger,
									note, deletion, q.Log())
							}
							here := q.posts
							q.JumpWall(away)
							q.next()
							q.pass(1_000)
							q.land(journal.ResultOK)
							runs++
							for _, code := range q.told {
								words[code]++
							}
							never := len(q.told) > 0 && !hasLeft(q.told[0])
							if q.posts > 1 || never && q.posts > 0 || q.posts > here && lives+away > within {
								t.Fatalf("%s, %s, %s, %s, %d, %d: told %v, and %d requests have left, %d of "+
									"them from the first page\n%s",
									head, trigger, note, deletion, lives, away, q.told, q.posts, here,
									q.Log())
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d runs: %v", runs, words)
}

// Fault 127: what a machine sleeps counts, though its clock stands still meanwhile.
func TestFault127_SleptWhileItWaited(t *testing.T) {
	for _, slept := range []int64{100_000, 400_000} {
		q := newQueue(t, mcp.Config{}, mcp.CallOptions{})
		q.land(journal.ResultOK)
		q.do("slept", func(c *mcp.Client, now engine.Time) { c.Slept(now, slept) })
		q.hold(false)
		q.land(journal.ResultOK)
		if late := slept > 300_000; late != (q.posts == 0) ||
			late != (len(q.told) == 1 && q.told[0] == "unsent") {
			t.Errorf("slept for %d ms: %d requests, told %v\n%s", slept, q.posts, q.told, q.Log())
		}
	}
}

// Fault 127: what a reload would do to a call that waits is what its guarantee says, to
// its page and to those that follow: once its record is stored, another page sends it.
func TestFault127_GuaranteeOfAQueuedCall(t *testing.T) {
	q := newQueue(t, mcp.Config{}, mcp.CallOptions{})
	told := func(want string) {
		t.Helper()
		if got := strings.Join(q.Delivered(q.call, engine.EventGuarantee), ""); got != want {
			t.Errorf("told %q, want %q\n%s", got, want, q.Log())
		}
	}
	told("") // until then nothing is stored
	q.Stored(journal.ResultOK, 0)
	told("") // most calls do not wait for long
	q.Advance(1_000)
	told(`{"guarantee":"resumable"}`)
	q.Input("hold", func(c *mcp.Client, now engine.Time) { c.Hold(now, q.call, false) })
	told(`{"guarantee":"lost-on-reload"}`)
	q.Stored(journal.ResultOK, 0)
	told("")

	// One that is let go at once is told nothing that is to be taken back.
	q = newQueue(t, mcp.Config{}, mcp.CallOptions{})
	q.Stored(journal.ResultOK, 0)
	q.Input("hold", func(c *mcp.Client, now engine.Time) { c.Hold(now, q.call, false) })
	q.Stored(journal.ResultOK, 0)
	q.Advance(1_000)
	told("")

	q = newQueue(t, mcp.Config{}, mcp.CallOptions{})
	q.land(journal.ResultOK)
	q.Reload()
	if !strings.Contains(q.Log(), `"owned":true,"guarantee":"resumable"`) {
		t.Errorf("the next page is told otherwise\n%s", q.Log())
	}
}
