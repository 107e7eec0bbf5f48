package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// crowd is a page that knows of no other tab, and calls that wait for connections.
type crowd struct {
	coretest.MCP
	calls []engine.CallID   // of this page, in their order
	left  []string          // the tools whose requests have left, of all pages
	at    map[string]uint32 // the exchange of each
	told  map[string]string // how each call has ended for the app of the newest page
	names map[engine.CallID]string
}

func newCrowd(t *testing.T, calls int) *crowd { return newCrowdOf(t, mcp.Config{}, calls) }

func newCrowdOf(t *testing.T, cfg mcp.Config, calls int) *crowd {
	cfg.Journal, cfg.NoListen, cfg.Scarce, cfg.Wall = true, true, true, 1_790_000_000_000
	q := &crowd{MCP: coretest.NewMCP(t, cfg), at: map[string]uint32{}}
	q.Handshake("2025-11-25")
	q.Stored(journal.ResultOK, 0)
	q.blank()
	q.alone(true)
	for n := range calls {
		q.make(fmt.Sprint(n), mcp.CallOptions{})
	}
	return q
}

// blank forgets what a page knew.
func (q *crowd) blank() {
	q.calls, q.told, q.names = nil, map[string]string{}, map[engine.CallID]string{}
}

// make makes a call of the tool.
func (q *crowd) make(name string, o mcp.CallOptions) {
	o.Durable = true
	c, _ := q.MCP.Call("tools/call", `{"name":"`+name+`"}`, o)
	q.calls, q.names[c] = append(q.calls, c), name
	q.look()
}

// look notes what the last input has brought.
func (q *crowd) look() {
	for _, e := range q.Effects {
		switch e.Kind {
		case engine.Recall:
			_, after, _ := strings.Cut(string(e.Data), `"name":"`)
			name, _, _ := strings.Cut(after, `"`)
			q.calls, q.names[e.C] = append(q.calls, e.C), name
		case engine.Fetch:
			if _, after, ok := strings.Cut(string(e.Request.Body), `"name":"`); ok {
				name, _, _ := strings.Cut(after, `"`)
				q.left, q.at[name] = append(q.left, name), uint32(e.X)
			}
		case engine.Settle:
			how := "result"
			if e.Failure != nil {
				how = string(e.Failure.Code)
			}
			q.told[q.names[e.C]] = how
		}
	}
	q.Effects = nil
}

func (q *crowd) do(line string, input func(c *mcp.Client, now engine.Time)) {
	q.Input(line, input)
	q.look()
}

func (q *crowd) alone(is bool) {
	q.do(fmt.Sprintf("alone %t", is), func(c *mcp.Client, now engine.Time) { c.Alone(now, is) })
}

// connect gives a call of this page a connection.
func (q *crowd) connect(n int) {
	q.do("hold", func(c *mcp.Client, now engine.Time) { c.Hold(now, q.calls[n], false) })
}

// land ends the commits that are under way, and those that follow.
func (q *crowd) land() {
	for q.Store.Flying() != 0 {
		q.Stored(journal.ResultOK, 0)
		q.look()
	}
}

func (q *crowd) pass(ms int64) {
	q.Advance(ms)
	q.look()
}

func (q *crowd) hide() { q.do("hide", (*mcp.Client).Hide) }

// answer has the server answer a tool's request.
func (q *crowd) answer(name string) {
	x := engine.ExchangeID(q.at[name])
	q.Head(x, 200, "content-type", "application/json")
	q.Chunk(x, coretest.Result(coretest.RequestID(q.Exchange(x).Request), `{"content":[]}`))
	q.End(x, engine.EndClean)
	q.look()
}

// next is another page, whose calls have connections at once.
func (q *crowd) next() {
	q.blank()
	q.Reload()
	q.look()
	q.Start()
	q.look()
	for n := range q.calls {
		q.connect(n)
	}
	q.land()
}

// Small calls that wait for connections leave with hardly any commits of their own, and each
// once it is stored that it does.
func TestFault409_StoredAhead(t *testing.T) {
	const calls = 30
	q := newCrowd(t, calls)
	first := q.Store.Flying()
	for n := range 3 {
		q.connect(n)
	}
	for n := range calls {
		q.land()
		if len(q.left) <= n {
			t.Fatalf("call %d has a connection, and has not left\n%s", n, q.Log())
		}
		q.answer(fmt.Sprint(n))
		q.do("handed", func(c *mcp.Client, now engine.Time) { c.Handed(now, q.calls[n]) })
		if n+3 < calls {
			q.connect(n + 3)
		}
		q.pass(2)
	}
	q.land()
	var want []string
	for n := range calls {
		want = append(want, fmt.Sprint(n))
	}
	if !slices.Equal(q.left, want) {
		t.Errorf("left: %v\n%s", q.left, q.Log())
	}
	before := len(strings.Split(q.Log(), "\n          store "))
	if before > calls/3 {
		t.Errorf("%d commits for %d calls (the first was %d)\n%s", before, calls, first, q.Log())
	}
}

// Fault 409: it was stored that a call leaves, and it has not when something happens: the page
// is left, crashes, or another tab comes. Sent again is none that may have left, and what is
// known not to have left is sent by the next page.
func TestFault409_WhatHasNotLeft(t *testing.T) {
	const unknown, sent, never = "outcome_unknown", "sent", "unsent"
	for _, row := range []struct {
		name   string
		before func(q *crowd)
		want   string // of the call that waits, on the next page
	}{
		{"crash", func(*crowd) {}, unknown},
		{"crash after 250 ms", func(q *crowd) { q.pass(250); q.land() }, sent},
		{"left", func(q *crowd) { q.hide() }, sent},
		{"left twice", func(q *crowd) { q.hide(); q.hide() }, sent},
		{"left within the client's time for calls", func(q *crowd) { q.hide(); q.JumpWall(1_000) }, sent},
		{"left, and the next page comes weeks later",
			func(q *crowd) { q.hide(); q.JumpWall(14 * 24 * 3_600_000) }, never},
		{"left while that it waits still is behind another commit", func(q *crowd) {
			q.pass(200)
			q.make("k", mcp.CallOptions{Key: "k"})
			q.pass(60)
			q.hide()
		}, sent},
		{"another tab comes, and it is left while another commit is under way", func(q *crowd) {
			q.make("k", mcp.CallOptions{Key: "k"})
			q.alone(false)
			q.hide()
		}, sent},
		{"closed", func(q *crowd) { q.do("close", (*mcp.Client).Close) }, sent},
		{"another tab comes", func(q *crowd) { q.alone(false); q.land() }, sent},
		{"cancelled", func(q *crowd) {
			q.do("cancel", func(c *mcp.Client, now engine.Time) { c.Cancel(now, q.calls[1], "") })
			q.land()
		}, "cancelled"},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := newCrowd(t, 2)
			q.connect(0)
			q.land()
			row.before(q)
			before := slices.Clone(q.left)
			q.next()
			got := q.told["1"]
			if !slices.Contains(before, "1") && slices.Contains(q.left, "1") {
				got = sent
			}
			if got != row.want {
				t.Errorf("the call that had not left: %q, want %q\n%s", got, row.want, q.Log())
			}
			for _, name := range q.left {
				if n := len(slices.DeleteFunc(slices.Clone(q.left),
					func(other string) bool { return other != name })); n != 1 {
					t.Errorf("tool %s was called %d times\n%s", name, n, q.Log())
				}
			}
			if strings.Contains(q.Log(), "quarantined") {
				t.Error(q.Log())
			}
		})
	}
}

// A page is left while the commit is under way that has of two calls that they leave. Neither
// has, and the store cannot say so behind a commit that may not begin: no page sends them.
func TestFault409_LeftWhileItIsStored(t *testing.T) {
	q := newCrowd(t, 2)
	q.connect(0)
	q.hide()
	q.Stored(journal.ResultOK, 0) // nobody hears of it
	q.Effects = nil
	q.next()
	if len(q.left) > 0 || q.told["0"] != "outcome_unknown" || q.told["1"] != "outcome_unknown" {
		t.Errorf("left %v, told %v\n%s", q.left, q.told, q.Log())
	}
}

// A call that waits is not put into memory where the store is over its limit: it could not be sent then.
func TestFault409_OverTheLimit(t *testing.T) {
	q := newCrowdOf(t, mcp.Config{Limits: mcp.Limits{Stored: 2_000}}, 0)
	q.make("k", mcp.CallOptions{Key: "k"})
	q.land()
	q.connect(0)
	q.land()
	q.make("0", mcp.CallOptions{})
	q.make("1", mcp.CallOptions{})
	q.connect(1)
	q.land()
	q.pass(250)
	q.land()
	x := engine.ExchangeID(q.at["k"])
	q.Head(x, 200, "content-type", "text/event-stream")
	q.Chunk(x,
		"id: 1\ndata: "+`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+
			coretest.RequestID(q.Exchange(x).Request)+
			`,"progress":1,"message":"`+strings.Repeat("y", 3000)+`"}}`+"\n\n")
	q.look()
	q.land()
	q.connect(2)
	q.land()
	if q.told["1"] != "" || !slices.Equal(q.left, []string{"k", "0", "1"}) {
		t.Errorf("left %v, told %v\n%s", q.left, q.told, q.Log())
	}
}

// What is large waits for its own commit: the one that leaves would wait for it, or find no room.
func TestFault409_LargeCalls(t *testing.T) {
	q := newCrowd(t, 1)
	large := strings.Repeat("x", 300_000)
	for n := 1; n < 5; n++ {
		q.make(fmt.Sprint(n)+`","a":"`+large, mcp.CallOptions{})
	}
	q.connect(0)
	q.land()
	if got := len(q.Store.Calls()); got != 1 || len(q.left) != 1 {
		t.Errorf("%d calls are stored, %d have left", got, len(q.left))
	}
}

// What was stored ahead counts for the session, the time and the tab that it was stored for:
// else it is stored again, strictly, before the call leaves.
func TestFault409_StoredOnceMore(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(q *crowd)
		again  bool
	}{
		{"at once", func(*crowd) {}, false},
		{"another tab has come", func(q *crowd) { q.alone(false); q.land() }, true},
		{"another tab has come and gone", func(q *crowd) { q.alone(false); q.land(); q.alone(true) }, true},
		{"250 ms later", func(q *crowd) { q.pass(250); q.land() }, true},
		{"the machine slept", func(q *crowd) {
			q.do("slept", func(c *mcp.Client, now engine.Time) { c.Slept(now, 2_000) })
		}, true},
		{"the page was left, and goes on", func(q *crowd) { q.hide() }, true},
		{"in another session", func(q *crowd) {
			before := engine.ExchangeID(q.at["0"])
			q.Head(before, 404)
			for n := 0; q.Newest() == before && n < 20; n++ {
				q.land()
				q.pass(q.NextDeadline())
			}
			x := q.Newest()
			q.Head(x, 200, "content-type", "application/json", "mcp-session-id", "s2")
			q.Chunk(x, coretest.Result(coretest.RequestID(q.Exchange(x).Request),
				`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"world",`+
					`"version":"1"}}`))
			q.End(x, engine.EndClean)
			q.Head(q.Newest(), 202)
			q.End(q.Newest(), engine.EndClean)
			q.look()
			q.land()
		}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := newCrowd(t, 2)
			q.connect(0)
			q.land()
			row.before(q)
			n := len(q.left)
			q.connect(1)
			if left := len(q.left) > n; left == row.again {
				t.Errorf("it has left before anything is stored: %v\n%s", left, q.Log())
			}
			q.land()
			if q.left[len(q.left)-1] != "1" {
				t.Errorf("it has not left\n%s", q.Log())
			}
		})
	}
}
