//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault486_Version1NotSent: a prompt waits for an agent of version 1 that is away, and the
// page is loaded again. The next one does not send it, and says so: it was gone without a word.
func TestFault486_Version1NotSent(t *testing.T) {
	for _, again := range []bool{false, true} {
		m := newModel()
		m.version = 1
		s, handle, _ := opened(t, m)
		m.refuse = 503
		m.forget(s)
		s.prompt(handle, "hi")
		s.settle(10_000)
		s.load()
		s.settle(0)
		m.refuse = 0
		if again {
			s.storedAgain()
			s.load()
		}
		s.expect(len(s.events(engine.EventItem, `{"op":"pending"`)) == 1, "not pending")
		s.settle(120_000)
		s.expect(len(m.of("session/prompt")) == 0, "it was sent")
		s.expect(len(s.events(engine.EventItem, `{"op":"unsent"`)) == 1, "nobody is told")
		s.load()
		s.settle(60_000)
		s.expect(len(s.events(engine.EventItem, `,"prompt":`)) == 0, "it is told again")
	}
}

// TestFault486_Version1Sent: one that has left is in the transcript, and is not told as unsent.
// Nor is it sent again for a tab that asks for it once more.
func TestFault486_Version1Sent(t *testing.T) {
	m := newModel()
	m.version, m.answers = 1, `"agentCapabilities":{}`
	s, _, a := opened(t, m)
	var request modelRequest
	m.onPrompt = func(a *modelSession, r modelRequest) { request = r }
	l := s.look(77)
	l.request("session/prompt", hello)
	s.ask(l.forwarded()[0])
	s.settle(0)
	l.hear(1)
	for range 2 {
		s.load()
		s.settle(60_000)
	}
	s.ask(l.forwarded()[0])
	s.settle(0)
	s.expect(len(m.of("session/prompt")) == 1, "it was sent %d times", len(m.of("session/prompt")))
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, request.ID)
	s.settle(60_000)
	s.expect(s.ended() == 1 && len(s.events(engine.EventItem, `"unsent"`)) == 0, "%d turns ended",
		s.ended())
	items := transcript(s.effects, s.handle(a.id))
	s.expect(len(items) == 1 && items[0].text == "hello", "shown %v", items)
	there := transcript(l.told, 1)
	s.expect(len(there) == 1 && there[0].text == "hello", "shown there %v", there)
}

// TestFault486_Version1Rejected: what the app was told of is not told by the next page again.
func TestFault486_Version1Rejected(t *testing.T) {
	m := newModel()
	m.version = 1
	s, handle, _ := opened(t, m)
	m.refuse = 503
	m.forget(s)
	call := s.prompt(handle, "hi")
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Cancel(now, call) })
	s.expect(strings.Contains(s.settled(call).Failure.Message, "cancelled"), "not cancelled")
	s.load()
	s.settle(60_000)
	s.expect(len(s.events(engine.EventItem, `,"prompt":`)) == 0, "it is told again")
}
