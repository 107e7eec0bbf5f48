//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 464: no agent is there. It is asked once whether anything answers, and the error
// says what came of it: who looks for the cause need not ask again.
func TestFault464_DeadAgent(t *testing.T) {
	for how, want := range map[engine.Ending]engine.Reach{
		engine.EndNetwork: engine.ReachNothing, engine.EndInvalid: engine.ReachUnknown,
		0: engine.ReachAnswers} {
		w := coretest.NewACP(t, acp.Config{})
		w.Start()
		w.Fails(w.Fetched())
		asked := w.Fetched()
		if request := w.Request(asked); request.Method != engine.MethodReach || len(request.Header) > 0 {
			t.Fatalf("it goes on with %+v\n%s", request, w.Log())
		}
		var effects []engine.Effect
		if how == 0 {
			effects = w.Head(asked, 200)
		} else {
			effects = w.End(asked, how)
		}
		var failure *engine.Error
		for _, e := range effects {
			if e.Kind == engine.State {
				failure = e.Failure
			}
		}
		if failure == nil || failure.Code != engine.CodeNetwork || failure.Reach != want {
			t.Errorf("ended %v: it fails with %+v\n%s", how, failure, w.Log())
		}
		if at, due := w.Client.Deadline(); due || w.Newest() != asked {
			t.Errorf("something is left, due at %v\n%s", at, w.Log())
		}
	}
}

// Fault 464: the client is closed while that is asked.
func TestFault464_AgentClosedMeanwhile(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{})
	w.Start()
	w.Fails(w.Fetched())
	asked := w.Fetched()
	w.Input("close", (*acp.Client).Close)
	if _, due := w.Client.Deadline(); due || !w.Exchange(asked).Over {
		t.Errorf("something is left\n%s", w.Log())
	}
}
