package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 90: on HTTP+SSE a policy promises nothing, and the capability is not
// declared: with the one stream the session is gone, and servers of its revision
// are older than resume policies.
func TestFault90_PolicyOnHTTPSSE(t *testing.T) {
	r := newRig(t, mcp.Config{Revision: "2024-11-05", Journal: true})
	r.Start()
	stream := r.Newest()
	r.Head(stream, 200, "content-type", coretest.Stream)
	r.Chunk(stream, "event: endpoint\ndata: /messages\n\n")
	taken := func(x engine.ExchangeID) { r.Head(x, 202); r.End(x, engine.EndClean) }
	initialize := r.Newest()
	if body := r.body(initialize); !strings.Contains(body, `"capabilities":{"tasks"`) {
		t.Errorf("declared: %s", body)
	}
	taken(initialize)
	r.Chunk(stream,
		coretest.Message("", coretest.Result(coretest.RequestID(r.Exchange(initialize).Request),
			`{"protocolVersion":"2024-11-05","capabilities":{}}`)))
	taken(r.Newest())
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	r.store()
	taken(r.Newest())
	id := coretest.RequestID(r.Exchange(r.Newest()).Request)
	r.Chunk(stream, coretest.Message("", policyFor(id, `"tok"`, "")))
	if n := r.Client.Counters().IgnoredPolicies; n != 1 {
		t.Errorf("%d policies ignored", n)
	}
	o := &onStream{rig: r, c: c, x: stream, id: id}
	if o.told(engine.EventGuarantee, `"resumable"`) != 0 {
		t.Error("the app is told that the call can be resumed")
	}
	o.cut(engine.EndNetwork)
	o.store()
	o.wantFailure(engine.CodeOutcomeUnknown)
	if n := r.posted("requests/"); n != 0 {
		t.Errorf("%d requests about it", n)
	}
}
