//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestTaskAPI_StateOverReload: the requestState of tasks/continue goes back with
// the answer byte for byte from a page that has never seen it come; the server
// checks it. No page shows it.
func TestTaskAPI_StateOverReload(t *testing.T) {
	t.Parallel()
	hidden := secret()
	p := peer.New(t, continueDialect.options)
	server := continueDialect.server
	server.State = func(n int) string {
		return fmt.Sprintf(
			"%s \"\\ \u20ac %d %s", hidden, n, strings.Repeat("s", 5_000))
	}
	p.Tasks(server)
	p.Working(peer.AsTask(continueDialect.policy))
	page := candid(chrome.NewProfile(t), chrome.NewSite(t))
	begin := func() {
		page.WaitFor(`window.holdfast`)
		chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, `+
			typist+`); await mcp.listTools();`)
	}
	begin()
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("work", { call: "a", ask: 1 }))`)
	page.WaitFor(`window.typed?.length === 1 && call.guarantee === "durable"`)
	search(t, secrets{"requestState": hidden}, p, page)

	// The answer is on its way, with the state of the poll that was under way when it
	// was given, and the page goes.
	p.Delay("tasks/continue", "hold")
	p.Waiting("hold")
	chrome.Eval[chrome.Void](page, `typed[0].submit("Luca")`)
	p.Pass("hold")
	answers := func() (bodies []string) {
		for _, r := range p.Of("tasks/continue") {
			if _, answer, ok := strings.Cut(string(r.Body), `"inputResponses":`); ok {
				bodies = append(bodies, answer)
			}
		}
		return bodies
	}
	eventually(t, "the answer", func() bool { return len(answers()) == 1 })
	// The next page asks whether the question is still the same, and only then sends the answer again.
	p.DelayWith("tasks/continue", `"inputResponses"`, "hold")
	page.Reload()
	begin()
	chrome.Eval[chrome.Void](page, `void mcp.calls().then(([call]) => watch(call))`)
	eventually(t, "the answer, from the next page", func() bool { return len(answers()) == 2 })
	p.Release("hold")
	outcome(t, page, "")
	first, _, _ := strings.Cut(answers()[0], `"requestState"`)
	for i, answer := range answers() {
		if !strings.HasPrefix(answer, first) || !strings.Contains(answer, hidden) {
			t.Errorf("answer %d was %.300s, then %.300s", i, first, answer)
		}
	}
	search(t, secrets{"requestState": hidden}, p, page)
	blameless(t, p)
}
