package mcp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 62: where there is no room, calls that the app has had to their end make
// it, oldest first, in a transaction before; one whose outcome is being stored
// right then is not among them.
func TestFault62_QuotaMakesRoom(t *testing.T) {
	j := newJourney(t, 0, 0, 1<<20)
	for j.tick() {
	}
	done := j.errands[0].record
	j.call(&errand{total: 2, ids: true})
	late := j.errands[1]
	j.stopsBefore("outcome")
	j.stored(journal.ResultQuota, 0)
	if j.memory || j.Store.Flying() == 0 {
		j.fatal("it gives up although there is room to be made")
	}
	j.stored(journal.ResultOK, 0)
	if j.shelf.calls[done] != nil || late.page.settled != nil {
		j.fatal("the finished call is still there, or the outcome is told before it is stored")
	}
	j.stored(journal.ResultOK, 0)
	if r := j.shelf.calls[late.record]; r == nil || r.Outcome == 0 || late.page.settled == nil {
		j.fatal("the call whose outcome was being stored is gone, or has not settled")
	}
	j.reloadAs(true, true)
	if late.page == nil || late.page.settled == nil {
		j.fatal("the next page does not get its outcome")
	}
}

// Fault 62: at every commit of a call's life there is no room, and none to be
// made: memory has to do, the app is told, the call goes on at once and what is
// stored stays consistent for the next page. So it is where the transaction
// aborts without an error event (fault 68), and where it never ends (fault 63).
func TestFault62_63_68_EveryCommitFails(t *testing.T) {
	fails := map[string]func(j *journey){
		"quota": func(j *journey) { j.stored(journal.ResultQuota, 0) },
		"abort": func(j *journey) { j.stored(journal.ResultFailed, durable.ReasonFailed) },
		"hang":  func(j *journey) { j.Advance(3_000) },
		"late":  func(j *journey) { j.Advance(3_000); j.stored(journal.ResultOK, 0) },
		"lost":  func(j *journey) { j.stored(journal.ResultFailed, durable.ReasonLost); j.storeIsBack() },
	}
	for name, fail := range fails {
		for _, flags := range []journal.Flags{0, journal.Idempotent} {
			for nth := 1; ; nth++ {
				j := newJourney(t, flags, 1, 1<<20)
				commits, failed := 0, false
				for n := 0; n < 500; n++ {
					if j.Store.Flying() != 0 && j.flew == 0 {
						if commits++; commits == nth {
							failed = true
							fail(j)
						}
					}
					if !j.tick() {
						break
					}
				}
				if !failed {
					break
				}
				if !strings.Contains(j.Log(), `"durability":"memory"`) {
					j.fatal("%s of commit %d: the app is not told", name, nth)
				}
				e := j.errands[0]
				s := e.page.settled
				if s == nil {
					j.fatal("%s of commit %d: the call does not go on", name, nth)
				}
				// It was made before the client was open: where the store failed
				// between its head and the note that it leaves, it must not leave.
				stayed := s.Failure != nil && s.Failure.Code == engine.CodeUnsent && len(e.runs) == 0
				if s.Outcome != engine.OutcomeResult && !stayed {
					j.fatal("%s of commit %d: it ends with %s", name, nth, coretest.Describe(*s))
				}
				j.reloadAs(false, false)
				j.finishes() // and never runs twice
			}
		}
	}
}

// Fault 63: without a store everything works as if no call had been durable.
func TestFault63_NoStore(t *testing.T) {
	r := connected(t, mcp.Config{})
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Key: "k"})
	x := r.Newest()
	r.Head(x, 200, "content-type", coretest.JSON)
	r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request), `{}`))
	r.End(x, engine.EndClean)
	if s := r.call(c).settled; s == nil || s.Outcome != engine.OutcomeResult {
		r.fatal("the call has no result")
	}
	r.input("ack", func(m *mcp.Client, now engine.Time) { m.Ack(now, c, 0, 0) })
	r.wantIdle()
}

// Fault 63: what is stored without its secrets is no promise, nor is the row
// after it, which has none. A secret that is stored later is one.
func TestFault63_UnsealedIsNoPromise(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	w.Stored(journal.ResultOK, 0)
	c, _ := w.Call("tools/call", `{"name":"0"}`, mcp.CallOptions{Durable: true})
	w.Stored(journal.ResultOK, 0)
	x := w.Fetched()
	id := coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.Stream)
	for _, step := range []struct {
		text   string
		result journal.Result
		told   string
	}{
		{coretest.Message("1", coretest.Progress(id, 1)), journal.ResultUnsealed, ""},
		{coretest.Message("", coretest.Progress(id, 2)), journal.ResultOK, ""},
		{coretest.Message("3", coretest.Progress(id, 3)), journal.ResultOK, `{"guarantee":"resumable"}`},
	} {
		w.Chunk(x, step.text)
		w.Stored(step.result, 0)
		if told := strings.Join(w.Delivered(c, engine.EventGuarantee), ""); told != step.told {
			t.Fatalf("after %q the app is told %q, want %q\n%s", step.text, told, step.told, w.Log())
		}
	}
}

// twoCalls returns what a page is given that finds two calls: one in the middle
// of its stream, with every kind of entry that it can have, and a finished one.
func twoCalls(t *testing.T) (ops []journal.Op) {
	j := newJourney(t, 0, 1, 200)
	for j.tick() {
	}
	j.call(&errand{total: 3, questions: 1, ids: true, retry: "retry: 10\n"})
	j.until("an answer that is not taken", func() bool {
		r := j.shelf.calls[j.errands[1].record]
		return r != nil && len(r.Outbox) > 0
	})
	for r := journal.ReadOps(j.Store.Loaded()); ; {
		op, ok := r.Next()
		if !ok {
			return ops
		}
		op.Plain, op.Secret = bytes.Clone(op.Plain), bytes.Clone(op.Secret)
		ops = append(ops, op)
	}
}

// load lets a new page read the ops; it returns the calls that it is told of.
func load(ops []journal.Op) (recalled []string, c *mcp.Client) {
	var loaded []byte
	for _, op := range ops {
		loaded = journal.AppendOp(loaded, op)
	}
	c = mcp.New(mcp.Config{URL: "https://server.test/mcp",
		ClientInfo: []byte(`{"name":"coretest","version":"1"}`), Revision: "2025-11-25",
		NoListen: true, Journal: true, Epoch: 7, Handles: []string{"elicitation/create"},
		Wall: 1_790_000_000_000})
	c.Restore(1_000_000, loaded)
	drain := func() {
		for {
			e, ok := c.Next()
			if !ok {
				return
			}
			if e.Kind == engine.Recall {
				recalled = append(recalled, string(e.Data))
			}
		}
	}
	drain()
	c.Start(1_000_000)
	drain()
	c.Advance(1_001_000)
	drain()
	return recalled, c
}

// Fault 70: a row that is cut, flipped, from a newer version or hostile in any
// byte costs at most its own call: the others load, nothing panics, what is left
// aside is counted, and the row stays where it is.
func TestFault70_CorruptRows(t *testing.T) {
	whole := twoCalls(t)
	if told, _ := load(whole); len(told) != 2 {
		t.Fatalf("the page is told of %d calls", len(told))
	}
	other := func(told []string, call uint64) bool { // whether calls other than that are told
		n := 0
		for _, text := range told {
			if !strings.Contains(text, `"id":`+uintText(call)+`,`) {
				n++
			}
		}
		return n == 1
	}
	runs, aside := 0, 0
	for i, op := range whole {
		for _, secret := range []bool{false, true} {
			part := op.Plain
			if secret {
				part = op.Secret
			}
			for at := 0; at <= len(part); at += 1 + (slow-1)/4 {
				for _, damage := range []func(p []byte) []byte{
					func(p []byte) []byte { return p[:at] },
					func(p []byte) []byte { p[min(at, len(p)-1)] ^= 0xff; return p },
					func(p []byte) []byte { p[min(at, len(p)-1)] = 0; return p },
					func(p []byte) []byte { p[0] = 0xfe; return p }, // another version
					func(p []byte) []byte { return append(p[:at:at], bytes.Repeat([]byte{0xff}, 40)...) },
				} {
					if len(part) == 0 {
						continue
					}
					ops := append([]journal.Op(nil), whole...)
					broken := damage(bytes.Clone(part))
					if secret {
						ops[i].Secret = broken
					} else {
						ops[i].Plain = broken
					}
					told, c := load(ops)
					runs++
					// a time that makes no sense has expired
					if n := c.Counters(); n.QuarantinedRecords+n.ExpiredCalls > 0 {
						aside++
					} else if op.Kind != journal.OpServer && len(told) != 2 {
						t.Fatalf("row %d, byte %d: a call is missing, and nothing is counted", i, at)
					}
					if op.Kind == journal.OpServer && len(told) != 2 ||
						op.Kind != journal.OpServer && !other(told, op.Call) {
						t.Fatalf("row %d (call %d), byte %d: it takes other calls with it: %q", i, op.Call,
							at, told)
					}
				}
			}
		}
	}
	t.Logf("%d damaged stores, %d records left aside: the others load", runs, aside)
}

func uintText(n uint64) string {
	text := ""
	for ; n > 0; n /= 10 {
		text = string(rune('0'+n%10)) + text
	}
	return text
}

// Fault 73: events and the cursor that covers them are stored by one commit,
// whatever arrives in one chunk and however late commits land: after a crash at
// any input the cursor that is stored is the last stored event's. (life.fold
// checks each row as it lands, auditFetch each resume.)
func TestFault73_CursorWithItsEvents(t *testing.T) {
	rows := 0
	for _, pieces := range []int{1, 7, 61, 150, 400, 1 << 20} {
		for _, lag := range []int{0, 1, 2, 3, 5, 9, 20} {
			for _, later := range []int{3, 20, 60, 200} {
				j := newJourney(t, 0, lag, pieces)
				e := j.errands[0]
				j.until("the stream is up", j.has(1))
				for range later {
					j.tick()
				}
				j.reloadAs(false, true)
				r := j.shelf.calls[e.record]
				if r.Outcome == 0 {
					again := j.Store.Record(e.record)
					if !bytes.Equal(again.Cursor, r.Cursor) || again.Position != r.Position {
						j.fatal("the next page is given cursor %s and %d events, and %s and %d are stored",
							again.Cursor, again.Position, r.Cursor, r.Position)
					}
					rows++
				}
				j.finishes()
			}
		}
	}
	if rows < 50 {
		t.Errorf("only %d reloads were in the middle of a stream", rows)
	}
}
