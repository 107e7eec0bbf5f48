//go:build !js

package e2e

import (
	"bytes"
	"strconv"
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
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Tasks(peer.TaskServer{Modes: allModes})
			p.Narrating(nil, peer.AsTask(coreDialect.policy))
			page := app(t, p.URL(), "")
			// A call that is stored is stored after what was said before it.
			chrome.Script[chrome.Void](page, `await mcp.listTools(); await mcp.callTool("add", { a: 1,`+
				` b: 2 }, { ack: "manual" }).result; `+leave)
			connectAgain(page, p)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("tell", { call: "a", n: 2 }))`)
			outcome(t, page, "")
			if body := p.Of("tools/call")[1].Body; !bytes.Contains(
				body, []byte(`"responseModes":["immediate","streaming","task"]`)) {
				t.Errorf("sent %s", body)
			}
			if n := len(p.Of("tools/list")); n != 1 {
				t.Errorf("the tools were listed %d times", n)
			}
			blameless(t, p)
		})
	}
	t.Run("header fields", func(t *testing.T) {
		row(t)
		t.Parallel()
		p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
		p.Tool("routed", peer.Script{peer.Text("done")}, regional)
		page := app(t, p.URL(), "")
		chrome.Script[chrome.Void](page, `await mcp.listTools(); await mcp.callTool("routed",`+
			` { region: "eu" }, { ack: "manual" }).result;`)
		connectAgain(page, p)
		chrome.Script[chrome.Void](page, `await mcp.callTool("routed", { region: "eu" }).result;`)
		if n := len(p.Of("tools/call")); n != 2 {
			t.Errorf("%d requests for two calls", n)
		}
	})
}

// connectAgain loads the page once more and connects.
func connectAgain(page *chrome.Page, p *peer.Peer) {
	page.Reload()
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);`)
}

// TestFault164_ToolsChanged: the server says that its tools have changed. No hint that
// was listed before licenses a run any more, in this page and in the next one, which
// learns nothing of what an earlier page had stored; until the tools are listed again.
func TestFault164_ToolsChanged(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.SideEffects()
	page := app(t, p.URL(), "")
	calls := 0
	// looks calls the tool that is read only; its first run ends without an answer.
	looks := func(when, want string) {
		t.Helper()
		calls++
		got := chrome.Script[string](page, `
			return mcp.callTool("lookup", { call: "`+strconv.Itoa(calls)+`", lose: 1, opened: true }).result.then(() => "ran again", ({ code }) => code);`)
		if got != want {
			t.Errorf("%s a call without an answer ends as %s, want %s", when, got, want)
		}
	}
	stored := `await mcp.callTool("sideeffect", { call: "kept" }, { ack: "manual" }).result;`
	changed := func() {
		t.Helper()
		chrome.Script[chrome.Void](page, `window.changed = new Promise((told) => mcp.on("notification",`+
			` ({ method }) => method.endsWith("list_changed") && told()));`)
		eventually(t, "the stream", func() bool { return p.OpenStreams() == 1 })
		p.Push("notifications/tools/list_changed", "")
		chrome.Script[chrome.Void](page, `await changed;`+stored)
	}
	chrome.Script[chrome.Void](page, `await mcp.listTools();`+stored)
	looks("listed,", "ran again")
	connectAgain(page, p)
	looks("from the store,", "ran again")
	changed()
	looks("after the change,", "outcome_unknown")
	connectAgain(page, p)
	looks("after the change and a reload,", "outcome_unknown")
	chrome.Script[chrome.Void](page, `await mcp.listTools();`+stored)
	looks("listed again,", "ran again")
	connectAgain(page, p)
	looks("listed again, from the store,", "ran again")
}
