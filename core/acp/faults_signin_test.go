package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

const minute = 60_000

func signIn(w coretest.ACP) {
	w.Input("token", func(c *acp.Client, now engine.Time) { c.Token(now, "signed-in", nil) })
}

// initialized answers initialize, on exchange x.
func initialized(w coretest.ACP, x engine.ExchangeID) {
	w.Head(x, 200, "content-type", coretest.JSON, "acp-connection-id", "k1")
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)),
		`{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{}}}`))
	w.End(x, engine.EndClean)
	w.Head(w.Newest(), 200, "content-type", coretest.Stream)
}

// Fault 402: a person takes an hour to sign in for an agent. What was refused, and what the app has
// asked meanwhile, waits for that: the time for an answer counts from when it leaves.
func TestFault402_AgentWaitsForAPerson(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{HasTokenProvider: true, SignIn: true})
	w.Start()
	signIn(w)
	w.Head(w.Newest(), 401) // initialize
	w.Advance(60 * minute)
	signIn(w)
	initialized(w, w.Newest())
	if !strings.Contains(w.Log(), `{"state":"open"`) {
		t.Fatalf("the client has not opened\n%s", w.Log())
	}

	refused, _ := w.Call(0, "session/list", `{}`)
	w.Head(w.Newest(), 401)
	meanwhile, _ := w.Call(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	w.Advance(60*minute - 1)
	signIn(w)
	w.Advance(minute / 4)
	for method, id := range map[string]engine.CallID{"session/list": refused, "session/new": meanwhile} {
		if e := w.Settled(id); e != nil {
			t.Errorf("%s has ended: %v\n%s", method, e.Failure, w.Log())
		}
		underWay(t, w, method)
	}
}

// underWay returns the exchange that makes a request of that method now.
func underWay(t *testing.T, w coretest.ACP, method string) engine.ExchangeID {
	for _, x := range w.UnderWay() {
		if strings.Contains(string(w.Request(x).Body), method) {
			return x
		}
	}
	t.Fatalf("no %s is under way\n%s", method, w.Log())
	return 0
}

// Fault 403: a person has signed in for an agent, and its server wants more scopes before it takes
// the request: it waits once more, three times in all, as a call of MCP's does.
func TestFault403_AgentWantsMoreScopes(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{HasTokenProvider: true, SignIn: true})
	w.Start()
	signIn(w)
	initialized(w, w.Newest())
	id, _ := w.Call(0, "session/list", `{}`)
	for n := 1; n <= 4; n++ {
		w.Head(underWay(t, w, "session/list"), 401)
		e := w.Settled(id)
		if ended := e != nil; ended != (n == 4) {
			t.Fatalf("refused %d times, ended: %v\n%s", n, ended, w.Log())
		}
		if e != nil && (e.Failure == nil || e.Failure.Code != engine.CodeUnauthorized) {
			t.Errorf("it has ended with %v", e.Failure)
		}
		signIn(w)
	}
}
