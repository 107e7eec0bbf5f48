//go:build !js

package acppeer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/internal/rawacp"
)

// rig is a peer with a client that has one session open.
type rig struct {
	*acppeer.Peer
	c                   *rawacp.Client
	connection, session *rawacp.Stream
}

func open(t *testing.T, o acppeer.Options) rig {
	t.Helper()
	p := acppeer.New(t, o)
	c := rawacp.New(t, p.URL())
	version := max(o.Version, 1)
	if o.Version == 0 {
		version = 2
	}
	c.Initialize(version)
	connection := c.Open("")
	connection.Until(rawacp.Answer(c.Request("", "session/new", `{"cwd":"/w","mcpServers":[]}`)))
	return rig{p, c, connection, c.Open("s1")}
}

func counted(from, to int) string {
	var text strings.Builder
	for n := from; n <= to; n++ {
		fmt.Fprintf(&text, "⟨%d⟩", n)
	}
	return text.String()
}

func said(all []rawacp.Message) string { return rawacp.Text(all, "agent_message_chunk") }

func chunk(text string) func(rawacp.Message) bool {
	return func(m rawacp.Message) bool { return said([]rawacp.Message{m}) == text }
}
