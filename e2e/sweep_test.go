//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// sweptPage lets a test of storeRig set the clock of the next page ahead, in days, and
// find what is stored of whom.
const sweptPage = `
	const clock = Date.now;
	Date.now = () => clock() + Number(localStorage.days ?? 0) * 86400000;
	window.swept = async () => {
		const at = () => raw("readonly", (tx, got) => got(tx.objectStore("keys").get(["sweep"])));
		while (!(Math.abs(Date.now() - ((await at())?.at ?? 0)) < 3600000)) await new Promise((turn) => setTimeout(turn, 5));
	};
	window.servers = () => raw("readonly", (tx, got) => got(tx.objectStore("ids").getAllKeys()));
	window.stores = async () => (await servers()).length;
	window.noted = async () => {
		const names = () => raw("readonly", (tx, got) => got(tx.objectStore("keys").getAllKeys()));
		while (!(await names()).some(([name]) => name.startsWith("unreadable "))) await new Promise((turn) => setTimeout(turn, 5));
	};
	window.heads = () => raw("readonly", (tx, got) => got(tx.objectStore("calls").getAllKeys())).then((keys) => keys.filter(([, call]) => typeof call === "number").length);`

// TestFault141_TwoUsers: ada has used this browser and does not come back. What is
// stored of her goes 30 days later, while bob's calls stay, whose retention is longer;
// but for what cannot be read of his.
func TestFault141_TwoUsers(t *testing.T) {
	t.Parallel()
	r := storeRig(t, sweptPage)
	r.profile.InWindows() // only a page that is drawn is idle
	r.p.SideEffects()
	page := r.open()
	begin := func(user string) {
		chrome.Script[chrome.Void](page, `await begin({ principal: "`+user+
			`", ack: "manual", retention: { ended: 1e10, running: 1e10 } });`)
	}
	call := `await mcp.callTool("sideeffect", { call: "1" }).result;`
	begin("ada")
	chrome.Script[chrome.Void](page, call+`
		await swept();
		[localStorage.ada] = (await servers())[0];`)
	page.Reload()
	page.WaitFor(`window.ready`)
	begin("bob")
	chrome.Script[chrome.Void](page, call+`
		await raw("readwrite", async (tx, got) => {
			const [server] = (await got(tx.objectStore("servers").getAllKeys())).find(([server]) => server !== localStorage.ada);
			tx.objectStore("calls").put({ server, call: 7, later: true });
		});`)
	for _, step := range []struct {
		day           string
		stores, heads int
	}{{"1.1", 2, 3}, {"31.2", 2, 3}, {"32.3", 1, 1}} {
		chrome.Eval[chrome.Void](page, `void (localStorage.days = "`+step.day+`")`)
		page.Reload()
		page.WaitFor(`window.ready`)
		begin("bob")
		chrome.Script[chrome.Void](page, `await swept();`)
		if step.heads == 3 {
			chrome.Script[chrome.Void](page, `await noted();`)
		}
		if step.heads == 1 {
			chrome.Script[chrome.Void](page, `while (await stores() > 1 || await heads() > 1) await new `+
				`Promise((turn) => setTimeout(turn, 5));`)
		}
		got := chrome.Script[[]int](page, `return [await stores(), await heads(), calls.length];`)
		if got[0] != step.stores || got[1] != step.heads || got[2] != 1 {
			t.Errorf("on day %s there are %d stores with %d calls, want %d with %d; bob has %d, want 1",
				step.day, got[0], got[1], step.stores, step.heads, got[2])
		}
	}
	if ada := chrome.Script[bool](page,
		`return (await servers()).some(([server]) => server === localStorage.ada);`); ada {
		t.Error("ada's store is there, and bob's is not")
	}
	if result := chrome.Script[bool](page, `return (await calls[0].result).content.length > 0;`); !result {
		t.Error("bob's result is gone")
	}
}

// TestFault141_OnlyTheCoreFindsIt: a record is whole as the store sees it, but its
// head is of another format. It goes like any other that cannot be read, beside a call
// or a session of an agent that stays.
func TestFault141_OnlyTheCoreFindsIt(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]struct{ connect, begin, left string }{
		"call": {
			`await begin({ principal: "bob", ack: "manual", retention: { ended: 1e10, running: 1e10 } });`,
			`await mcp.callTool("sideeffect", { call: "1" }).result;`, `calls.length`,
		},
		"session": {
			`window.agent = await (await import("/holdfast-agent.mjs")).connectAgent(AGENT,` +
				` { principal: "bob" });`,
			`await agent.newSession({ cwd: "/" });`, `(await agent.sessions()).length`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			r := storeRig(t, sweptPage)
			r.profile.InWindows()
			r.p.SideEffects()
			connect := strings.Replace(work.connect, "AGENT",
				chrome.JS(acppeer.New(t, acppeer.Options{}).URL()), 1)
			page := r.open()
			chrome.Script[chrome.Void](page, connect+work.begin+`
				while (await heads() === 0) await new Promise((turn) => setTimeout(turn, 5));
				await swept();
				await raw("readwrite", async (tx, got) => {
					const [head] = await got(tx.objectStore("calls").getAll());
					tx.objectStore("calls").put({ ...head, call: head.call + 1000, plain: Uint8Array.of(255, 255, 1, 2, 3) });
				});`)
			for _, step := range []struct {
				day   string
				heads int
			}{{"1.1", 2}, {"31.2", 2}, {"32.3", 1}} {
				chrome.Eval[chrome.Void](page, `void (localStorage.days = "`+step.day+`")`)
				page.Reload()
				page.WaitFor(`window.ready`)
				chrome.Script[chrome.Void](page, connect+`await swept();`)
				if step.heads == 2 {
					chrome.Script[chrome.Void](page, `await noted();`)
				} else {
					page.WaitFor(`heads().then((n) => n === 1)`)
				}
				if got := chrome.Script[[]int](page, `return [await heads(), `+work.left+`];`); got[0] !=
					step.heads || got[1] != 1 {
					t.Errorf("on day %s there are %d records, %d of which can be read; want %d, and 1",
						step.day, got[0], got[1], step.heads)
				}
			}
		})
	}
}
