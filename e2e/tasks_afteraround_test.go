//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault487_TaskAfterARoundInChrome: a call of 2026-07-28 asks for input, is answered,
// and becomes a task; the page loads again in the middle of that, twice. The task goes on
// to its end, and nobody is asked again.
func TestFault487_TaskAfterARoundInChrome(t *testing.T) {
	t.Parallel()
	policy := extensionDialect.policy
	policy.Before = func(c peer.Call) peer.Script {
		if c.RequestState != "" {
			return nil
		}
		return peer.Script{
			peer.InputRequired(`{"who":`+peer.Elicitation("a.1.q1", `{"type":"object","properties":{}}`)+`}`,
				"state")}
	}
	s := newTaskStory(t, extensionDialect, policy)
	s.open()
	s.tell(telling{N: 4, Gate: "go"})
	s.durable()
	s.makes(1)
	s.reload()
	s.wait(`trails.a.resumed.length === 1`)
	s.makes(2)
	s.reload()
	s.makes(4)
	passes(s.p, "go", 1)
	s.wait(`trails.a.done`)
	if has := s.trail(); has.Code != "" || has.N != 4 || len(has.Resumed) != 1 ||
		has.Resumed[0] != "continued" {
		t.Errorf("it ends with %q and %d pieces, resumed: %v", has.Code, has.N, has.Resumed)
	}
	if runs := s.p.Oracle().Runs(storyCall); runs != 2 { // one has asked, the other is the task
		t.Errorf("%d runs", runs)
	}
	blameless(t, s.p)
	if n := s.asked(); n != `"1"` {
		t.Errorf("asked %s times", n)
	}
}
