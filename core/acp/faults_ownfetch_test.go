//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 345: the agent's server answered a prompt, and the app's own fetch keeps the answer
// to itself. Nobody sends it again; what comes on the stream still counts, and where nothing
// comes the hint says what is to be mended.
func TestFault345_PromptThroughTheAppsFetch(t *testing.T) {
	for _, answers := range []bool{true, false} {
		w := coretest.NewACP(t, acp.Config{})
		w.Handshake("2")
		stream := engine.ExchangeID(2)
		_, effects := w.Call(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
		w.Head(effects[0].X, 202)
		w.Chunk(stream, "data: "+coretest.Result(coretest.RequestID(effects[0].Request),
			`{"sessionId":"s1"}`)+"\n\n")
		w.Head(w.Fetched(), 200, "content-type", coretest.Stream)
		session := w.Newest()
		call, _ := w.Call(1, "session/prompt", `{"prompt":[{"type":"text","text":"Hello"}]}`)
		post := w.Fetched()
		id := coretest.RequestID(w.Request(post))
		w.End(post, engine.EndUnreadable)
		if answers {
			w.Chunk(session, "data: "+coretest.Result(id, `{"messageId":"m1"}`)+"\n\n")
		} else {
			w.Advance(60_000)
		}
		e := w.Settled(call)
		if e == nil || (e.Outcome == engine.OutcomeResult) != answers {
			t.Fatalf("answered %t: settled with %+v\n%s", answers, e, w.Log())
		}
		if !answers && (e.Failure.Code != engine.CodeOutcomeUnknown || e.Failure.Hint == "") {
			t.Errorf("settled with %+v", e.Failure)
		}
		if n := strings.Count(w.Log(), `"session/prompt"`); n != 1 {
			t.Errorf("sent %d times", n)
		}
	}
}

// Fault 345: where initialize is answered so, the client fails at once with that hint.
func TestFault345_InitializeThroughTheAppsFetch(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{})
	w.Start()
	for _, e := range w.End(w.Fetched(), engine.EndUnreadable) {
		if e.Kind == engine.State && e.Failure != nil && e.Failure.Code == engine.CodeNetwork &&
			e.Failure.Hint != "" {
			return
		}
	}
	t.Errorf("it goes on\n%s", w.Log())
}
