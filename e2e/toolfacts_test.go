//go:build !js

package e2e

import (
	"bytes"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault152_ToolFactsFromTheJournal: a page that has not listed the tools calls
// them as one does that has: as a task where the tool requires one, with the
// response modes, and with the header fields that it mirrors. The page before has
// listed them. A close in between changes nothing.
func TestFault152_ToolFactsFromTheJournal(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]string{"a reload": ``, "a close": `await mcp.close();`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Tasks(peer.TaskServer{Modes: allModes})
			p.Narrating(nil, peer.AsTask(coreDialect.policy))
			page := app(t, p.URL(), "")
			// A call that is stored is stored after what was said before it.
			chrome.Script[chrome.Void](page, `await mcp.listTools(); await mcp.callTool("add", { a: 1, b: 2 }, { ack: "manual" }).result; `+leave)
			connectAnew(page, p)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("tell", { call: "a", n: 2 }))`)
			outcome(t, page, "")
			if body := p.Of("tools/call")[1].Body; !bytes.Contains(body, []byte(`"responseModes":["immediate","streaming","task"]`)) {
				t.Errorf("sent %s", body)
			}
			if n := len(p.Of("tools/list")); n != 1 {
				t.Errorf("the tools were listed %d times", n)
			}
			blameless(t, p)
		})
	}
	t.Run("header fields", func(t *testing.T) {
		t.Parallel()
		p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
		p.Tool("routed", peer.Script{peer.Text("done")}, regional)
		page := app(t, p.URL(), "")
		chrome.Script[chrome.Void](page, `await mcp.listTools(); await mcp.callTool("routed", { region: "eu" }, { ack: "manual" }).result;`)
		connectAnew(page, p)
		chrome.Script[chrome.Void](page, `await mcp.callTool("routed", { region: "eu" }).result;`)
		if n := len(p.Of("tools/call")); n != 2 {
			t.Errorf("%d requests for two calls", n)
		}
	})
}

// connectAnew loads the page once more and connects.
func connectAnew(page *chrome.Page, p *peer.Peer) {
	page.Reload()
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);`)
}
