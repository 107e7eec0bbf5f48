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
// and a later page gets it back when it is open, also after a close. What is no
// object, or too large, is not kept.
func TestFault152_FactsOfToolsOutliveThePage(t *testing.T) {
	const tools = `{"tools":{"work":{"task":"required","flags":0}}}`
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	land := func() {
		for w.Store.Flying() != 0 {
			w.Stored(journal.ResultOK, 0)
		}
	}
	opened := func() string {
		t.Helper()
		for i := len(w.Trace) - 1; i >= 0; i-- {
			if line := w.Trace[i]; strings.Contains(line, `state {"state":"open"`) {
				return line
			}
		}
		t.Fatalf("not open\n%s", w.Log())
		return ""
	}
	w.Handshake("2025-11-25")
	land()
	for _, text := range []string{tools, `[]`, `{"tools":`, `{"tools":"` + strings.Repeat("x", 48<<10) + `"}`} {
		w.Input("tools", func(c *mcp.Client, now engine.Time) { c.Tools(now, []byte(text)) })
		land()
	}
	w.Reload()
	w.Start()
	if got := opened(); !strings.Contains(got, `"tools":`+tools) {
		t.Errorf("after a reload: %s", got)
	}
	w.Input("close", (*mcp.Client).Close)
	land()
	w.Reload()
	w.Handshake("2025-11-25")
	if got := opened(); !strings.Contains(got, `"tools":`+tools) {
		t.Errorf("after a close: %s", got)
	}
}
