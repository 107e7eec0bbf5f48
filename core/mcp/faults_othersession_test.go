package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// wantAnswersIn checks that no answer of a person's is under way in another session than that.
func (r *rig) wantAnswersIn(session string) {
	r.t.Helper()
	for _, x := range r.UnderWay() {
		if s, _ := r.field(x, "Mcp-Session-Id"); strings.Contains(r.body(x), `"accept"`) && s != session {
			r.fatal("%s leaves in session %s", r.body(x), s)
		}
	}
}

// Fault 525: a person's answer waits for a token. Meanwhile the session is lost, and another tab has made
// the next one. The answer does not leave there, where its id is another question's.
func TestFault525_AnswerThatWaitsForAToken(t *testing.T) {
	r := newRig(t, mcp.Config{Journal: true, Tabs: true, HasTokenProvider: true, NoListen: true,
		Handles: []string{"elicitation/create"}})
	r.End(r.handshake("2025-11-25"), engine.EndClean)
	r.store()
	r.Advance(5000)
	o := r.stream("tools/call")
	o.asks("e1", "Your name?")
	o.agrees(1)
	x := r.Newest()
	if !strings.Contains(r.body(x), "accept") {
		r.fatal("no answer")
	}
	r.Head(x, 401) // the provider is asked
	r.input("session", func(m *mcp.Client, now engine.Time) { m.Restore(now, serverRow(later, "s3")) })
	r.token("t2")
	r.wantAnswersIn("s1")
	if session, _ := r.field(r.post("tools/list").x, "Mcp-Session-Id"); session != "s3" {
		r.fatal("the next request leaves in session %s", session)
	}
}

// Fault 525: the same with nine answers, of which eight are under way, and the ninth waits for a place.
func TestFault525_AnswerThatWaitsForAPlace(t *testing.T) {
	r := connected(t, mcp.Config{NoListen: true, Handles: []string{"elicitation/create"}})
	r.Advance(5000)
	o := r.stream("tools/call")
	for i := 1; i <= 9; i++ {
		o.event(fmt.Sprint("e", i),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"old"}}`,
				i))
	}
	for i := 1; i <= 9; i++ {
		o.agrees(uint32(i))
	}
	old := r.UnderWay()
	r.sessionIsGone()
	for _, x := range old {
		if strings.Contains(r.body(x), "accept") && !r.Exchange(x).Over {
			r.Head(x, 404)
			r.endIfLive(x)
		}
	}
	r.wantAnswersIn("s1")
}

// Fault 525: the stream of a call outlives its session, and the server asks something on it,
// and pings. Neither answer goes to the next session.
func TestFault525_AskedOnAStreamOfTheSessionBefore(t *testing.T) {
	r := connected(t, mcp.Config{NoListen: true, Handles: []string{"elicitation/create"}})
	r.Advance(5000)
	o := r.stream("tools/call")
	r.sessionIsGone()
	o.asks("e1", "Your name?")
	o.event("e2", `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	o.agrees(1)
	r.wantAnswersIn("s1")
	if n := r.posted(`"id":2,"result"`); n != 0 {
		r.fatal("the ping is answered in another session")
	}
	o.result("e3")
	o.wantResult()
}
