//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"
)

func (s *sim) sessionFirst() {
	for {
		took := false
		for _, c := range s.agent.connections {
			for _, name := range append(append([]string{}, c.order[1:]...), "") {
				box := c.boxes[name]
				for len(box.frames) > 0 && box.x != 0 && s.Exchange(box.x).Reading {
					frame := box.frames[0]
					box.frames = box.frames[1:]
					took = true
					s.chunk(box.x, frame)
				}
			}
		}
		if !took {
			return
		}
	}
}

// TestFault501_PromptDuringAReplay: version 1: a prompt made while the client connects again stands behind
// the history and in front of its answer, also where the answer to session/load overtakes the history on
// another stream.
func TestFault501_PromptDuringAReplay(t *testing.T) {
	for _, before := range []bool{false, true} {
		for _, overtakes := range []bool{false, true} {
			t.Run(fmt.Sprintf("before %v overtakes %v", before, overtakes), func(t *testing.T) {
				m, asked := v1agent()
				s, handle, a := opened(t, m)
				a.history = append(a.history,
					`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}`,
					`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"before"}}`)
				m.refuse = 503
				m.forget(s)
				if !before {
					s.settle(1_000)
				}
				s.prompt(handle, "hi")
				s.settle(1_000)
				m.refuse = 0
				for range 60 {
					if overtakes {
						s.settle(1_000)
						continue
					}
					s.sessionFirst()
					s.settleOne(1_000)
				}
				s.expect(len(*asked) == 1, "not sent")
				a.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"}}`)
				s.settle(0)
				v1ends(s, a, (*asked)[0], "end_turn")
				show := func() string {
					text := ""
					for _, it := range transcript(s.effects, s.handle(a.id)) {
						text += strings.TrimSuffix(it.kind, "_message") + "=" + it.text + " "
					}
					return text
				}
				want := "user=old agent=before user=hi agent=answer "
				if got := show(); got != want {
					t.Errorf("shown %s", got)
				}
				m.silent["session/load"] = true
				s.load()
				s.settle(0)
				if got := show(); got != want {
					t.Errorf("the next page shows %s", got)
				}
			})
		}
	}
}

// TestFault501_PromptDuringTheAppsLoad: the same for a history that the app has asked for.
func TestFault501_PromptDuringTheAppsLoad(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	a.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}`)
	a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"before"}}`)
	s.settle(0)
	s.request(0, "session/load", `{"sessionId":"`+a.id+`","cwd":"/w","mcpServers":[]}`)
	s.prompt(handle, "hi")
	s.sessionFirst()
	s.settle(1_000)
	s.expect(len(*asked) == 1, "not sent")
	a.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"}}`)
	s.settle(0)
	v1ends(s, a, (*asked)[0], "end_turn")
	text := ""
	for _, it := range transcript(s.effects, s.handle(a.id)) {
		text += strings.TrimSuffix(it.kind, "_message") + "=" + it.text + " "
	}
	s.expect(text == "user=old agent=before user=hi agent=answer ", "shown %s", text)
}
