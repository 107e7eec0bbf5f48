//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// typingScript is a page of whoever window.token names, with a loop over each call and a person at its forms,
// who is slow: read[label] is what a loop has had, typed are the forms.
const typingScript = appScript + `
window.read = {};
window.typed = [];
window.told = [];
window.loop = async (call) => {
	const label = call.params.arguments.call;
	if (read[label]?.call === call) return;
	const has = (read[label] = { call, n: 0, end: "" });
	try {
		for await (const { type } of call) has.n += type === "progress";
		await call.result;
		has.end = "result";
	} catch (error) {
		has.end = error.code;
	}
};
window.begin = async (token) => {
	window.token = token;
	const elicitation = (_, { draft, saveDraft, signal }) => new Promise((resolve) => {
		const form = { draft, saveDraft, over: false, submit: () => resolve({ action: "accept", content: { answer: "yes" } }) };
		signal.addEventListener("abort", () => (form.over = true));
		typed.push(form);
	});
	window.mcp = await holdfast.connect(SERVER, { ack: "manual", token: () => window.token, handlers: { elicitation } });
	mcp.on("state", ({ state, anotherUser }) => told.push(anotherUser ? "another user" : state));
	mcp.on("call", ({ call }) => told.push("made " + call.params.arguments?.call));
	mcp.on("restored", ({ call }) => void loop(call));
	for (const call of await mcp.calls()) void loop(call);
};
`

// TestStoryUserChanges: a page reads ada's call in a loop, and somebody types an answer to what another one
// asks, as bob signs in there. The loop ends as closed, the form is over, and what the page does to it is
// done to nobody. The same object is bob's client: the page's listeners hear of what bob does, and bob has no
// call of ada's, nor a question. Her next page has all of both, with what was typed, and each has run once.
func TestStoryUserChanges(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	p.Asking()
	p.Tool("note", peer.Script{peer.Prime(0), peer.Text("done")})
	var revoked atomic.Value
	p.Unauthorized(func(token string) bool { return token == revoked.Load() })
	ada, bob := jwt("ada"), jwt("bob")
	profile, site := chrome.NewProfile(t), chrome.NewSite(t)
	url := site.Page("/app", strings.ReplaceAll(typingScript, "SERVER", chrome.JS(p.URL())))
	open := func(token string) *chrome.Page {
		page := profile.Open(url)
		page.WaitFor(`window.begin`)
		chrome.Script[chrome.Void](page, `await begin(`+chrome.JS(token)+`)`)
		return page
	}
	page := open(ada)
	const all, come = 12, 5
	chrome.Eval[chrome.Void](page, fmt.Sprintf(`void (loop(mcp.callTool("count", { call: "loop", n: %d,`+
		` gate: "loop", retry_ms: 10 })), loop(mcp.callTool("ask", { call: "form" })))`, all))
	passes(p, "loop", come)
	page.WaitFor(
		fmt.Sprintf(
			`read.loop.n === %d && typed.length === 1 && read.form.call.guarantee !== "lost-on-reload"`,
			come))
	saved(page, `typed[0].saveDraft({ answer: "hal" })`)

	revoked.Store(ada)
	chrome.Eval[chrome.Void](page, `void (token = `+chrome.JS(bob)+`, attempt(() => mcp.ping()))`)
	page.WaitFor(`read.loop.end && read.form.end && typed[0].over`)
	got := chrome.Script[[]string](page, `
		const [loop, form] = [read.loop, read.form];
		typed[0].saveDraft({ answer: "bob's" });
		typed[0].submit();
		await mcp.callTool("note", { call: "bob's" }).result;
		return [loop.end, form.end, String(loop.n), mcp.state, (await mcp.calls()).map((call) => call.params.arguments.call).join(), String(typed.length)];`)
	if want := fmt.Sprintf("[closed closed %d open bob's 1]", come); fmt.Sprint(got) != want {
		t.Errorf("bob's page says %v, want %s", got, want)
	}
	for _, what := range []string{"another user", "open", "made bob's"} {
		if n := chrome.Eval[int](page, `told.filter((what) => what === `+chrome.JS(what)+`).length`); n != 1 {
			t.Errorf("its listeners have heard %q %d times", what, n)
		}
	}

	hers := open(ada + "2")
	hers.WaitFor(`window.typed.length === 1 && read.loop && read.form`)
	if got := chrome.Eval[string](hers, `JSON.stringify(typed[0].draft ?? null)`); got != `{"answer":"hal"}` {
		t.Errorf("what was typed is %s", got)
	}
	p.Release("loop")
	chrome.Eval[chrome.Void](hers, `typed[0].submit()`)
	hers.WaitFor(`read.loop.end && read.form.end`)
	if got := chrome.Eval[string](hers,
		`[read.loop.n, read.loop.end, read.form.end, typed.length, Object.keys(read).length].join()`); got !=
		"12,result,result,1,2" {
		t.Errorf("ada's next page has %s", got)
	}
	if got := chrome.Eval[string](page, `[read.loop.n, typed.length].join()`); got != fmt.Sprintf(
		"%d,1", come) {
		t.Errorf("bob's page has had more of hers: %s", got)
	}
	for _, label := range []string{"loop", "form", "bob's"} {
		if runs := p.Oracle().Runs(label); runs != 1 {
			t.Errorf("%s ran %d times", label, runs)
		}
	}
	for _, r := range p.Of("tools/call") {
		if isBobs := r.Header.Get("Authorization") == "Bearer "+
			bob; isBobs != strings.Contains(string(r.Body), "bob's") {
			t.Errorf("%.80s went out with the other's token", r.Body)
		}
	}
}
