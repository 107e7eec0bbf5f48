//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 173: a request that must not be made twice loses its answer with the stream.
// Its error has no cause, and saying so is no accident.
func TestFault173_AnswerLostWithTheStream(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{})
	w.Handshake("2")
	stream := engine.ExchangeID(2)
	call, effects := w.Call(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	w.Head(effects[0].X, 202)
	w.End(stream, engine.EndNetwork)
	w.Advance(5_000)
	w.Head(w.Fetched(), 200, "content-type", coretest.Stream)
	w.Advance(60_000)
	e := w.Settled(call)
	if e == nil || e.Failure == nil || e.Failure.Code != engine.CodeOutcomeUnknown {
		t.Fatalf("settled with %+v\n%s", e, w.Log())
	}
	if got, want := e.Failure.Error(),
		"session/new: the connection failed before the agent answered"; got != want {
		t.Errorf("the error says %q, want %q", got, want)
	}
	if e.Failure.Cause != nil {
		t.Errorf("the error has the cause %#v", e.Failure.Cause)
	}
}
