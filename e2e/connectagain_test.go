//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault149_TenConnectsInAPage: a page connects ten times to one server, one
// after the other and all at once, as modules that are replaced while a developer
// works do. They have one session and one stream for unasked messages; what one
// closes the others do not notice; the last one that closes deletes the session.
func TestFault149_TenConnectsInAPage(t *testing.T) {
	t.Parallel()
	for name, connects := range map[string]string{
		"one after the other": `for (let i = 0; i < 10; i++) clients.push(await one(i));`,
		"all at once":         `clients.push(...await Promise.all(Array.from({ length: 10 }, (_, i) => one(i))));`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			page := chrome.NewProfile(t).Open(chrome.NewSite(t).Page("/app", openedScript))
			page.WaitFor(`window.holdfast`)
			chrome.Script[chrome.Void](page, `
				window.clients = [];
				window.asked = [];
				const one = (i) => holdfast.connect(`+chrome.JS(p.URL())+`, { principal: "ada", token: async () => { asked.push(i); return "t"; } });
				`+connects)
			eventually(t, "the stream", func() bool { return p.OpenStreams() == 1 })
			if n := p.Oracle().Initializes(); n != 1 {
				t.Errorf("%d initializes", n)
			}
			ends := chrome.Script[[]string](page, `
				const outcomes = clients.map((mcp, i) => mcp.callTool("count", { call: "c" + i, n: 3 }).result.then((r) => String(r.structuredContent.n), (e) => e.code));
				return Promise.all(outcomes);`)
			for i, end := range ends {
				if end != "3" {
					t.Errorf("the call of client %d ended with %s", i, end)
				}
			}
			if n := chrome.Eval[int](page, `new Set(asked).size`); n != 10 {
				t.Errorf("%d of ten were asked for their tokens", n)
			}
			chrome.Eval[chrome.Void](page, `void (window.last = clients[9].callTool("count", { call: "last", n: 3, gate: "g" }))`)
			eventually(t, "the call", func() bool { return p.Oracle().Runs("last") == 1 })
			chrome.Script[chrome.Void](page, `for (const mcp of clients.slice(0, 9)) await mcp.close();`)
			if n := len(p.Of("DELETE")); n != 0 {
				t.Errorf("%d DELETEs while one works on", n)
			}
			p.Release("g")
			if n := chrome.Script[int](page, `return (await last.result).structuredContent.n;`); n != 3 {
				t.Errorf("the call that went on counted to %d", n)
			}
			page.WaitFor(`(await clients[9].calls()).length === 0`)
			chrome.Script[chrome.Void](page, `await clients[9].close();`)
			if n := len(p.Of("DELETE")); n != 1 || p.Sessions() != 0 {
				t.Errorf("%d DELETEs in the end, %d sessions are left", n, p.Sessions())
			}
			page.WaitFor(`JSON.stringify(await opened()) === '{"channels":0,"databases":0,"locks":0}'`)
		})
	}
}
