//go:build !js

package acp_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// numbered is an agent whose host gives frames ids, and tells again what follows one.
func numbered() *model {
	m := newModel()
	m.ids = true
	return m
}

// TestFault155_AtEveryBoundary: where the host tells again what a cut ate, and the
// agent its history as well, everything is shown once and in order; and where the
// host has ids, and does as if it had none.
func TestFault155_AtEveryBoundary(t *testing.T) {
	historiesAtEveryBoundary(t, numbered)
	historiesAtEveryBoundary(t, func() *model { m := numbered(); m.deafToIDs = true; return m })
}

func TestFault155_Histories(t *testing.T) {
	seed := rand.Uint64()
	for i := range length(150) {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		script := make([]byte, random.IntN(200))
		for j := range script {
			script[j] = byte(random.Uint32())
		}
		m := numbered()
		m.deafToIDs = i%3 == 0
		if historyWith(t, m, script); t.Failed() {
			t.Fatalf("seed %d, %d", seed, i)
		}
	}
}

// TestFault155_NoHistory: of an agent without a history, nothing of a turn is missing
// or comes twice, wherever its stream is cut, its page loads again, or another one
// takes it up: the id of the last frame that is stored goes back, sealed until then.
func TestFault155_NoHistory(t *testing.T) {
	for at := 1; at <= 6; at++ { // before the first id there is nothing to go on from
		for lost := range 3 {
			for _, end := range []string{"cut", "reload", "cut and reload",
				"reload while the store is slow"} {
				t.Run(fmt.Sprintf("%d, %d lost, %s", at, lost, end), func(t *testing.T) {
					m := numbered()
					m.version, m.answers = 1, `"agentCapabilities":{}`
					var asked modelRequest
					m.onPrompt = func(s *modelSession, r modelRequest) {
						asked = r
						for i := range 6 {
							s.tell(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk",`+
								`"content":{"type":"text","text":"<%d>"}}`, i))
						}
					}
					s, handle, a := opened(t, m)
					s.prompt(handle, "hi")
					for range at {
						if x, frame, ok := m.take(s); ok {
							s.chunk(x, frame)
						}
					}
					if strings.Contains(end, "cut") {
						s.cut(m.reading(a.id), lost)
					}
					if strings.Contains(end, "slow") {
						s.slow = true
						if x, frame, ok := m.take(s); ok {
							s.chunk(x, frame) // its commit is under way, and lost
						}
					}
					if strings.Contains(end, "reload") {
						if x := m.reading(a.id); x != 0 {
							m.lose(x, lost)
						}
						s.expect(!bytes.Contains(s.Store.Plain(), []byte("canary-c")), "in plain: %s",
							s.Store.Plain())
						s.slow = false
						s.load()
						handle = s.handle(a.id)
					}
					s.settle(60_000)
					s.expect(said(s.effects, handle) == "<0><1><2><3><4><5>", "shown %q; from %q",
						said(s.effects, handle), m.cursors)
					a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, asked.ID)
					s.settle(60_000)
					s.expect(s.ended() == 1, "%d ends", s.ended())
					s.expect(len(s.events(engine.EventResumed, `"gap"`)) == 0, "a gap is told")
				})
			}
		}
	}
}

// TestFault155_OfItsConnection: an id counts on the connection that it came on, and
// nowhere else; there it goes back from whoever reads the session next.
func TestFault155_OfItsConnection(t *testing.T) {
	m := numbered()
	s, handle, a := opened(t, m)
	s.prompt(handle, "hi")
	s.settle(0)
	s.do("rest", func(c *acp.Client, now engine.Time) { c.Rest(now, true) })
	s.do("wake", func(c *acp.Client, now engine.Time) { c.Rest(now, false) })
	s.settle(60_000)
	s.expect(len(m.cursors) == 1 && strings.HasPrefix(m.cursors[0], "canary-c1-"), "goes on from %q",
		m.cursors)
	m.cursors = nil
	m.forget(s)
	s.settle(60_000)
	s.load()
	m.forget(s)
	s.settle(60_000)
	other := slices.ContainsFunc(m.cursors, func(id string) bool {
		return !strings.HasPrefix(id, "canary-"+a.conn.id) && !strings.HasPrefix(id, "canary-c2-")
	})
	s.expect(!other && said(s.effects, s.handle(a.id)) == m.said(a.id), "goes on from %q, shown %q",
		m.cursors, said(s.effects, s.handle(a.id)))
}

// TestFault155_ToldTwice: the host tells more again than what came after the id that
// it was given. The next page knows what the one before it has had.
func TestFault155_ToldTwice(t *testing.T) {
	m := numbered()
	m.version, m.answers, m.deafToIDs = 1, `"agentCapabilities":{}`, true
	m.onPrompt = func(s *modelSession, _ modelRequest) {
		for i := range 4 {
			s.tell(
				fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<%d>"}}`,
					i))
		}
	}
	s, handle, a := opened(t, m)
	s.prompt(handle, "hi")
	s.settle(0)
	s.expect(said(s.effects, handle) == "<0><1><2><3>", "shown %q", said(s.effects, handle))
	s.load()
	box := a.conn.box(a.id)
	box.frames, box.told = box.told[1:], nil
	a.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<4>"}}`)
	s.settle(60_000)
	s.expect(said(s.effects, s.handle(a.id)) == "<0><1><2><3><4>", "the next page shows %q",
		said(s.effects, s.handle(a.id)))
}
