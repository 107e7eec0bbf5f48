//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

const spent = `"usage":{"inputTokens":12,"outputTokens":30,"totalTokens":42}`

// TestFault154_Version1WithTheNewLifecycle: an agent of version 1 that has opted in
// answers a prompt when it has it, and tells by states who is at work, what the turn
// took as well. The answer ends nothing; the turn is there once, over a reload, too.
func TestFault154_Version1WithTheNewLifecycle(t *testing.T) {
	for _, reload := range []bool{false, true} {
		m := newModel()
		m.version = 1
		var asked modelRequest
		m.onPrompt = func(s *modelSession, r modelRequest) {
			asked = r
			s.tell(`{"sessionUpdate":"state_update","state":"running"}`)
			s.conn.say(s.id, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID)
			s.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"an "}}`)
		}
		s, handle, a := opened(t, m)
		call := s.prompt(handle, "hi")
		s.settle(0)
		s.expect(s.settled(call).Outcome == engine.OutcomeResult && s.ended() == 0, "accepted: %d ends, %s",
			s.ended(), asked.ID)
		if reload {
			s.load()
			handle = s.handle(a.id)
			s.settle(0)
			s.expect(s.ended() == 0, "the reload ends it")
		}
		a.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"}}`)
		a.tell(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn",` + spent + `}`)
		m.silent["session/load"] = true
		s.settle(1_000)
		s.expect(s.ended() == 1 && len(s.events(engine.EventPhase, spent)) == 1, "%d ends", s.ended())
		s.expect(said(s.effects, handle) == "an answer", "shown %q", said(s.effects, handle))
	}
}

// TestFault154_UsageOfATurn: what a turn took is told with its end, wherever the
// version has it: in the answer to the prompt, or in the state; and so it is stored.
func TestFault154_UsageOfATurn(t *testing.T) {
	for version := 1; version <= 2; version++ {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			m := newModel()
			m.version = version
			m.onPrompt = func(s *modelSession, r modelRequest) {
				if version == 1 {
					s.conn.say(s.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn",%s}}`, r.ID,
						spent)
					return
				}
				s.echo(r, "u1")
				s.accept(r, "u1")
				s.is(`"state":"running"`)
				s.is(`"state":"idle","stopReason":"end_turn",` + spent)
			}
			s, handle, _ := opened(t, m)
			s.prompt(handle, "hi")
			s.settle(0)
			s.expect(s.ended() == 1 && len(s.events(engine.EventPhase, spent)) == 1, "%d ends", s.ended())
			s.load()
			s.expect(len(s.events(engine.EventPhase, spent)) == 1, "the next page is not told")
		})
	}
}
