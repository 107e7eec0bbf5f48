//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault540_SharedCallOfTheLastUser: a worker dies, and the next one has another user. An app
// still holds a call of the user before, whose number is that of one of the next user's calls by
// now: what it does with it reaches none of those.
func TestFault540_SharedCallOfTheLastUser(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20251125})
	p.Counting(nil)
	profile := chrome.NewProfile(t)
	page := profile.Open(chrome.NewSite(t).Page("/users", `import * as holdfast from "/holdfast.mjs";
		const base64 = (data) => btoa(JSON.stringify(data)).replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
		const token = async () => base64({ alg: "none" }) + "." + base64({ iss: "https://as.example", sub: user, exp: 4102444800 }) + ".c2ln";
		window.user = "alice";
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host: "shared", ack: "manual", token });
		window.old = mcp.callTool("count", { call: "alices", n: 2 });
		await old.result;
		window.ready = true;`))
	page.WaitFor(`window.ready`)
	chrome.Eval[chrome.Void](page, `void (user = "bob")`)
	profile.SharedWorkers()[0].Kill()
	page.WaitFor(`mcp.state !== "open"`)
	page.WaitFor(`mcp.state === "open"`)
	chrome.Script[chrome.Void](page, `for (let n = 0; n < 6; n++) {
		while (!await mcp.callTool("count", { call: "bobs " + n, n: 1 }).result.then(() => true, () => false)); // until it is bob's client
	}`)
	const kept = `mcp.calls().then((all) => all.map(({ params, acked }) => params.arguments.call + " " + ` +
		`acked).sort())`
	before := chrome.Eval[[]string](page, kept)
	if got := chrome.Eval[string](page, `old.ack().then(() => "acknowledged", ({ code }) => code)`); got !=
		"runtime_exited" {
		t.Errorf("an acknowledgement that reaches no worker: %s", got)
	}
	chrome.Eval[chrome.Void](page, `void (old.abandon(), old.cancel(), old.pause())`)
	if after := chrome.Eval[[]string](page, kept); !slices.Equal(before, after) || len(before) < 6 {
		t.Errorf("bob has %v, and had %v", after, before)
	}
}
