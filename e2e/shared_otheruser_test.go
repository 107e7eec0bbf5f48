//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// noCredit keeps from a worker, while window.takesNothing, that the page has taken what came: to the
// worker it is a page that hangs, and it still says who its user is. takes() makes up for that.
const noCredit = `
const post = MessagePort.prototype.postMessage;
const kept = [];
MessagePort.prototype.postMessage = function (message, ...rest) {
	const say = () => post.call(this, message, ...rest);
	if (window.takesNothing && message?.t === "credit") kept.push(say);
	else say();
};
window.takes = () => {
	window.takesNothing = false;
	for (const say of kept.splice(0)) say();
};
`

// followedScript is a page of whoever window.token names. had[label] is what it has of a call: how many
// numbers, and how it ended. It answers what it is asked.
const followedScript = appScript + `
window.token = decodeURIComponent(location.hash.slice(1));
window.given = 0;
window.had = {};
window.asked = 0;
window.gather = async (call) => {
	const has = (had[call.params.arguments.call] = { call, n: 0, end: "" });
	try {
		for await (const { type } of call) has.n += type === "progress";
		await call.result;
		has.end = "result";
	} catch (error) {
		has.end = error.code;
	}
};
const elicitation = async () => {
	asked++;
	return { action: "accept", content: { answer: "yes" } };
};
window.mcp = await holdfast.connect(SERVER, { host: "shared", ack: "manual", token: () => (given++, token), handlers: { elicitation } });
mcp.on("restored", ({ call }) => void gather(call));
for (const call of await mcp.calls()) void gather(call);
window.ready = true;
`

// TestFault467_AnotherUserInAPageThatTakesNothing: what a worker has for a page waits, since the page
// takes nothing, and what ada is asked waits with it. Then bob signs in on that page. It gets
// nothing more of ada's calls, not by their retry() either; her other page has all of them, is asked
// what she was asked, and each has run once.
func TestFault467_AnotherUserInAPageThatTakesNothing(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	p.Asking()
	p.Tool("drop", peer.Script{peer.Open(), peer.Cut(peer.FIN)})
	ada, hersNow, hersThen, bob := jwt("ada"), jwt("ada")+"2", jwt("ada")+"3", jwt("bob")
	site, profile := chrome.NewSite(t), chrome.NewProfile(t)
	site.File("/nocredit.mjs", noCredit)
	url := site.Page("/app", `import "/nocredit.mjs";`+
		strings.ReplaceAll(followedScript, "SERVER", chrome.JS(p.URL())))
	open := func(token string) *chrome.Page {
		page := profile.Open(url + "#" + token)
		page.WaitFor(`window.ready`)
		return page
	}
	hers, page := open(hersNow), open(ada) // the newest is asked for the next token
	if n := len(profile.SharedWorkers()); n != 1 {
		t.Fatalf("%d workers of one user", n)
	}
	const all = 12
	chrome.Script[chrome.Void](page, `
		await gather(mcp.callTool("drop", { call: "drop" }));
		void gather(mcp.callTool("count", { call: "burst", n: 12, gate: "burst", bytes: 1000000 }));
		void gather(mcp.callTool("ask", { call: "form", gate: "form" }));`)
	page.WaitFor(`had.burst.call.id && had.form.call.id`)
	eventually(t, "both calls",
		func() bool { return p.Oracle().Runs("burst") == 1 && p.Oracle().Runs("form") == 1 })

	// The page is asked for the next token, and is long in giving it: somebody signs in there.
	chrome.Eval[chrome.Void](hers, `void (token = `+chrome.JS(hersThen)+`)`)
	p.Unauthorized(func(token string) bool { return token == hersNow })
	chrome.Eval[chrome.Void](page, `void (token = new Promise((resolve) => (window.signIn = resolve)),`+
		` given = 0, attempt(() => mcp.ping()))`)
	page.WaitFor(`given === 1`)
	chrome.Eval[chrome.Void](page, `void (window.takesNothing = true)`)
	passes(p, "burst", all)
	hers.WaitFor(`had.burst?.n === 12`)
	page.WaitFor(`had.burst.n >= 8`)
	p.Release("form")
	eventually(t, "the question", func() bool { return len(p.Oracle().Questions("form")) == 1 })
	chrome.Eval[chrome.Void](page, `signIn(`+chrome.JS(bob)+`)`)
	eventually(t, "bob's session", func() bool { return p.Oracle().Initializes() == 2 })
	chrome.Eval[chrome.Void](page, `takes()`)
	page.WaitFor(`had.burst.end && had.form.end`)
	got := chrome.Script[string](page, `
		await mcp.ping();
		return [had.drop.end, had.burst.end, had.form.end, mcp.state, (await mcp.calls()).length].join();`)
	if got != "outcome_unknown,closed,closed,open,0" {
		t.Errorf("bob's page says %s", got)
	}
	type state struct{ N, Asked int }
	then := chrome.Eval[state](page, `({ n: had.burst.n, asked })`)
	if then.N >= all || then.Asked > 0 {
		t.Errorf("bob's page has %d of ada's %d numbers, and was asked %d times", then.N, all, then.Asked)
	}

	hers.WaitFor(`asked > 0 && had.form.end`)
	p.Release("burst")
	hers.WaitFor(`had.burst.end`)
	if got := chrome.Eval[string](hers, `[had.burst.n, had.burst.end, had.form.end, asked].join()`); got !=
		"12,result,result,1" {
		t.Errorf("ada's other page has %s", got)
	}
	if got := chrome.Script[failure](page, `
		const again = await attempt(() => had.drop.call.retry().result);
		await mcp.ping();
		return again;`); got.Code != "closed" {
		t.Errorf("bob runs a call of ada's again: %+v", got)
	}
	if now := chrome.Eval[state](page, `({ n: had.burst.n, asked })`); now != then {
		t.Errorf("bob's page had %+v of ada's, and has %+v", then, now)
	}
	for _, label := range []string{"drop", "burst", "form"} {
		if runs := p.Oracle().Runs(label); runs != 1 {
			t.Errorf("%s ran %d times", label, runs)
		}
	}
	for _, r := range p.Of("tools/call") {
		if r.Header.Get("Authorization") == "Bearer "+bob {
			t.Errorf("bob's token went out with %.80s", r.Body)
		}
	}
}
