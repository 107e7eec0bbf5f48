package mcp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// newer returns a record as a build writes it that this one cannot read.
func newer(record []byte) []byte { return append([]byte{2, 2}, record[2:]...) }

// skewed is a call of which another build has written a part.
type skewed struct {
	name string
	head []byte
	rows [][]byte
}

const skewedCall = 9<<24 + 2

func skewedCalls() []skewed {
	head := journal.AppendHead(nil,
		&journal.Head{Key: "k", Method: "tools/call", Params: []byte(`{"name":"count"}`)})
	sent := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{skewedCall, 1}})
	event := journal.AppendEntry(nil,
		journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(engine.EventProgress)},
			Data: []byte(`{"progress":1}`)})
	return []skewed{
		{"the head", newer(head), [][]byte{sent, event}},
		{"the last row", head, [][]byte{sent, event, newer(event)}},
		{"a row between", head, [][]byte{sent, newer(event), event}},
		{"the first row", head, [][]byte{newer(sent), event}},
		{"an entry that is none of ours", head, [][]byte{sent, append([]byte{1, 1, 100, 0}, event[2:]...)}},
		{"a row that is missing", head, [][]byte{sent, nil, event}},
	}
}

// ops are the call as a host reads it.
func (s skewed) ops(call uint64, epoch uint32, flags journal.OpFlags) []byte {
	b := journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Flags: flags, Call: call, Epoch: epoch,
		Plain: s.head})
	for i, row := range s.rows {
		if row != nil {
			b = journal.AppendOp(b, journal.Op{Kind: journal.OpLog, Call: call, Epoch: 1, N: uint32(i + 1),
				Plain: row})
		}
	}
	return b
}

// readable is the same call as it was before that part of it was written.
func (s skewed) readable() skewed {
	first := skewedCalls()[1]
	return skewed{head: first.head, rows: first.rows[:1]}
}

// letGo checks that since `from` the host is told to give a record up, and that the
// client does nothing for it, however long it waits.
func letGo(t *testing.T, w coretest.MCP, call uint64, from int) {
	t.Helper()
	for range 40 {
		w.Advance(30_000)
	}
	log := w.Log()[from:]
	if n := strings.Count(log, fmt.Sprintf(`quarantined {"record":%d}`, call)); n != 1 {
		t.Errorf("the host is told %d times\n%s", n, log)
	}
	for line := range strings.Lines(log) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "fetch ") &&
			(strings.Contains(line, `"tools/call"`) || strings.Contains(line, "Last-Event-ID")) {
			t.Errorf("it is carried on: %s\n%s", line, log)
		}
	}
}

// open returns a client that is open, with what it was given to read.
func openWith(t *testing.T, ops []byte) coretest.MCP {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Input("load", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	w.Handshake("2025-11-25")
	w.Stored(journal.ResultOK, 0)
	return w
}

// elsewhere checks that the app of a call was told where it is.
func elsewhere(t *testing.T, w coretest.MCP, id engine.CallID) {
	t.Helper()
	if e := w.Settled(id); e == nil || e.Failure == nil || e.Failure.Code != engine.CodeElsewhere ||
		e.Failure.Retryable {
		t.Errorf("settled: %+v\n%s", e, w.Log())
	}
}

// Fault 135: a page finds what another build has written, and has taken it over with
// all that a page which is gone has left.
func TestFault135_LoadedAndLeftAlone(t *testing.T) {
	for _, c := range skewedCalls() {
		for _, flags := range []journal.OpFlags{journal.OpOwned, 0} {
			t.Run(fmt.Sprint(c.name, flags), func(t *testing.T) {
				w := openWith(t, c.ops(skewedCall, 2, flags))
				if strings.Contains(w.Log(), "recall") {
					t.Errorf("the app is told of it\n%s", w.Log())
				}
				letGo(t, w, skewedCall, 0)
			})
		}
	}
}

// Fault 135: a page follows a call that it could read so far, and finds that another
// one carries it, or takes it over since the page that had it is gone.
func TestFault135_FollowedUntilThen(t *testing.T) {
	for _, c := range skewedCalls() {
		for _, flags := range []journal.OpFlags{journal.OpOwned, 0} {
			t.Run(fmt.Sprint(c.name, flags), func(t *testing.T) {
				w := openWith(t, c.readable().ops(skewedCall, 1, 0))
				w.Input("changed hands",
					func(m *mcp.Client, now engine.Time) { m.Restore(now, c.ops(skewedCall, 2, flags)) })
				elsewhere(t, w, 1)
				letGo(t, w, skewedCall, 0)
			})
		}
	}
}

// Fault 135: the page that carries a call tells of a row that this one cannot read,
// and of more after it.
func TestFault135_ARowIsTold(t *testing.T) {
	c := skewedCalls()[1]
	w := openWith(t, c.readable().ops(skewedCall, 1, 0))
	tell := func(n int, row []byte) {
		w.Input("a row", func(m *mcp.Client, now engine.Time) {
			m.Restore(now,
				journal.AppendOp(nil, journal.Op{Kind: journal.OpLog, Call: skewedCall, Epoch: 1,
					N: uint32(n), Plain: row}))
		})
	}
	tell(2, c.rows[2])
	elsewhere(t, w, 1)
	tell(3, c.rows[1])
	letGo(t, w, skewedCall, 0)
}

// Fault 135: a page was frozen in mid-stream. Another one has taken its call over, and
// gone on in its own words.
func TestFault135_TheOwnerWakes(t *testing.T) {
	for _, c := range skewedCalls() {
		t.Run(c.name, func(t *testing.T) {
			w := openWith(t, nil)
			id, _ := w.Call("tools/call", `{"name":"count"}`, mcp.CallOptions{Durable: true, Connected: true})
			w.Stored(journal.ResultOK, 0)
			x := w.Fetched()
			w.Head(x, 200, "content-type", "text/event-stream")
			call, from := w.Store.Calls()[0], len(w.Log())
			w.Input("woken", func(m *mcp.Client, now engine.Time) { m.Restore(now, c.ops(call, 2, 0)) })
			elsewhere(t, w, id)
			if !w.Emitted(engine.Abort, x) {
				t.Errorf("its stream goes on\n%s", w.Log())
			}
			letGo(t, w, call, from)
		})
	}
}

// Fault 135: the key of a call that this build cannot read stays taken: what has it may
// have run.
func TestFault135_TheKeyStaysTaken(t *testing.T) {
	for _, c := range skewedCalls() {
		t.Run(c.name, func(t *testing.T) {
			w := openWith(t, nil)
			id, effects := w.Call("tools/call", `{"name":"count"}`,
				mcp.CallOptions{Durable: true, Connected: true, Key: "k"})
			lost := journal.AppendOp(nil, journal.Op{Kind: journal.OpKey, Call: claims(effects)})
			w.Input("lost",
				func(m *mcp.Client, now engine.Time) {
					m.Restore(now,
						append(lost, c.ops(skewedCall, 2, 0)...))
				})
			if e := w.Settled(id); e == nil || e.Failure == nil || e.Failure.Code != engine.CodeKeyInUse {
				t.Errorf("settled: %+v\n%s", e, w.Log())
			}
			letGo(t, w, skewedCall, 0)
		})
	}
}

// claims returns the call whose key a commit claims.
func claims(effects []engine.Effect) uint64 {
	for _, e := range effects {
		for r := journal.ReadOps(e.Data); e.Kind == engine.Store; {
			op, ok := r.Next()
			if op.Kind == journal.OpKey {
				return op.Call
			}
			if !ok {
				break
			}
		}
	}
	return 0
}

// Fault 135: the session that is stored is one of another build. It is left where it is,
// for that build's calls; this one makes its own, of a number that is no other's, which
// rests beside it and is there for its next page. A damaged one is replaced.
func TestFault135_TheSessionOfAnotherBuild(t *testing.T) {
	plain, secret := journal.AppendServer(
		&journal.Server{Handshake: 3, Revision: "2025-11-25", Result: []byte(`{"capabilities":{}}`),
			HasSession: true, Session: "theirs"})
	for _, c := range []struct {
		name          string
		plain, secret []byte
		want          journal.OpFlags
	}{
		{"newer", newer(plain), secret, journal.OpBeside},
		{"only its secret", plain, newer(secret), journal.OpBeside},
		{"damaged", plain[:len(plain)-1], secret, 0},
		{"readable", plain, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := journal.AppendOp(nil,
				journal.Op{Kind: journal.OpServer, Plain: c.plain, Secret: c.secret})
			open := func(epoch uint32, ops []byte) coretest.MCP {
				w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Epoch: epoch})
				w.Input("load", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
				return w
			}
			w := open(5_000, stored)
			w.Start()
			w.AnswerInitialize(w.Fetched(), "2025-11-25", "s1")
			row := serverOp(t, w.Effects)
			mine, err := journal.ParseServer(row.Plain, row.Secret)
			if err != nil || row.Flags != c.want || mine.Session != "s1" ||
				c.want != 0 && mine.Handshake <= 5_000 {
				t.Fatalf("it stores %+v with flags %d, %v", mine, row.Flags, err)
			}
			row.Plain, row.Secret = bytes.Clone(row.Plain), bytes.Clone(row.Secret)
			next := open(5_001, journal.AppendOp(stored, row))
			next.Start()
			if !goesOnIn(next, "s1") {
				t.Errorf("the next page does not go on in it\n%s", next.Log())
			}
			if c.want == 0 {
				return
			}
			// The build that can read its own row takes no notice.
			plain, secret := journal.AppendServer(
				&journal.Server{Handshake: 3, Revision: "2025-11-25", Result: mine.Result, HasSession: true,
					Session: "theirs", Client: mine.Client})
			theirs := open(5_002,
				journal.AppendOp(
					journal.AppendOp(nil, journal.Op{Kind: journal.OpServer, Plain: plain, Secret: secret}),
					row))
			theirs.Start()
			if !goesOnIn(theirs, "theirs") {
				t.Errorf("the other build's page does not go on in its own\n%s", theirs.Log())
			}
			next.Input("close", (*mcp.Client).Close)
			if end := serverOp(t, next.Effects); end.Flags != journal.OpBeside|journal.OpEnded {
				t.Errorf("it ends what has flags %d", end.Flags)
			}
		})
	}
}

// goesOnIn reports whether a call of the client leaves in that session.
func goesOnIn(w coretest.MCP, session string) bool {
	w.Call("tools/list", `{}`, mcp.CallOptions{})
	return strings.Contains(w.Log(), "Mcp-Session-Id="+session+" ")
}

// serverOp returns the server's row in the last commit of these.
func serverOp(t *testing.T, effects []engine.Effect) (row journal.Op) {
	t.Helper()
	for _, e := range effects {
		for r := journal.ReadOps(e.Data); e.Kind == engine.Store; {
			op, ok := r.Next()
			if !ok {
				break
			}
			if op.Kind == journal.OpServer {
				row = op
			}
		}
	}
	if row.Kind == 0 {
		t.Fatal("no server's row is stored")
	}
	return row
}
