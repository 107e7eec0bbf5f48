//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

func v1agent() (*model, *[]modelRequest) {
	m, asked := newModel(), &[]modelRequest{}
	m.version = 1
	m.onPrompt = func(s *modelSession, r modelRequest) { *asked = append(*asked, r) }
	return m, asked
}

// v1ends has the agent answer a prompt, which ends its turn.
func v1ends(s *sim, a *modelSession, r modelRequest, reason string) {
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":%q}}`, r.ID, reason)
	s.settle(0)
}

// twoPrompts makes two prompts, the second in the turn of the first.
func twoPrompts(t *testing.T) (s *sim, a *modelSession, asked *[]modelRequest) {
	m, asked := v1agent()
	s, handle, a := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	s.prompt(handle, "second")
	s.settle(0)
	return s, a, asked
}

// lastTurn is what the page was told last of the turn.
func (s *sim) lastTurn() string {
	all := s.events(engine.EventPhase, "")
	if len(all) == 0 {
		return ""
	}
	return string(all[len(all)-1].Data)
}

// TestFault497_BeforeTheStreamIsUp: version 1: a prompt is made while the session's stream, on a new
// connection, is not up yet. It leaves once that is.
func TestFault497_BeforeTheStreamIsUp(t *testing.T) {
	m, asked := v1agent()
	s, handle, _ := opened(t, m)
	s.post = func(string) delivery { return travels }
	m.forget(s)
	s.settle(1_000) // a GET got a 404, and initialize is on its way
	s.deaf = travels
	s.arrive()
	s.settle(0) // the GETs are on their way
	s.post = nil
	call := s.prompt(handle, "hi")
	s.settle(0)
	s.deaf = arrives
	s.arrive()
	s.settle(600_000)
	s.expect(len(*asked) == 1, "the prompt never leaves: %d loads, settled %d times, %s",
		len(m.of("session/load")),
		len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Settle && e.C == call })),
		s.lastTurn())
}

// TestFault497_InAParkedSession: the same for a session that is parked on the new connection.
func TestFault497_InAParkedSession(t *testing.T) {
	m, asked := v1agent()
	s, handles, all := crowded(t, m, 5)
	m.forget(s)
	s.settle(1_000)
	for i, a := range all {
		if m.reading(a.id) != 0 {
			continue
		}
		n := len(*asked)
		s.prompt(handles[i], fmt.Sprint("p", i))
		s.settle(600_000)
		s.expect(len(*asked) == n+1, "session %s: the prompt never leaves: %s", a.id, s.lastTurn())
		v1ends(s, a, (*asked)[n], "end_turn")
	}
}

// TestFault500_RunningAfterReconnect: version 1: a prompt waits for a connection. Once it is sent the agent
// is at work, and not before; before says whether it is made before the client knows that the connection is
// gone.
func TestFault500_RunningAfterReconnect(t *testing.T) {
	for _, before := range []bool{false, true} {
		t.Run(fmt.Sprint("before ", before), func(t *testing.T) {
			m, asked := v1agent()
			s, handle, _ := opened(t, m)
			m.refuse = 503
			m.forget(s)
			if !before {
				s.settle(1_000)
			}
			s.prompt(handle, "hi")
			s.settle(1_000)
			m.refuse = 0
			s.settle(60_000)
			s.expect(len(*asked) == 1, "not sent")
			if last := s.lastTurn(); !strings.Contains(last, `"running"`) {
				t.Errorf("the agent is at work, and the app is told %q; %d ends", last, s.ended())
			}
		})
	}
}

// TestFault500_SecondPromptRefused: version 1: the second prompt, made in the turn of the first, is refused:
// the first goes on.
func TestFault500_SecondPromptRefused(t *testing.T) {
	s, a, asked := twoPrompts(t)
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"a prompt is running"}}`,
		(*asked)[1].ID)
	s.settle(0)
	s.expect(s.ended() == 0, "the turn of the first is told to have ended: %s", s.lastTurn())
	v1ends(s, a, (*asked)[0], "end_turn")
	s.expect(s.ended() == 1, "%d ends", s.ended())
}

// TestFault500_SecondPromptCancelled: the same for one that the app takes back before it is stored.
func TestFault500_SecondPromptCancelled(t *testing.T) {
	m, _ := v1agent()
	s, handle, _ := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	s.slow = true
	call := s.prompt(handle, "second")
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Cancel(now, call) })
	s.expect(s.ended() == 0, "the turn of the first is told to have ended: %s", s.lastTurn())
}

// TestFault500_SecondPromptRuns: version 1: the agent has taken a second prompt, and answers the first: it is
// at work on the second.
func TestFault500_SecondPromptRuns(t *testing.T) {
	s, a, asked := twoPrompts(t)
	v1ends(s, a, (*asked)[0], "end_turn")
	s.expect(len(*asked) == 2, "%d prompts", len(*asked))
	last := s.lastTurn()
	s.expect(strings.Contains(last, `"running"`),
		"the agent is at work on the second, and the app is told %s", last)
}
