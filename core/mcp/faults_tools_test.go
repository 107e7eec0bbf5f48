package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 152: what the host has learned of the tools is stored beside the session,
// and a later page goes by it, also after a close. What is no object is not taken; what is
// too large holds for this page alone. A client of another user, with another store, knows
// nothing of it.
func TestFault152_FactsOfToolsOutliveThePage(t *testing.T) {
	const (
		fields = `[{"path":["region"],"header":"Region"}]`
		tools  = `{"tools":{"work":{"task":"required","flags":0,"fields":` + fields + `}}}`
	)
	large := `{"tools":{"large":{"task":"optional","flags":0,"fields":` + fields + `,"why":"` +
		strings.Repeat("x", 48<<10) + `"}}}`
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	land := func() {
		for w.Store.Flying() != 0 {
			w.Stored(journal.ResultOK, 0)
		}
	}
	knows := func(when, tool string) {
		t.Helper()
		for _, name := range []string{"work", "large"} {
			want := ""
			if name == tool {
				want = fields
			}
			if got := string(w.Client.FieldsFor(name)); got != want {
				t.Errorf("%s: of %s it knows %q", when, name, got)
			}
		}
	}
	w.Handshake("2025-11-25")
	land()
	w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{})
	x := w.Fetched()
	w.Head(x, 400, "content-type", coretest.JSON)
	w.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(w.Request(x))+
		`,"error":{"code":-32020,"message":"Header mismatch"}}`)
	w.End(x, engine.EndClean)
	knows("before a list", "")
	for _, step := range []struct{ text, known string }{
		{tools, "work"}, {`[]`, "work"}, {`{"tools":`, "work"}, {large, "large"}} {
		w.Input("tools", func(c *mcp.Client, now engine.Time) { c.Tools(now, []byte(step.text)) })
		land()
		knows("listed", step.known)
	}
	w.Reload()
	w.Start()
	knows("after a reload", "work")
	w.Input("close", (*mcp.Client).Close)
	land()
	w.Reload()
	w.Handshake("2025-11-25")
	knows("after a close", "work")

	w = coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	knows("another user", "")
}
