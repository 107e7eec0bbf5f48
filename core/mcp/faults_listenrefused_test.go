package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// listensModern returns a rig whose client is open with a server of 2026-07-28, and has just asked it to
// listen: the newest exchange.
func listensModern(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, mcp.Config{Revision: "2026-07-28"})
	r.Start()
	x := r.Newest()
	r.Head(x, 200, "content-type", coretest.JSON)
	r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
		`{"resultType":"complete","supportedVersions":["2026-07-28"],`+
			`"capabilities":{"tools":{"listChanged":true}}}`))
	r.End(x, engine.EndClean)
	if !strings.Contains(string(r.Exchange(r.Newest()).Request.Body), `"subscriptions/listen"`) {
		r.fatal("it does not listen")
	}
	return r
}

// Fault 586: a server answers each request by an event stream, and refuses subscriptions/listen there, with a
// JSON-RPC error. That is a no as it is in a body of JSON: who has asked for a subscription hears of it, and
// nobody asks again. An error behind the acknowledgement ends a stream that was there: that is opened again.
func TestFault586_ListenRefusedOnAStream(t *testing.T) {
	for _, acknowledged := range []bool{false, true} {
		r := listensModern(t)
		x := r.Newest()
		id := coretest.RequestID(r.Exchange(x).Request)
		r.Head(x, 200, "content-type", coretest.Stream)
		if acknowledged {
			r.Chunk(x, coretest.Message("", `{"jsonrpc":"2.0",`+
				`"method":"notifications/subscriptions/acknowledged",`+
				`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+
				`},"notifications":{"toolsListChanged":true}}}`))
		}
		r.Chunk(x, coretest.Message("", `{"jsonrpc":"2.0","id":`+id+
			`,"error":{"code":-32602,"message":"no"}}`))
		if r.Client.Owned(x) {
			r.End(x, engine.EndClean)
		}
		again, _ := r.nextFetch(600_000)
		last := r.statuses[len(r.statuses)-1]
		if off := last == `{"state":"off"}`; off == acknowledged || (again != 0) != acknowledged {
			r.fatal("acknowledged %v: the last status is %s, the next exchange %d", acknowledged, last, again)
		}
		if len(r.integrity) != 0 {
			r.fatal("integrity %q", r.integrity)
		}
	}
}

// Fault 586: it may be the tasks that the server refuses there. It is asked without them, once, and their
// polls go on.
func TestFault586_TasksRefusedOnAStream(t *testing.T) {
	r := newRig(t, mcp.Config{Revision: "2026-07-28"})
	r.Start()
	answer := func(x engine.ExchangeID, result string) {
		r.Head(x, 200, "content-type", coretest.JSON)
		r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request), result))
		r.End(x, engine.EndClean)
	}
	refuse := func(x engine.ExchangeID) {
		r.Head(x, 200, "content-type", coretest.Stream)
		r.Chunk(x, coretest.Message("", `{"jsonrpc":"2.0","id":`+coretest.RequestID(r.Exchange(x).Request)+
			`,"error":{"code":-32602,"message":"no"}}`))
	}
	answer(r.Newest(), `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},`+
		`"extensions":{"io.modelcontextprotocol/tasks":{}}}}`)
	listens := r.Newest()
	r.Head(listens, 200, "content-type", coretest.Stream)
	o := r.post("tools/call")
	answer(o.x, `{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":60000}`)
	r.Advance(1_000)
	trial := r.Newest()
	if !strings.Contains(string(r.Exchange(trial).Request.Body), `"taskIds":["T"]`) {
		r.fatal("tasks are not listened to")
	}
	refuse(trial)
	if !r.Client.Owned(listens) || r.Client.Owned(trial) {
		r.fatal("the stream that was there is gone")
	}
	r.End(listens, engine.EndNetwork)
	again, _ := r.nextFetch(30_000)
	if body := string(r.Exchange(again).Request.Body); !strings.Contains(body, `"subscriptions/listen"`) ||
		strings.Contains(body, "taskIds") {
		r.fatal("it asks again by %s", body)
	}
	o.wantPending()
}
