//go:build !js

package acppeer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
)

// The official client speaks with the Peer over a WebSocket, frames of every
// length and a cut included.
func TestWebSocketWithTheOfficialClient(t *testing.T) {
	p := acppeer.New(t, acppeer.Options{})
	o := acpserver.StartOfficial(t, p.WebSocketURL(), 2)
	o.Prompt("terminal 200000")
	idle := func(n int) func(acpserver.Report) bool {
		return func(r acpserver.Report) bool { return len(r.States) == 2*n }
	}
	if r := o.Await("idle", idle(1)); r.Kinds["terminal_output_chunk"] != 4 {
		t.Errorf("it saw %+v", r)
	}
	o.Prompt("count 3 " + strings.Repeat("x", 70_000))
	if r := o.Await("idle", idle(2)); r.Text != counted(1, 3) || len(r.Errors) > 0 {
		t.Errorf("it saw %+v", r)
	}
	o.Prompt("count 3 @go")
	p.Pass("go", 1)
	o.Await("a chunk", func(r acpserver.Report) bool { return r.Text == counted(1, 4) })
	if n := p.Cut("", acppeer.Clean); n != 1 {
		t.Errorf("cut %d sockets", n)
	}
	o.Await("end", func(r acpserver.Report) bool { return r.Closed })
	p.Await("the connection's end", func() bool { return len(p.Connections()) == 0 })
}

// And over HTTP; what the drafts before September answer it does not take.
func TestOfficialClientOverHTTP(t *testing.T) {
	for _, c := range []struct {
		options acppeer.Options
		errors  int
	}{{acppeer.Options{}, 0}, {acppeer.Options{EmptyAck: true}, 1}} {
		p := acppeer.New(t, c.options)
		o := acpserver.StartOfficial(t, p.URL(), 2)
		o.Prompt("count 3")
		r := o.Await("idle and answer", func(r acpserver.Report) bool {
			return slices.Contains(r.States, "idle end_turn") && len(r.Results)+len(r.Errors) > 0
		})
		if len(r.Errors) != c.errors || r.Text != counted(1, 3) {
			t.Errorf("%+v: it saw %+v", c.options, r)
		}
	}
}
