package acp_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

const offered = `"promptLifecycle":true`

// offers returns how often the newest request, which has to be initialize, offers the lifecycle.
func offers(t *testing.T, w coretest.ACP) int {
	t.Helper()
	body := string(w.Request(w.Newest()).Body)
	if !strings.Contains(body, `"method":"initialize"`) {
		t.Fatalf("%s\n%s", body, w.Log())
	}
	return strings.Count(body, offered)
}

// Fault 738: an agent of version 1 is offered the lifecycle of version 2, in the capabilities and in _meta;
// not where the app turns it off, or wants version 2 alone.
func TestFault738_TheLifecycleIsOffered(t *testing.T) {
	for _, c := range []struct {
		cfg  acp.Config
		want int
	}{
		{acp.Config{}, 2}, {acp.Config{Version: 1}, 2}, {acp.Config{Version: 2}, 0},
		{acp.Config{NoLifecycle: true}, 0},
		{acp.Config{Capabilities: []byte(`{"elicitation":{"form":{}}}`)}, 2},
		{acp.Config{NoLifecycle: true, Capabilities: []byte(`{"elicitation":{"form":{}}}`)}, 0},
	} {
		w := coretest.NewACP(t, c.cfg)
		w.Start()
		if got := offers(t, w); got != c.want {
			t.Errorf("%+v: offered %d times", c.cfg, got)
		}
	}
}

// Fault 738: an agent that refuses initialize because of that is asked once more without, and is spoken to;
// one that refuses that too is told as it was.
func TestFault738_RefusedBecauseOfIt(t *testing.T) {
	rpc := func(code int) func(w coretest.ACP) {
		return func(w coretest.ACP) {
			x := w.Newest()
			id := coretest.RequestID(w.Request(x))
			w.Head(x, 200, "content-type", coretest.JSON)
			w.Chunk(x, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`+strconv.Itoa(code)+
				`,"message":"unknown member _meta"}}`)
			w.End(x, engine.EndClean)
		}
	}
	status := func(status int) func(w coretest.ACP) {
		return func(w coretest.ACP) { w.Head(w.Newest(), status, "content-type", "text/plain") }
	}
	for name, c := range map[string]struct {
		refuses func(w coretest.ACP)
		again   bool
	}{
		"-32602": {rpc(-32602), true}, "-32600": {rpc(-32600), true}, "400": {status(400), true},
		"422":    {status(422), true},
		"-32000": {rpc(-32000), false}, "403": {status(403), false},
	} {
		w := coretest.NewACP(t, acp.Config{})
		w.Start()
		c.refuses(w)
		if again := w.Open() > 0; again != c.again {
			t.Fatalf("%s: asked again: %v\n%s", name, again, w.Log())
		}
		if !c.again {
			continue
		}
		if offers(t, w) != 0 {
			t.Errorf("%s: offered again", name)
		}
		x := w.Newest()
		w.Head(x, 200, "content-type", coretest.JSON, "acp-connection-id", "k1")
		w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)), `{"protocolVersion":1}`))
		w.End(x, engine.EndClean)
		w.Head(w.Newest(), 200, "content-type", coretest.Stream)
		if !strings.Contains(w.Log(), `{"state":"open","version":1`) {
			t.Errorf("%s: not open\n%s", name, w.Log())
		}

		w = coretest.NewACP(t, acp.Config{})
		w.Start()
		c.refuses(w)
		c.refuses(w)
		if w.Open() != 0 || !strings.Contains(w.Log(), `{"state":"failed"`) {
			t.Errorf("%s: asked a third time\n%s", name, w.Log())
		}
	}
}
