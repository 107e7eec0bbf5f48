package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 792: a call waits for a connection, and those who have them show no life. Its app hears what it waits for;
// of one that waits for none it hears nothing.
func TestFault792_SaysWhatItWaitsFor(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true, Scarce: true})
	w.Handshake("2025-11-25")
	store(w)
	c, _ := w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	store(w)
	said := func() int { return strings.Count(w.Log(), `{"state":"parked","why":"hung","delay":0}`) }
	heldUp := func() { w.Input("held up", func(m *mcp.Client, now engine.Time) { m.HeldUp(now, c) }) }
	if heldUp(); said() != 1 {
		t.Errorf("told %d times\n%s", said(), w.Log())
	}
	w.Input("hold", func(m *mcp.Client, now engine.Time) { m.Hold(now, c, false) })
	store(w)
	if heldUp(); said() != 1 || len(w.UnderWay()) == 0 {
		t.Errorf("told %d times\n%s", said(), w.Log())
	}
}
