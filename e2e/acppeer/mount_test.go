//go:build !js

package acppeer_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/internal/rawacp"
)

// TestMounted: a Peer on somebody else's server speaks as one of its own, and its
// ids are those that its owner wants.
func TestMounted(t *testing.T) {
	p := acppeer.Mounted(acppeer.Options{Prefix: "x-"})
	mux := http.NewServeMux()
	mux.Handle("/acp", p)
	web := httptest.NewServer(mux)
	t.Cleanup(func() {
		p.Close()
		web.Close()
	})
	c := rawacp.New(t, web.URL+"/acp")
	c.Initialize(2)
	connection := c.Open("")
	answer := connection.Until(rawacp.Answer(c.Request("", "session/new", `{"cwd":"/w"}`)))
	if got := string(answer[len(answer)-1].Result); !strings.Contains(got, `"x-s1"`) {
		t.Errorf("the session is %s", got)
	}
	session := c.Open("x-s1")
	c.Prompt("x-s1", "count 2")
	if got := said(session.Until(rawacp.Idle)); got != counted(1, 2) {
		t.Errorf("said %q", got)
	}
	if got := p.Connections(); !slices.Equal(got, []string{"x-connection-1"}) {
		t.Errorf("the connections are %q", got)
	}
}

// TestTurnIsDone: whoever plays a turn learns that it is cancelled.
func TestTurnIsDone(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.OnPrompt(func(turn *acppeer.Turn) {
		turn.Accept()
		turn.Running()
		<-turn.Done()
		turn.Idle("cancelled")
	})
	r.c.Prompt("s1", "wait")
	r.c.Post("s1", `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
	r.session.Until(rawacp.Idle)
}
