//go:build !js

package e2e

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault149_TenConnectsInAPage: a page connects ten times to one server, one
// after the other and all at once, as modules that are replaced while a developer
// works do. There is one client in the core, with one of each of what it opens, and
// the newest is asked for the token; what one closes the others do not notice; the
// last one that closes deletes the session.
func TestFault149_TenConnectsInAPage(t *testing.T) {
	long(t)
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
			if n := chrome.Eval[int](page, `asked.length`); n != 1 {
				t.Errorf("%d tokens were asked for", n)
			}
			if got := chrome.Script[opened](page, `return opened();`); got.Channels != 1 ||
				got.Databases != 1 {
				t.Errorf("ten clients have %+v open", got)
			}
			chrome.Eval[chrome.Void](page,
				`void (window.last = clients[9].callTool("count", { call: "last", n: 3, gate: "g" }))`)
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

// jwtsOf is the page's: tokens of a user, each another one.
const jwtsOf = `
	window.jwtOf = (sub) => "e30." + btoa(JSON.stringify({ iss: "https://id.example", sub, jti: crypto.randomUUID() })) + ".signature";
`

// TestFault149_ModuleRunsAgain: a module that a developer has edited runs once more in
// its page, and does not know of what it has opened before. The call that is under way
// is there with all that it had, the new handlers are asked and the new listeners hear;
// when the new one closes in mid-call, the one before it goes on.
func TestFault149_ModuleRunsAgain(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	p.Asking()
	page := chrome.NewProfile(t).Open(chrome.NewSite(t).Page("/app", openedScript))
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `
		window.runs = [];
		window.module = async () => {
			const run = { asked: [], open: [], aborted: 0, restored: [], states: [], number: runs.length };
			runs.push(run);
			run.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, {
				handlers: {
					elicitation: ({ message }, { signal }) => new Promise((resolve) => {
						run.asked.push(message);
						run.open.push((answer) => resolve({ action: "accept", content: { answer } }));
						signal.addEventListener("abort", () => run.aborted++);
					}),
				},
			});
			run.mcp.on("restored", ({ call }) => run.restored.push(call));
			run.mcp.on("state", ({ state }) => run.states.push(state));
		};
		await module();
		window.first = watch(runs[0].mcp.callTool("count", { call: "long", n: 4, gate: "g" }, { key: "long" }));`)
	for n := 1; n <= 2; n++ {
		p.Pass("g")
		page.WaitFor(`first.progress.length === ` + strconv.Itoa(n))
	}
	chrome.Script[chrome.Void](page, `
		await module();
		const { mcp } = runs[1];
		const [call] = await mcp.calls();
		window.second = watch(call);
		window.same = mcp.callTool("count", { call: "long", n: 4, gate: "g" }, { key: "long" }) === call && (await mcp.calls())[0] === call;`)
	page.WaitFor(`second.progress.length === 2`)
	// It has asked for the call, so that it is told of none (fault 800).
	if !chrome.Eval[bool](page, `same && runs[1].restored.length === 0 && runs[0].restored.length === 0`) {
		t.Error("the second run has another call")
	}
	if got := chrome.Script[opened](page, `return opened();`); got.Channels != 1 || got.Databases != 1 {
		t.Errorf("two clients have %+v open", got)
	}
	p.Pass("g")
	page.WaitFor(`first.progress.length === 3 && second.progress.length === 3`)

	// The newest answers; where it closes before it has, the one before it is asked.
	chrome.Script[chrome.Void](page, `window.ask = runs[0].mcp.callTool("ask", { call: "a", questions: 2 });`)
	page.WaitFor(`runs[1].asked.length === 1`)
	chrome.Eval[chrome.Void](page, `runs[1].open[0]("new")`)
	page.WaitFor(`runs[1].asked.length === 2`)
	if n := chrome.Eval[int](page, `runs[0].asked.length`); n != 0 {
		t.Errorf("the first run was asked %d times", n)
	}
	chrome.Script[chrome.Void](page, `
		window.mine = runs[1].mcp.callTool("count", { call: "mine", n: 2, gate: "mine" });
		window.bare = runs[1].mcp.request("tools/call", { name: "count", arguments: { call: "bare", n: 2, gate: "bare" } }, { journal: false });
		window.ends = Promise.all([mine, bare].map((call) => call.result.catch((error) => error.code)));`)
	eventually(t, "the calls",
		func() bool { return p.Oracle().Runs("mine") == 1 && p.Oracle().Runs("bare") == 1 })
	if got := chrome.Script[string](page, `await runs[1].mcp.close(); return [...await ends, second.done,`+
		` runs[1].mcp.state, ...runs[1].states].join();`); got != "closed,closed,true,closed,closed" {
		t.Errorf("what was closed says %s", got)
	}
	if n := len(p.Of("DELETE")); n != 0 {
		t.Errorf("%d DELETEs while one works on", n)
	}
	page.WaitFor(`runs[0].asked.length === 1 && runs[1].aborted > 0`)
	chrome.Eval[chrome.Void](page, `runs[0].open[0]("old")`)
	if got := chrome.Script[string](page, `return (await ask.result).content[0].text;`); !strings.Contains(
		got, `"answer":"new"`) || !strings.Contains(got, `"answer":"old"`) {
		t.Errorf("the answers: %s", got)
	}
	// Its call goes on for the one that is left.
	page.WaitFor(`runs[0].restored.length === 1`)
	p.Release("mine")
	p.Release("g")
	if got := chrome.Script[string](page, `
		const events = [];
		for await (const event of runs[0].restored[0]) if (event.type === "progress") events.push(event.progress);
		return [events.join("+"), (await runs[0].restored[0].result).structuredContent.n].join();`); got != "1+2,2" {
		t.Errorf("the call that went on: %s", got)
	}
	page.WaitFor(
		`first.done && first.result.structuredContent.n === 4 && first.progress.join() === "1,2,3,4"`)
	chrome.Script[chrome.Void](page, `await runs[0].mcp.close();`)
	if n := len(p.Of("DELETE")); n != 1 || p.Sessions() != 0 {
		t.Errorf("%d DELETEs in the end, %d sessions are left", n, p.Sessions())
	}
	page.WaitFor(`JSON.stringify(await opened()) === '{"channels":0,"databases":0,"locks":0}'`)
}

// TestFault149_MountedAgain: components connect, give up and connect again within one
// task. Whoever gives up ends by itself, and an opening that nobody waits for any more
// leaves nothing open; what fails fails for all who wait for it.
func TestFault149_MountedAgain(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := chrome.NewProfile(t).Open(chrome.NewSite(t).Page("/app", openedScript))
	page.WaitFor(`window.holdfast`)
	nothing := `JSON.stringify(await opened()) === '{"channels":0,"databases":0,"locks":0}'`
	url := chrome.JS(p.URL())
	got := chrome.Script[string](page, `
		const code = (promise) => promise.then(() => "open", (error) => error.code);
		const strict = new AbortController();
		const gone = code(holdfast.connect(`+url+`, { signal: strict.signal }));
		strict.abort();
		const other = new AbortController();
		const beside = code(holdfast.connect(`+url+`, { signal: other.signal }));
		const mounted = holdfast.connect(`+url+`);
		mounted.then(() => {});
		const third = holdfast.connect(`+url+`).then((mcp) => mcp.close());
		await new Promise((resolve) => setTimeout(resolve, 0));
		other.abort();
		window.mcp = await mounted;
		await third;
		const { result } = mcp.callTool("count", { call: "one", n: 1 });
		return [await gone, await beside, (await result).structuredContent.n].join();`)
	if got != "cancelled,cancelled,1" {
		t.Errorf("mounted again: %s", got)
	}
	if n := p.Oracle().Initializes(); n != 1 {
		t.Errorf("%d initializes", n)
	}
	page.WaitFor(`(await mcp.calls()).length === 0`)
	// The last closes, and another one comes in the same task: a session of its own.
	got = chrome.Script[string](page, `
		const closed = mcp.close();
		const again = await holdfast.connect(`+url+`);
		await closed;
		window.other = await holdfast.connect(`+url+`, { limits: { calls: 5 } }); // other options: a client of its own
		const { channels } = await opened();
		const n = (await again.callTool("count", { call: "two", n: 1 }).result).structuredContent.n;
		const late = new AbortController();
		const last = await holdfast.connect(`+url+`, { signal: late.signal });
		late.abort();
		const ends = [last.state, await last.callTool("count", { n: 1 }).result.catch((e) => e.code), await last.listTools().catch((e) => e.code), again.state];
		await again.close();
		return [n, channels, ...ends].join();`)
	if got != "1,2,closed,closed,closed,open" {
		t.Errorf("closed and connected: %s", got)
	}
	page.WaitFor(`(await opened()).channels === 1`)
	chrome.Script[chrome.Void](page, `await other.close();`)
	page.WaitFor(nothing)
	if p.Sessions() != 0 {
		t.Errorf("%d sessions are left", p.Sessions())
	}
	p.Down()
	got = chrome.Script[string](page, `
		const give = new AbortController();
		const all = Array.from({ length: 5 }, () => holdfast.connect(`+url+`, { signal: give.signal }).then(() => "open", (error) => error.code));
		const codes = new Set(await Promise.all(all));
		return [...codes].join();`)
	if got != "network_error" && got != "cors_blocked" {
		t.Errorf("nobody is there: %s", got)
	}
	page.WaitFor(nothing)
}

// TestFault149_UsersPart: two clients of a page have tokens of the same user, and share
// what they have. Then the newer one's provider gives another user's: that one goes on
// with a client of that user's, and sees nothing of the first one's; the other goes on
// as it was. When that one's user changes too, they share again.
func TestFault149_UsersPart(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	var refused sync.Map
	p.Unauthorized(func(token string) bool { _, ok := refused.Load(token); return ok || token == "" })
	page := chrome.NewProfile(t).Open(chrome.NewSite(t).Page("/app", openedScript+jwtsOf))
	page.WaitFor(`window.holdfast && window.jwtOf`)
	chrome.Script[chrome.Void](page, `
		window.users = ["ada", "ada"];
		window.given = [];
		const one = (i) => holdfast.connect(`+chrome.JS(p.URL())+`, { token: async () => { const token = jwtOf(users[i]); given.push(token); return token; } });
		window.clients = [await one(0), await one(1)];
		window.states = [[], []];
		clients.forEach((mcp, i) => mcp.on("state", ({ state }) => states[i].push(state)));
		window.adas = clients[0].callTool("count", { call: "adas", n: 1, gate: "g" });
		window.news = clients[1].callTool("count", { call: "news", n: 1, gate: "g" });`)
	if got := chrome.Script[opened](page, `return opened();`); got.Channels != 1 {
		t.Errorf("two clients of one user have %+v open", got)
	}
	eventually(t, "the calls",
		func() bool { return p.Oracle().Runs("adas") == 1 && p.Oracle().Runs("news") == 1 })
	refuse := func() {
		for _, token := range chrome.Eval[[]string](page, `given`) {
			refused.Store(token, true)
		}
	}
	refuse()
	chrome.Script[chrome.Void](page, `
		users[1] = "bob";
		window.own = news.result.catch((error) => error.code);
		window.asks = clients[0].ping().then(() => "answered", (error) => error.code);`)
	got := chrome.Script[string](page, `
		const before = [await own, await asks];
		const bobs = clients[1].callTool("count", { call: "bobs", n: 1 });
		return [...before, (await bobs.result).structuredContent.n, (await clients[1].calls()).filter(({ params }) => params.arguments.call !== "bobs").length,
			(await clients[0].calls()).map(({ params }) => params.arguments.call).filter((call) => call !== "bobs").sort(), states[0].length, clients[1].state].join();`)
	if got != "closed,answered,1,0,adas,news,0,open" {
		t.Errorf("after they parted: %s", got)
	}
	if got := chrome.Script[opened](page, `return opened();`); got.Channels != 2 {
		t.Errorf("two clients of two users have %+v open", got)
	}
	// The first one's user changes as well: they share again.
	refuse()
	got = chrome.Script[string](page, `
		users[0] = "bob";
		const ended = adas.result.catch((error) => error.code);
		await clients[0].ping().catch(() => {});
		return [await ended, (await clients[0].calls()).filter(({ params }) => params.arguments.call !== "bobs").length].join();`)
	if got != "closed,0" {
		t.Errorf("when both are another's: %s", got)
	}
	p.Release("g")
	chrome.Script[chrome.Void](page, `await Promise.all(clients.map((mcp) => mcp.close()));`)
	page.WaitFor(`JSON.stringify(await opened()) === '{"channels":0,"databases":0,"locks":0}'`)
}

// TestFault149_Logout: one of two clients of a page logs out. What is stored goes; the
// session ends with it, and the other client too, unless that has a call under way,
// which is read to its end. Whoever connects after it shares nothing with either.
func TestFault149_Logout(t *testing.T) {
	t.Parallel()
	for name, under := range map[string]bool{"nothing else is under way": false,
		"the other has a call": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			page := chrome.NewProfile(t).Open(chrome.NewSite(t).Page("/app", openedScript))
			page.WaitFor(`window.holdfast`)
			chrome.Script[chrome.Void](page, `
				window.one = () => holdfast.connect(`+chrome.JS(p.URL())+`, { principal: "ada" });
				window.clients = [await one(), await one()];`)
			if under {
				chrome.Eval[chrome.Void](page,
					`void (window.call = clients[0].callTool("count", { call: "a", n: 1, gate: "g" }))`)
				eventually(t, "the call", func() bool { return p.Oracle().Runs("a") == 1 })
			}
			chrome.Script[chrome.Void](page, `await clients[1].forget();`)
			want, deleted := "closed,closed", 1
			if under {
				want, deleted = "closed,closing", 0
			}
			// the other one looks it up in the store
			page.WaitFor(`[clients[1].state, clients[0].state].join() === ` + chrome.JS(want))
			if n := len(p.Of("DELETE")); n != deleted {
				t.Errorf("%d DELETEs", n)
			}
			chrome.Script[chrome.Void](page, `window.next = await one();`)
			if n := chrome.Script[int](page, `return (await next.calls()).length;`); n != 0 {
				t.Errorf("the next user has %d calls", n)
			}
			if n := p.Oracle().Initializes(); n != 2 {
				t.Errorf("%d initializes", n)
			}
			if under {
				page.WaitFor(`clients[0].durability === "memory"`)
				p.Release("g")
				if n := chrome.Script[int](page, `return (await call.result).structuredContent.n;`); n != 1 {
					t.Errorf("the call that went on counted to %d", n)
				}
				chrome.Script[chrome.Void](page, `await clients[0].close();`)
			}
			chrome.Script[chrome.Void](page, `await next.close();`)
			page.WaitFor(`JSON.stringify(await opened()) === '{"channels":0,"databases":0,"locks":0}'`)
		})
	}
}
