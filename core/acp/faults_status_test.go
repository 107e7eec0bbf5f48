//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 170: what answers a prompt in the agent's place says whether the agent may
// have it.
func TestFault170_PromptBehindAProxy(t *testing.T) {
	for status, want := range map[int]struct {
		code      engine.Code
		retryable bool
	}{
		401: {engine.CodeUnauthorized, false}, 403: {engine.CodeHTTP, false}, 429: {engine.CodeHTTP, true},
		500: {engine.CodeHTTP, false},
		502: {engine.CodeOutcomeUnknown, false}, 503: {engine.CodeHTTP, true},
		504: {engine.CodeOutcomeUnknown, false},
	} {
		w := coretest.NewACP(t, acp.Config{})
		w.Handshake("2")
		stream := engine.ExchangeID(2)
		_, effects := w.Call(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
		id := coretest.RequestID(effects[0].Request)
		w.Head(effects[0].X, 202)
		w.Chunk(stream, "data: "+coretest.Result(id, `{"sessionId":"s1"}`)+"\n\n")
		w.Head(w.Fetched(), 200, "content-type", coretest.Stream)
		call, _ := w.Call(1, "session/prompt", `{"prompt":[{"type":"text","text":"Hello"}]}`)
		post := w.Fetched()
		w.Head(post, status)
		e := w.Settled(call)
		if e == nil {
			w.Advance(20_000)
			e = w.Settled(call)
		}
		if e == nil || e.Failure == nil || e.Failure.Code != want.code ||
			e.Failure.Retryable != want.retryable {
			t.Errorf("%d: settled with %+v\n%s", status, e, w.Log())
		}
		if n := strings.Count(w.Log(), `"session/prompt"`); n != 1 {
			t.Errorf("%d: sent %d times", status, n)
		}
	}
}
