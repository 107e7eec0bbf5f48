//go:build !js

package acp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestRichHistories: an agent of version 2 says things of all kinds; streams are cut, connections forgotten,
// pages loaded, frozen, and sessions resumed by the app, at random. In the end the transcript is what a
// client shows that has loaded the session once, whole.
func TestRichHistories(t *testing.T) {
	seeded(t, 200, richHistory)
}

func richHistory(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 5))
	m := newModel()
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.turns++
		u := fmt.Sprint("u", a.turns)
		a.echo(r, u)
		a.accept(r, u)
	}
	s := newSim(t, acp.Config{}, m)
	handle, id := s.session()
	a := m.sessions[id]
	said := 0
	resting := false
	say := func() {
		said++
		k := random.IntN(4)
		switch random.IntN(9) {
		case 0, 1, 2:
			a.chunk(fmt.Sprint("a", k), fmt.Sprintf("<%d>", said))
		case 3:
			a.update(fmt.Sprintf(`{"sessionUpdate":"agent_thought_chunk","messageId":"t%d",`+
				`"content":{"type":"text","text":"<%d>"}}`, k, said))
		case 4:
			a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c%d","title":"%d"}`, k,
				said))
		case 5:
			a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c%d",`+
				`"content":{"type":"content","text":"<%d>"}}`, k, said))
		case 6:
			a.update(
				fmt.Sprintf(
					`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p%d","entries":[]}}`, k))
		case 7:
			a.update(fmt.Sprintf(`{"sessionUpdate":"user_message_chunk","messageId":"x%d",`+
				`"content":{"type":"text","text":"<%d>"}}`, said, said))
		case 8:
			a.update(
				fmt.Sprintf(`{"sessionUpdate":"compaction_update","compactionId":"k%d","status":"completed"}`,
					k))
		}
	}
	prompts := 1
	s.prompt(handle, "p1")
	for range 20 + random.IntN(80) {
		switch choice := random.IntN(24); {
		case choice < 7:
			say()
		case choice < 15:
			if x, frame, ok := m.take(s); ok {
				s.chunk(x, frame)
			}
		case choice < 17:
			if all := m.streams(); len(all) > 0 {
				s.cut(all[random.IntN(len(all))], random.IntN(4))
			}
		case choice < 18:
			s.load()
			handle = s.handle(id)
		case choice < 19:
			m.forget(s)
		case choice < 20 && random.IntN(4) == 0:
			s.request(0, "session/resume",
				fmt.Sprintf(`{"sessionId":%q,"cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`, id))
		case choice < 20 && random.IntN(3) == 0:
			resting = !resting
			s.do("rest", func(c *acp.Client, now engine.Time) { c.Rest(now, resting) })
		case choice < 20 && prompts < 4:
			prompts++
			s.prompt(handle, fmt.Sprintf("p%d", prompts))
		default:
			s.settleOne(int64(random.IntN(8)) * 300)
		}
	}
	if resting {
		s.do("rest", func(c *acp.Client, now engine.Time) { c.Rest(now, false) })
	}
	s.settle(120_000)
	if seed%2 == 0 {
		s.cut(m.reading(id), 0) // whatever was missed comes
		s.settle(120_000)
	}
	fresh := newSim(t, acp.Config{Epoch: 900, Seed: 9}, m)
	call := fresh.request(0, "session/resume",
		fmt.Sprintf(`{"sessionId":%q,"cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`, id))
	fresh.settle(60_000)
	fresh.expect(fresh.settled(call).Outcome == engine.OutcomeResult, "not resumed")
	want := fmt.Sprint(transcript(fresh.effects, fresh.handle(id)))
	if got := fmt.Sprint(transcript(s.effects, handle)); got != want {
		s.fatal("seed %d: shown\n%s, want\n%s", seed, got, want)
	}
}
