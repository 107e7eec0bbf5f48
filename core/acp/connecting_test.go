//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// states returns the states that the app was told, and the failure of the last.
func (s *sim) states() (names []string, failure *engine.Error) {
	for _, e := range s.find(func(e engine.Effect) bool { return e.Kind == engine.State }) {
		name, _, _ := strings.Cut(strings.TrimPrefix(string(e.Data), `{"state":"`), `"`)
		names, failure = append(names, name), e.Failure
	}
	return names, failure
}

// deaf returns a page whose GETs fail, as where CORS does not allow the header
// that names the connection. They may be let through later.
func deaf(t *testing.T) *sim {
	m := newModel()
	m.refuse = 503
	s := newSim(t, acp.Config{}, m) // which fails; the next page is the one
	m.refuse, s.deaf = 0, neverLeft
	s.load()
	return s
}

// TestNotOpenWithoutItsStream: initialize is answered, and the connection's stream
// cannot be had. That is no agent to talk to, and said at once.
func TestNotOpenWithoutItsStream(t *testing.T) {
	s := deaf(t)
	s.settle(5_000)
	names, failure := s.states()
	s.expect(strings.Join(names, " ") == "connecting failed", "states %v", names)
	s.expect(failure != nil && failure.Code == engine.CodeNetwork && failure.Retryable, "failed with %v",
		failure)
	gets := len(s.agent.of("GET"))
	s.settle(600_000)
	s.expect(len(s.agent.of("GET")) == gets && len(s.agent.of("DELETE")) == 0, "it goes on")
}

// TestOneFailureOfTheStreamIsBorne: the network may fail once.
func TestOneFailureOfTheStreamIsBorne(t *testing.T) {
	s := deaf(t)
	s.deaf = arrives
	s.settle(5_000)
	names, _ := s.states()
	s.expect(strings.Join(names, " ") == "connecting open", "states %v", names)
	handle, _ := s.session()
	call := s.prompt(handle, "hi")
	s.settle(1_000)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "it is of no use")
}

// TestASessionThatCannotBeHeard: the connection's stream is up, and no session's can
// be had: CORS may deny the one what it lets the other send. What is asked fails, and
// what is asked next tries once more.
func TestASessionThatCannotBeHeard(t *testing.T) {
	s := newSim(t, acp.Config{}, newModel())
	s.settle(0)
	s.deaf = neverLeft
	handle, _ := s.session()
	for range 2 {
		call := s.prompt(handle, "hi")
		s.settle(10_000)
		failure := s.settled(call).Failure
		s.expect(failure != nil && failure.Code == engine.CodeNetwork && failure.Op == "GET", "ended with %v",
			failure)
		gets := len(s.agent.of("GET"))
		s.settle(60_000) // less than the stream of the connection may be silent
		s.expect(len(s.agent.of("GET")) == gets, "it goes on")
	}
	s.deaf = arrives
	call := s.prompt(handle, "hi")
	s.settle(0)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult && len(s.agent.of("session/prompt")) == 1,
		"it is of no use")
}

// TestAStreamThatSaysNothing is waited for, but not for ever: hosts exist that
// answer a GET with the first message only.
func TestAStreamThatSaysNothing(t *testing.T) {
	m := newModel()
	m.silent["GET"] = true
	s := newSim(t, acp.Config{}, m)
	s.settle(4_000)
	names, _ := s.states()
	s.expect(strings.Join(names, " ") == "connecting", "states %v", names)
	s.settle(2_000)
	names, _ = s.states()
	s.expect(strings.Join(names, " ") == "connecting open", "states %v", names)
}

// TestFault167_InitializeOfAnAgentWithoutAContentType: the host names no content type.
// What it sends is whole, and the answer.
func TestFault167_InitializeOfAnAgentWithoutAContentType(t *testing.T) {
	m := newModel()
	m.unlabelled = true
	s := newSim(t, acp.Config{}, m)
	s.settle(1_000)
	names, failure := s.states()
	s.expect(strings.Join(names, " ") == "connecting open", "states %v, %v", names, failure)
}
