//go:build !js

package demosite

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
)

// GateAgent is where the agent stops before each word and each step while a test
// holds it (acppeer.Peer.Hold); else everything passes.
const GateAgent = "agent"

// newAgent is an agent of ACP that knows three things by heart.
func newAgent(haste float64) *acppeer.Peer {
	p := acppeer.Mounted(acppeer.Options{
		// Pages keep the ids of an agent that has been started again since.
		Prefix: strings.ToLower(rand.Text()[:8]) + "-",
		// Far below the time after which a silent stream counts as dead.
		KeepAlive: 15 * time.Second,
	})
	p.Release(GateAgent)
	stage := &stage{haste: haste, turns: make(map[string]int)}
	p.OnPrompt(stage.perform)
	return p
}

// A stage knows which sessions have turns under way.
type stage struct {
	haste float64
	mu    sync.Mutex
	turns map[string]int
}

// enter and leave count the turns of a session, and return how many there are.
func (s *stage) enter(session string) int { return s.add(session, 1) }
func (s *stage) leave(session string) int { return s.add(session, -1) }

func (s *stage) add(session string, n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns[session] += n
	return s.turns[session]
}

// perform plays the part that a prompt asks for. What is left in the background
// goes on when the turn is over, with no request open.
func (s *stage) perform(t *acppeer.Turn) {
	a := actor{t, s.haste}
	part := partFor(t.Text)
	s.enter(t.Session)
	t.Accept()
	t.Running()
	background := part(a)
	end := `"stopReason":"end_turn","background":[]`
	switch {
	case t.Cancelled():
		end, background = `"stopReason":"cancelled","background":[]`, nil
	case background != nil:
		end = `"stopReason":"end_turn","background":[{"type":"tool_call","toolCallId":"` + background.tool +
			`"}]`
	}
	if s.leave(t.Session) == 0 {
		t.State("idle", end)
	}
	if background == nil || !a.wait(background.takes) {
		return
	}
	if s.enter(t.Session) == 1 {
		t.Running()
	}
	background.then()
	if s.leave(t.Session) == 0 {
		t.State("idle", `"stopReason":"end_turn","background":[]`)
	}
}

// background is what goes on when a turn is over.
type background struct {
	tool  string // the call that does it
	takes time.Duration
	then  func()
}

// partFor finds what to play.
func partFor(prompt string) func(actor) *background {
	prompt = strings.ToLower(prompt)
	for _, one := range []struct {
		word string
		play func(actor) *background
	}{
		{"tide", explainTides},
		{"log", writeLog},
		{"light", checkLights},
	} {
		if strings.Contains(prompt, one.word) {
			return one.play
		}
	}
	return knowsNoMore
}
