//go:build !js

package acp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// words returns the methods of what the agent got, of those that are named.
func (m *model) words(methods ...string) string {
	var all []string
	for _, r := range m.requests {
		if slices.Contains(methods, r.Method) {
			all = append(all, r.Method)
		}
	}
	return strings.Join(all, " ")
}

func promptsTravel(body string) delivery {
	if strings.Contains(body, `"session/prompt"`) {
		return travels
	}
	return arrives
}

// TestCancelDoesNotOvertakeThePrompt: over HTTP/1.1 the two are on two connections,
// and the agent does not know yet what it is asked to give back, or cancels what was
// there before (RFD v2 prompt lifecycle: "does not affect prompts sent after it").
func TestCancelDoesNotOvertakeThePrompt(t *testing.T) {
	for _, word := range []string{"$/cancel_request", "session/cancel"} {
		s, handle, a := opened(t, newModel())
		a.m.onPrompt = func(*modelSession, modelRequest) {}
		s.post = promptsTravel
		id := s.prompt(handle, "one")
		s.settle(0)
		cancel := func(c *acp.Client, now engine.Time) { c.Cancel(now, id) }
		if word == "session/cancel" {
			cancel = func(c *acp.Client, now engine.Time) { c.Notify(now, handle, word, nil) }
		}
		s.do("cancel", cancel)
		s.settle(1_000)
		s.expect(a.m.words("session/prompt", word) == "", "%s overtook the prompt", word)
		s.arrive()
		s.settle(0)
		got := a.m.words("session/prompt", word)
		s.expect(got == "session/prompt "+word, "the agent got %q", got)
	}
}

// TestPromptsLeaveInOrder, and behind the choice of a model: each waits until the
// agent's server has the one before.
func TestPromptsLeaveInOrder(t *testing.T) {
	s, handle, a := opened(t, newModel())
	var said []string
	a.m.onPrompt = func(_ *modelSession, r modelRequest) { said = append(said, string(r.Params)) }
	travelling := true
	s.post = func(string) delivery {
		if travelling {
			return travels
		}
		return arrives
	}
	s.request(handle, "session/set_config_option", `{"configId":"model","value":"m"}`)
	s.prompt(handle, "one")
	s.prompt(handle, "two")
	s.settle(1_000)
	for range 3 {
		s.expect(len(s.onTheWay) == 1, "%d are on the way", len(s.onTheWay))
		s.arrive()
		s.settle(0)
	}
	travelling = false
	s.settle(1_000)
	s.expect(a.m.words("session/set_config_option", "session/prompt") ==
		"session/set_config_option session/prompt session/prompt" &&
		len(said) == 2 && strings.Contains(said[0], "one") && strings.Contains(said[1], "two"),
		"the agent got %q", said)
}

// TestPromptBehindOneThatFailed leaves all the same.
func TestPromptBehindOneThatFailed(t *testing.T) {
	s, handle, a := opened(t, newModel())
	a.m.onPrompt = func(*modelSession, modelRequest) {}
	s.post = func(string) delivery { return neverLeft }
	s.prompt(handle, "one")
	s.settle(0)
	s.post = nil
	s.prompt(handle, "two")
	s.settle(1_000)
	got := a.m.of("session/prompt")
	s.expect(len(got) == 1 && strings.Contains(string(got[0].Params), "two"), "the agent got %v", got)
}

// cancelledOnTheWay is a session whose prompt the app has cancelled while it travels.
func cancelledOnTheWay(t *testing.T) (*sim, *modelSession, engine.CallID) {
	s, handle, a := opened(t, newModel())
	s.post = promptsTravel
	id := s.prompt(handle, "one")
	s.settle(0)
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Cancel(now, id) })
	return s, a, id
}

// TestCancelOfAPromptThatFailed: nobody knows whether the agent has it, so the word
// follows.
func TestCancelOfAPromptThatFailed(t *testing.T) {
	s, a, _ := cancelledOnTheWay(t)
	for x, e := range s.Exchanges() {
		if !e.Over && strings.Contains(string(e.Request.Body), `"session/prompt"`) {
			s.end(x, engine.EndNetwork)
		}
	}
	s.settle(0)
	s.expect(a.m.words("$/cancel_request") != "", "the word never leaves")
}

// TestCancelOfAPromptThatIsToBeRetried: its connection was gone, and the app has
// cancelled it meanwhile.
func TestCancelOfAPromptThatIsToBeRetried(t *testing.T) {
	s, a, id := cancelledOnTheWay(t)
	clear(a.m.connections) // the host was restarted: it answers 404
	s.arrive()
	s.post = nil
	s.settle(60_000)
	s.expect(a.m.words("session/prompt") == "session/prompt", "the agent got %q", a.m.words("session/prompt"))
	s.expect(s.settled(id).Failure != nil && s.settled(id).Failure.Code == engine.CodeCancelled,
		"the prompt ended with %+v", s.settled(id).Failure)
}

// TestCancelTakesBackWhatHasNotLeft: the prompt is being stored as the person says
// stop.
func TestCancelTakesBackWhatHasNotLeft(t *testing.T) {
	s, handle, a := opened(t, newModel())
	s.slow = true
	id := s.prompt(handle, "one")
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Notify(now, handle, "session/cancel", nil) })
	s.landed()
	s.slow = false
	s.settle(1_000)
	s.expect(a.m.words("session/prompt", "session/cancel") == "session/cancel", "the agent got %q",
		a.m.words("session/prompt", "session/cancel"))
	s.expect(s.settled(id).Failure != nil && s.settled(id).Failure.Code == engine.CodeCancelled,
		"the prompt ended with %+v", s.settled(id).Failure)
}
