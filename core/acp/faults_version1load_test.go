//go:build !js

package acp_test

import (
	"strings"
	"testing"
)

// TestFault500_LoadWhileTheSecondRuns: version 1: two prompts run, the stream was cut, and the first is
// answered. No history is asked for before the second is.
func TestFault500_LoadWhileTheSecondRuns(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	s.prompt(handle, "second")
	s.settle(0)
	s.cut(m.reading(a.id), 0)
	s.settle(5_000)
	s.expect(len(m.of("session/load")) == 0, "%d loads", len(m.of("session/load")))
	a.history = append(a.history,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"first"}}`)
	a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}`)
	v1ends(s, a, (*asked)[0], "end_turn")
	s.settle(5_000)
	if n := len(m.of("session/load")); n != 0 {
		t.Errorf("%d loads while the agent is at work: %s", n, s.lastTurn())
	}
	a.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}`)
	s.settle(5_000)
	a.history = append(a.history,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"second"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}`)
	t.Logf("shown while it runs %s", items(s, handle))
	v1ends(s, a, (*asked)[1], "end_turn")
	s.settle(60_000)
	t.Logf("shown in the end %s; %d loads", items(s, handle), len(m.of("session/load")))
}

// TestFault500_LoadedInATurn: version 1: the history is read in a turn, since the app loads it; then the page
// is loaded again, and knows that the agent is at work.
func TestFault500_LoadedInATurn(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	a.history = append(a.history,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"first"}}`)
	v1load(s, a.id)
	s.settle(5_000)
	s.expect(len(*asked) == 1 && strings.Contains(s.lastTurn(), "running"), "%s", s.lastTurn())
	s.load()
	s.settle(0)
	if !strings.Contains(s.lastTurn(), "running") {
		t.Errorf("the agent is at work, and the next page is told %q", s.lastTurn())
	}
}

// TestFault500_RefusedBesideAnEarlierPages: version 1: the page is loaded again while the agent is at work,
// and a prompt of the next page is refused: the first goes on.
func TestFault500_RefusedBesideAnEarlierPages(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	s.load()
	s.settle(5_000)
	s.prompt(s.handle(a.id), "second")
	s.settle(0)
	s.expect(len(*asked) == 2, "%d prompts", len(*asked))
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"a prompt is running"}}`,
		(*asked)[1].ID)
	s.settle(0)
	s.expect(strings.Contains(s.lastTurn(), "running"),
		"the agent is at work on the first, and the app is told %s", s.lastTurn())
	v1ends(s, a, (*asked)[0], "end_turn")
	s.expect(strings.Contains(s.lastTurn(), "idle"), "it has ended, and the app is told %s", s.lastTurn())
}
