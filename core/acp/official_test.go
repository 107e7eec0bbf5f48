//go:build !js && npm

// What runs against the official server, which npm installs: `make e2e` runs it.

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
)

// TestOfficialTurn runs a turn of the official server's.
func TestOfficialTurn(t *testing.T) {
	server := acpserver.Start(t, acpserver.Options{})
	t.Run("http", func(t *testing.T) { turn(t, server.URL()) })
	t.Run("websocket", func(t *testing.T) { turn(t, server.WebSocketURL()) })
}

// TestCutInATurn: the session's stream is cut in the middle of a turn, cleanly
// and by a reset; what was said meanwhile comes, once.
func TestCutInATurn(t *testing.T) {
	for _, how := range []string{acpserver.Clean, acpserver.Reset} {
		server := acpserver.Start(t, acpserver.Options{})
		p := open(t, server.URL(), nil)
		s, id := p.newSession()
		p.settled(p.prompt(s, id, "count 40 @go"))
		server.Waiting("go")
		server.Pass("go", 10)
		p.waitText(s, counted(10))
		server.Cut(acpserver.Cut{Session: id, How: how})
		server.Release("go")
		p.wait(engine.Deliver, engine.EventResumed, `"outcome":"continued"`)
		p.waitText(s, counted(40))
		if n := len(server.Of("prompt")); n != 1 {
			t.Errorf("%d prompts", n)
		}
		if n := len(acpserver.Requests(server.Log(), "DELETE")); n != 0 {
			t.Errorf("%d DELETEs", n)
		}
	}
}

// TestReloadInATurn: the page is gone in the middle of a turn; the next one has
// the transcript at once, and what was said meanwhile.
func TestReloadInATurn(t *testing.T) {
	for _, version := range []int{2, 1} {
		for _, transport := range []string{"http", "websocket"} {
			t.Run(fmt.Sprint("version ", version, " over ", transport),
				func(t *testing.T) { reloadInATurn(t, version, transport) })
		}
	}
}

func reloadInATurn(t *testing.T, version int, transport string) {
	server := acpserver.Start(t, acpserver.Options{Versions: []int{version}})
	url, initializes := server.URL(), 1
	if transport == "websocket" {
		url, initializes = server.WebSocketURL(), 2 // the socket is the connection
	}
	p := open(t, url, nil)
	s, id := p.newSession()
	p.prompt(s, id, "count 40 @go")
	server.Waiting("go")
	server.Pass("go", 10)
	p.waitText(s, counted(10))
	streams := len(server.Of("open"))
	p = p.reload()
	s = p.handle(id)
	// What was shown is a moment ahead of the disk.
	if text := p.text(s); text == "" || !strings.HasPrefix(counted(10), text) {
		t.Errorf("at once: %q", text)
	}
	server.Await("the end of the first page's streams", func(all []acpserver.Entry) bool {
		// What is said before that goes with them.
		return len(acpserver.Of(all, "over")) >= streams
	})
	server.Release("go")
	p.waitText(s, counted(40))
	p.wait(engine.Deliver, engine.EventPhase, `"ended":true`)
	if n := len(server.Of("initialize")); n != initializes {
		t.Errorf("%d initializes", n)
	}
	if n := len(server.Of("prompt")); n != 1 {
		t.Errorf("%d prompts", n)
	}
}

// TestForgottenConnection: the agent's server has restarted and knows the
// connection no more; the session is taken up on a new one, from its start.
func TestForgottenConnection(t *testing.T) {
	server := acpserver.Start(t, acpserver.Options{})
	p := open(t, server.URL(), nil)
	s, id := p.newSession()
	p.settled(p.prompt(s, id, "count 5"))
	p.wait(engine.Deliver, engine.EventPhase, `"ended":true`)
	server.Restart()
	p.wait(engine.Deliver, engine.EventResumed, `"outcome":"restarted"`)
	p.waitText(s, counted(5))
	if e := p.settled(p.prompt(s, id, "count 2")); e.Outcome != engine.OutcomeResult {
		t.Fatalf("prompt: %v %s", e.Failure, e.Data)
	}
	p.waitText(s, counted(5)+counted(2))
}

// TestPermission is answered once, before and after a reload, and withdrawn.
func TestPermission(t *testing.T) {
	server := acpserver.Start(t, acpserver.Options{})
	p := open(t, server.URL(), nil)
	s, id := p.newSession()
	p.settled(p.prompt(s, id, "permission"))
	p.wait(engine.Deliver, engine.EventQuestion, "session/request_permission")
	p = p.reload()
	s = p.handle(id)
	q := p.wait(engine.Deliver, engine.EventQuestion, `"restored":true`)
	p.Input(func(c *acp.Client, now engine.Time) {
		answer := []byte(`{"outcome":{"outcome":"selected","optionId":"once"}}`)
		c.Respond(now, q.Position, true, answer)
		c.Respond(now, q.Position, true, answer)
	})
	p.wait(engine.Deliver, engine.EventPhase, `"ended":true`)
	if n := len(server.Of("answer")); n != 1 {
		t.Errorf("answered %d times", n)
	}
	if text := p.text(s); !strings.Contains(text, "once") {
		t.Errorf("shown %q", text)
	}
}
