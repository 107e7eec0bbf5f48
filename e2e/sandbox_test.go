//go:build !js

package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// sandboxed serves the pages of a new site as a frame with sandbox="allow-scripts"
// has them: of an opaque origin, which has no store, and no Web Locks.
func sandboxed(t *testing.T) *chrome.Site {
	site := chrome.NewSite(t)
	site.Header(func(_ string, h http.Header) {
		h.Set("Content-Security-Policy", "sandbox allow-scripts")
		h.Set("Access-Control-Allow-Origin", "*") // its own files, too, are another origin's
	})
	return site
}

// TestFault63_SandboxedPageCalls: calls live as long as such a page, and the client
// says so; a cut is survived.
func TestFault63_SandboxedPageCalls(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	page := appOn(t, sandboxed(t), p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 4, call: "a", gate: "go" }))`)
	p.Pass("go")
	p.Pass("go")
	page.WaitFor(`seen.progress.length === 2`)
	if got := chrome.Eval[string](page, `[origin, mcp.durability, call.guarantee].join(" ")`); got !=
		"null memory lost-on-reload" {
		t.Errorf("got %q", got)
	}
	p.CutStreams(peer.FIN)
	p.Release("go")
	outcome(t, page, "")
	counted(t, page, 4)
	if n := p.Oracle().Runs("a"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
	// nobody waits for a call to be forgotten: that is a moment later
	page.WaitFor(`(await mcp.stored()).calls === 0`)
	got := chrome.Script[[]string](page, `return [(await mcp.stored()).calls + " stored", await mcp.persist() + "",
		(await attempt(() => mcp.forget())).code, (await attempt(() => holdfast.wipe())).code];`)
	if want := []string{"0 stored", "false", "", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFault63_SandboxedPageTalks: an agent's sessions are heard.
func TestFault63_SandboxedPageTalks(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	page := chrome.Open(t, chatPage(sandboxed(t), server.URL(), "{}"))
	page.WaitFor(`window.ready`)
	beginChat(page)
	say(page, "count 3")
	page.WaitFor(`chats.s1.prompts[0]?.settled && text("s1") === ` + chrome.JS(chunks(1, 3)))
	if got := chrome.Eval[string](page, `chats.s1.status.join(" ")`); got != "" {
		t.Errorf("the session was told %q", got)
	}
}
