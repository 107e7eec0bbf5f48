//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAPIPageAgent runs the example of an agent in docs/api.md as it is written, and then
// once more on the same profile: the session and what was said are still there.
func TestAPIPageAgent(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	site := chrome.NewSite(t)
	script := strings.Replace(apiScripts(t, site)[4], site.URL+"/acp", server.URL(), 1)
	page := chrome.Open(t, site.Page("/app", script+"window.done = true; window.session = session;"))
	page.WaitFor(`window.done`)
	want := []string{"log: 1: What is in this folder?", "log: the turn ended: end_turn"}
	if got := page.Console(); !slices.Equal(got, want) {
		t.Errorf("the example prints %q", got)
	}
	page.Reload()
	page.WaitFor(`window.done && session.transcript.length === 4`)
	// What the agent tells again is shown in its place once more.
	got := slices.DeleteFunc(page.Console()[len(want):], func(line string) bool { return line == want[0] })
	if !slices.Equal(got, []string{"log: 3: What is in this folder?", want[1]}) {
		t.Errorf("after a reload it prints %q", got)
	}
	quietly(t, server, 1, 2)
}
