//go:build !js

package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestGoesOnWithGoldenRows: what is stored of a call in version 1 of the format is what a page goes
// on from, and the app gets the questions and events that it had then.
func TestGoesOnWithGoldenRows(t *testing.T) {
	for name, want := range map[string][]string{
		"streamed": {
			`"acked":1,"base":1`, `deliver c1 #1 log {"progress":1}`, `deliver c1 #2 log {"progress":2}`,
			`status {"state":"cut","why":"reload","delay":500}`, // what the policy says, of a second ago
			`deliver c1 #1 request {"jsonrpc":"2.0","id":2,"method":"elicitation/create"`,
			`"method":"requests/resume"`, `"tok-1"`,
		},
		"resuming": {`"method":"requests/resume"`, `"tok-1"`},
		"asks for input": {
			`deliver c1 #0 input {"inputRequests":{"a":{"method":"elicitation/create",` +
				`"params":{"message":"Who?"}}},"drafts":{"a":{"name":"A"}}}`,
		},
		"input is answered": {
			`deliver c1 #0 resumed {"outcome":"restarted","proven":false,"cuts":1}`,
			`"requestState":"opaque"`, `"inputResponses":{"a":{"action":"accept"}}`,
		},
		"refused": {`fetch x1 POST`, `"method":"tools/call"`},
		"answer is refused": {`"method":"tools/call"`, `"requestState":"opaque"`,
			`"inputResponses":{"a":{"action":"accept"}}`},
		"on a task": {
			`"guarantee":"durable"`, `deliver c1 #1 log {"progress":1}`,
			`"method":"tasks/get"`, `"taskId":"task-1","requestState":"at 3"`, `Last-Event-ID=s2_1`,
		},
		"ended": {`deliver c1 #1 log {"progress":1}`, `settle c1 result {"content":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Epoch: 3,
				ClientInfo: []byte(`{"name":"x"}`), Wall: 1767225600000 - 1_000_000})
			w.Input("load",
				func(m *mcp.Client, now engine.Time) {
					m.Restore(now,
						coretest.Golden(t, name, journal.OpOwned))
				})
			w.Start()
			w.Advance(600)
			if w.Store.Flying() != 0 {
				w.Stored(journal.ResultOK, 0)
			}
			for _, line := range want {
				if !strings.Contains(w.Log(), line) {
					t.Errorf("nothing says %s\n%s", line, w.Log())
				}
			}
		})
	}
}

// TestGoldenTools: what is stored of the server's tools in version 1 of the format counts for
// a call, where the server wants an argument repeated in a header field.
func TestGoldenTools(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Epoch: 3,
		ClientInfo: []byte(`{"name":"x"}`)})
	w.Input("load", func(m *mcp.Client, now engine.Time) {
		m.Restore(now, coretest.Golden(t, "asks for input", journal.OpOwned))
	})
	w.Start()
	w.Call("tools/call", `{"name":"count"}`, mcp.CallOptions{})
	x := w.Fetched()
	w.Head(x, 400, "content-type", coretest.JSON)
	w.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(w.Request(x))+
		`,"error":{"code":-32020,"message":"Header mismatch"}}`)
	w.End(x, engine.EndClean)
	if got := string(w.Client.FieldsFor("count")); got != `[{"path":["region"],"header":"Region"}]` {
		t.Errorf("it knows %q\n%s", got, w.Log())
	}
}
