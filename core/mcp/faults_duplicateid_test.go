package mcp_test

import (
	"strconv"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// blamedIDs are what servers say to a request that the browser has sent again by itself, with
// the same id, while its first copy runs.
var blamedIDs = []struct {
	status int
	text   string
}{
	{400, "duplicate in-flight request ID 2"},                           // the official Go SDK
	{400, "invalid request: request ID 2 already in use"},               // the same, below its transport
	{409, "Conflict: Request id is already in flight for this session"}, // the official Ruby SDK
	{400, "JSON-RPC request id has already been used in this session"},
	{400, "Request id has already been used in this MCP session"},
	{409, "Duplicate request ID"},
}

// refuseID answers the newest request with a JSON-RPC error.
func (o *onStream) refuseID(status int, code int64, text string) {
	o.t.Helper()
	id := coretest.RequestID(o.Exchange(o.Newest()).Request)
	x := o.Newest()
	o.Head(x, status, "content-type", coretest.JSON)
	o.Chunk(x, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`+strconv.FormatInt(code, 10)+`,"message":"`+
		text+`"}}`)
	o.End(x, engine.EndClean)
}

// Fault 735: a server that has the request already says that its id is a duplicate. The call has
// been taken, and may have run: it was not refused.
func TestFault735_AnIDThatIsInFlightIsNoRefusal(t *testing.T) {
	for _, c := range blamedIDs {
		o := connected(t, mcp.Config{}).post("tools/call")
		o.refuseID(c.status, -32600, c.text)
		o.wantFailure(engine.CodeOutcomeUnknown)
		o.wantQuiet()
		o.wantIdle()
	}
}

// Fault 735: whatever else is refused stays refused: another status, another code, another text, a
// request that changes nothing.
func TestFault735_OtherRefusalsStayAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		method string
		status int
		code   int64
		text   string
	}{
		{"tools/call", 200, -32600, blamedIDs[0].text}, // a tool that ran may say whatever it likes
		{"tools/call", 422, -32600, blamedIDs[0].text},
		{"tools/call", 400, -32602, blamedIDs[0].text},
		{"tools/call", 400, -32600, "Invalid Request"},
		{"tools/call", 400, -32600, "the name is already in use"},
		{"tools/call", 400, -32600, "request id is missing"},
		{"tools/list", 400, -32600, blamedIDs[0].text},
	} {
		o := connected(t, mcp.Config{}).post(c.method)
		o.refuseID(c.status, c.code, c.text)
		if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
			o.fatal("%+v is not the server's error", c)
		}
	}
}

// Fault 735: a tool that may run twice is run again once, under another id, and has that run's result.
func TestFault735_AHarmlessToolIsRunAgain(t *testing.T) {
	for _, flags := range []journal.Flags{journal.ReadOnly, journal.Idempotent, journal.RerunAlways} {
		r := connected(t, mcp.Config{})
		c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Flags: flags})
		o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
		o.refuseID(400, -32600, blamedIDs[0].text)
		o.wantPending()
		o.x, _ = o.nextFetch(10_000)
		again := coretest.RequestID(o.Exchange(o.x).Request)
		if again == o.id {
			o.fatal("sent again under the same id")
		}
		o.id = again
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.result("")
		o.wantResult()
		o.wantQuiet()
	}
}
