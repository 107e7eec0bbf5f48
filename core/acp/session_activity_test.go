//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// statuses returns the status that is shown of each tool call, by its id.
func (s *sim) statuses() map[string]string {
	shown := map[string]string{}
	for _, e := range s.find(
		func(e engine.Effect) bool { return e.Kind == engine.Deliver && e.Event == engine.EventItem }) {
		text := string(e.Data)
		switch {
		case strings.HasPrefix(text, `{"op":"reset"`):
			shown = map[string]string{}
		case strings.HasPrefix(text, `{"op":"put"`) && strings.Contains(text, `"type":"tool_call"`):
			_, rest, _ := strings.Cut(text, `"id":"`)
			id, _, _ := strings.Cut(rest, `"`)
			if _, rest, ok := strings.Cut(text, `"status":"`); ok {
				shown[id], _, _ = strings.Cut(rest, `"`)
			}
		}
	}
	return shown
}

func (s *sim) cancel(handle uint32) {
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Notify(now, handle, "session/cancel", nil) })
}

// working is a session whose turn has four tool calls: one done, one in the
// background, two under way.
func working(t *testing.T) (*sim, uint32, *modelSession) {
	s, handle, a := opened(t, atWork())
	s.prompt(handle, "work")
	s.settle(0)
	for id, status := range map[string]string{"done": "completed", "away": "in_progress",
		"half": "in_progress", "next": "pending"} {
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"` + id + `","title":"T","status":"` +
			status + `"}`)
	}
	a.is(`"state":"running","background":[{"type":"tool_call","toolCallId":"away"}]`)
	s.settle(0)
	return s, handle, a
}

// TestCancelMarksWhatIsUnfinished at once; what the agent says of it later counts.
func TestCancelMarksWhatIsUnfinished(t *testing.T) {
	s, handle, a := working(t)
	s.cancel(handle)
	got := s.statuses()
	s.expect(got["done"] == "completed" && got["away"] == "in_progress" && got["half"] == "cancelled" &&
		got["next"] == "cancelled", "after cancel: %v", got)
	s.expect(s.ended() == 0, "the agent has not said that the turn is over")
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"half","content":[]}`)
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"next","status":"completed"}`)
	a.is(`"state":"idle","stopReason":"cancelled"`)
	s.settle(0)
	got = s.statuses()
	s.expect(got["half"] == "cancelled" && got["next"] == "completed", "in the end: %v", got)
	s.expect(len(a.m.of("session/cancel")) == 1 && s.ended() == 1, "%d ends", s.ended())
	s.load()
	s.expect(len(s.statuses()) == 4 && s.statuses()["half"] == "cancelled", "after a reload: %v",
		s.statuses())
}

// TestCancelThatTheAgentIgnores: the turn ends as if nothing had been said, so that
// its tool calls are what the agent has said of them.
func TestCancelThatTheAgentIgnores(t *testing.T) {
	s, handle, a := working(t)
	s.cancel(handle)
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(0)
	got := s.statuses()
	s.expect(got["half"] == "in_progress" && got["next"] == "pending" && got["away"] == "in_progress",
		"in the end: %v", got)
}

// TestMarksOutliveAReplay: the history that is told again while the turn is being
// cancelled does not bring them back to life.
func TestMarksOutliveAReplay(t *testing.T) {
	s, handle, a := working(t)
	s.cancel(handle)
	s.cut(a.m.reading(a.id), 0)
	s.settle(60_000)
	got := s.statuses()
	s.expect(len(s.events(engine.EventResumed, "continued")) == 1 && got["half"] == "cancelled" &&
		got["done"] == "completed", "after a replay: %v", got)
}

// TestCancelWithoutATurn marks nothing.
func TestCancelWithoutATurn(t *testing.T) {
	s, handle, a := opened(t, quiet())
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}`)
	s.settle(0)
	s.cancel(handle)
	s.expect(s.statuses()["c1"] == "in_progress", "marked: %v", s.statuses())
}

// TestMust08_WhatIsNotOffered is refused here, and nothing is sent.
func TestMust08_WhatIsNotOffered(t *testing.T) {
	s, handle, a := opened(t, quiet())
	before := len(a.m.requests)
	refused := func(session uint32, method, params string) {
		t.Helper()
		e := s.settled(s.request(session, method, params))
		s.expect(e.Failure != nil && e.Failure.Code == acp.CodeUnsupported && len(a.m.requests) == before,
			"%s: %v", method, e.Failure)
	}
	taken := func(session uint32, method, params string) {
		t.Helper()
		s.request(session, method, params)
		s.settle(0)
		s.expect(len(a.m.of(method)) > 0, "%s is not sent", method)
		before = len(a.m.requests)
	}
	for _, method := range []string{"auth/login", "auth/logout", "authenticate", "logout"} {
		refused(0, method, `{"methodId":"m"}`)
	}
	refused(handle, "tool_call/cancel", `{"toolCallId":"c1"}`)
	refused(handle, "terminal/cancel", `{"terminalId":"x1"}`)
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}`)
	a.update(`{"sessionUpdate":"terminal_update","terminalId":"c1","capabilities":{"cancel":{}}}`)
	s.settle(0)
	refused(handle, "tool_call/cancel", `{"toolCallId":"c1"}`)
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","capabilities":{"cancel":{}}}`)
	s.settle(0)
	taken(handle, "tool_call/cancel", `{"toolCallId":"c1"}`)
	taken(handle, "terminal/cancel", `{"terminalId":"c1"}`)
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","capabilities":null}`)
	a.update(`{"sessionUpdate":"terminal_update","terminalId":"c1","exitStatus":{"exitCode":0}}`)
	s.settle(0)
	refused(handle, "tool_call/cancel", `{"toolCallId":"c1"}`)
	refused(handle, "terminal/cancel", `{"terminalId":"c1"}`)
	refused(0, "tool_call/cancel", `{"sessionId":"`+a.id+`","toolCallId":"c1"}`)

	m := quiet()
	m.answers = `"capabilities":{"session":{}},"authMethods":[{"methodId":"m","type":"agent","name":"M"}]`
	s = newSim(t, acp.Config{}, m)
	s.settle(0)
	s.request(0, "auth/login", `{"methodId":"m"}`)
	s.expect(len(m.of("auth/login")) == 1, "one that is offered is not sent")
}
