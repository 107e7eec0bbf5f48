package mcp_test

import (
	"strconv"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// mismatching is a server with one tool that answers each call with the same
// error, as HTTP says it: status, media type.
type mismatching struct {
	status int
	code   int
	stream bool
}

// executions plays an app that sends again what it is told was not run, and
// returns how often it posted the call.
func (s mismatching) executions(r *rig) int {
	r.t.Helper()
	sent := 0
	for again := true; again; {
		o := r.post("tools/call")
		sent++
		rpc := `{"jsonrpc":"2.0","id":` + o.id + `,"error":{"code":` + strconv.Itoa(s.code) +
			`,"message":"5000 rows imported, then: bad header row"}}`
		if s.stream {
			o.Head(o.x, s.status, "content-type", coretest.Stream)
			o.event("", rpc)
		} else {
			o.Head(o.x, s.status, "content-type", coretest.JSON)
			o.say(rpc)
		}
		o.cut(engine.EndClean)
		end := o.call(o.c).settled
		if end == nil || end.Outcome != engine.OutcomeRPCError &&
			end.Outcome != engine.OutcomeHeaderMismatch {
			o.fatal("%+v: the error did not reach the call", s)
		}
		again = end.Outcome == engine.OutcomeHeaderMismatch && sent < 2
	}
	return sent
}

// Fault 125: that a request was not run for want of header fields is said by
// HTTP 400 and -32020 together, and by nothing else: a tool that ran answers
// with any code in a 200 or on a stream. -32001 says it to nobody, but for
// servers of the release candidate.
func TestFault125_OnlyARefusalIsRetried(t *testing.T) {
	for _, tc := range []struct {
		server mismatching
		sent   int
	}{
		{mismatching{400, -32020, false}, 2},
		{mismatching{400, -32001, false}, 1},
		{mismatching{200, -32020, false}, 1},
		{mismatching{200, -32001, false}, 1},
		{mismatching{200, -32020, true}, 1},
		{mismatching{200, -32001, true}, 1},
		{mismatching{500, -32020, false}, 1},
		{mismatching{409, -32020, false}, 1},
	} {
		r := connected(t, mcp.Config{})
		if sent := tc.server.executions(r); sent != tc.sent {
			t.Errorf("%+v: sent %d times, want %d", tc.server, sent, tc.sent)
		}
	}
}

// Fault 125: a server whose discovery has the candidate's form says -32001 for
// what became -32020. With another status than 400 it proves as little.
func TestFault125_TheCandidatesNumber(t *testing.T) {
	for _, tc := range []struct {
		server string // how its discovery says who it is
		status int
		sent   int
	}{
		{`"serverInfo":{"name":"rc","version":"1"}`, 400, 2},
		{`"serverInfo":{"name":"rc","version":"1"}`, 200, 1},
		{`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"ga","version":"1"}}`, 400, 1},
	} {
		r := newRig(t, mcp.Config{Revision: "2026-07-28", NoListen: true})
		r.Start()
		x := r.Newest()
		r.Head(x, 200, "content-type", coretest.JSON)
		r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
			`{"supportedVersions":["2026-07-28"],"capabilities":{},`+tc.server+`}`))
		r.End(x, engine.EndClean)
		if sent := (mismatching{tc.status, -32001, false}).executions(r); sent != tc.sent {
			t.Errorf("%+v: sent %d times", tc, sent)
		}
	}
}

// A refusal that is reported as what the page can do about it, and stored as the server's error:
// the page that reads it sends nothing (fault 125 of header fields).
func TestFault125_StoredAsTheServersError(t *testing.T) {
	for _, tc := range []struct {
		status, code int
		reported     engine.Outcome
	}{
		{400, -32020, engine.OutcomeHeaderMismatch},
		{200, -32042, engine.OutcomeVisitRequired},
		{400, -32042, engine.OutcomeVisitRequired},
		{200, -32043, engine.OutcomeRPCError},
	} {
		w := coretest.NewMCP(t, mcp.Config{Journal: true})
		w.Handshake("2025-11-25")
		land := func() (settled engine.Outcome) {
			for w.Store.Flying() != 0 {
				for _, e := range w.Stored(journal.ResultOK, 0) {
					if e.Kind == engine.Settle {
						settled = e.Outcome
					}
				}
			}
			return settled
		}
		land()
		w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Connected: true})
		w.Stored(journal.ResultOK, 0)
		x := w.Fetched()
		w.Head(x, tc.status, "content-type", coretest.JSON)
		w.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(w.Request(x))+`,"error":{"code":`+
			strconv.Itoa(tc.code)+`,"message":"no"}}`)
		w.End(x, engine.EndClean)
		if got := land(); got != tc.reported {
			t.Errorf("%+v: reported as %d", tc, got)
		}
		settled := 0
		for _, e := range w.Reload() {
			if e.Kind == engine.Settle && e.Outcome == engine.OutcomeRPCError {
				settled++
			}
		}
		if settled != 1 {
			t.Errorf("%+v: the next page does not get the error\n%s", tc, w.Log())
		}
	}
}
