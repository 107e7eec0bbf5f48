package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// openings are the requests that may be a client's first, by how it comes to them.
var openings = map[string]mcp.Config{
	"server/discover": {HasTokenProvider: true, NoListen: true, Revision: "auto"},
	"initialize":      {HasTokenProvider: true, NoListen: true, Revision: "2025-11-25"},
	"GET":             {HasTokenProvider: true, NoListen: true, Revision: "2024-11-05"},
}

// opening returns a rig whose first request got a 401 with token t1.
func opening(t *testing.T, cfg mcp.Config) *rig {
	t.Helper()
	r := &rig{MCP: coretest.NewMCP(t, cfg), t: t, calls: map[engine.CallID]*record{}}
	r.Start()
	r.token("t1")
	r.Head(r.Newest(), 401)
	if r.tokens != 2 || len(r.UnderWay()) != 0 {
		r.fatal("the provider was asked %d times, under way: %v", r.tokens, r.UnderWay())
	}
	return r
}

// Fault 137: the very first request of a client gets a 401. It is sent again once,
// with the fresh token, however long a person takes to sign in for it.
func TestFault137_FirstRequestIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, cfg := range openings {
		t.Run(name, func(t *testing.T) {
			r := opening(t, cfg)
			first := r.Exchange(r.Newest()).Request
			r.Advance(hour)
			r.token("t2")
			again := r.Exchange(r.Newest()).Request
			if again == first || again.Method != first.Method || string(again.Body) != string(first.Body) {
				r.fatal("sent again: %s %s", again.Method, again.Body)
			}
			if got := r.bearer(r.Newest()); got != "Bearer t2" {
				r.fatal("sent again with %q", got)
			}
		})
	}
}

// Fault 137: a second 401 is an answer, and so is a provider that has no other token.
func TestFault137_RefusedAgain(t *testing.T) {
	t.Parallel()
	for name, cfg := range openings {
		for what, refuse := range map[string]func(r *rig){
			"401": func(r *rig) {
				r.token("t2")
				r.Head(r.Newest(), 401)
			},
			"no token": (*rig).tokenFails,
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				r := opening(t, cfg)
				refuse(r)
				if last := r.states[len(r.states)-1]; !strings.HasPrefix(last, `{"state":"failed"`) {
					r.fatal("the client is %s", last)
				}
				if r.tokens != 2 {
					r.fatal("the provider was asked %d times", r.tokens)
				}
				r.wantIdle()
			})
		}
	}
}

// Fault 137: no handshake leaves while a token is being asked for, without one.
func TestFault137_NewSessionWaitsForTheToken(t *testing.T) {
	t.Parallel()
	r := connected(t, withToken)
	first, second := r.post("tools/list"), r.post("tools/list")
	first.Head(first.x, 401)
	second.Head(second.x, 404) // the session is gone as well
	second.End(second.x, engine.EndClean)
	r.Advance(10_000)
	if xs := r.UnderWay(); len(xs) != 0 {
		r.fatal("%v leave without a token", xs)
	}
	r.token("t2")
	if n := r.posted(`"method":"initialize"`); n != 2 || r.bearer(r.Newest()) != "Bearer t2" {
		r.fatal("%d handshakes, the last request with %q", n, r.bearer(r.Newest()))
	}
}
