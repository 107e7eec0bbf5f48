//go:build !js

package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// fetches counts how often each file of a site was asked for, by pages and workers alike.
type fetches struct {
	mu sync.Mutex
	of map[string]int
	// caching is the Cache-Control of the wasm, where that is not the site's.
	caching string
}

func countFetches(site *chrome.Site) *fetches {
	f := &fetches{of: map[string]int{}}
	site.Header(func(path string, header http.Header) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.of[path]++
		if f.caching != "" && strings.HasSuffix(path, ".wasm") {
			header.Set("Cache-Control", f.caching)
		}
	})
	return f
}

// wasm returns how often holdfast.wasm was asked for, and holdfast-agents.wasm.
func (f *fetches) wasm() [2]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return [2]int{f.of["/holdfast.wasm"], f.of["/holdfast-agents.wasm"]}
}

// repeated returns the files of the package that were asked for more than once, but for the modules that
// connect: a story has each behind one that pins its host.
func (f *fetches) repeated() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var files []string
	for _, path := range slices.Sorted(maps.Keys(f.of)) {
		if strings.HasPrefix(path, "/holdfast-") && path != "/holdfast-agent.mjs" && f.of[path] > 1 {
			files = append(files, path)
		}
	}
	return files
}

// TestStoryAPagePaysForWhatItCalls: a page of an MCP server never fetches the wasm for agents, and one of
// an agent fetches that alone; each file once, preloaded or not, in every host. A page that has both kinds of
// clients has both.
func TestStoryAPagePaysForWhatItCalls(t *testing.T) {
	t.Parallel()
	agent := acpserver.Start(t, acpserver.Options{})
	connect, connectAgent := `await holdfast.connect("/mcp", options);`,
		`await holdfast.connectAgent(`+chrome.JS(agent.URL())+`, options);`
	for name, test := range map[string]struct {
		script string
		want   [2]int
	}{
		"MCP": {connect + connect, [2]int{1, 0}},
		"MCP, preloaded": {`holdfast.preload(options); await holdfast.preload(options);` + connect,
			[2]int{1, 0}},
		"MCP, while it is loaded": {`const early = holdfast.preload(options);` + connect + `await early;`,
			[2]int{1, 0}},
		"agent":            {connectAgent, [2]int{0, 1}},
		"agent, preloaded": {`await holdfast.preloadAgent(options);` + connectAgent, [2]int{0, 1}},
		"agent, then MCP":  {connectAgent + connect, [2]int{1, 1}},
		"MCP, then agent":  {connect + connectAgent + connect, [2]int{1, 1}},
		"both, preloaded": {`await holdfast.preloadAgent(options); await Promise.all([(async () => {` +
			connect + `})(), (async () => {` + connectAgent + `})()]);`, [2]int{1, 1}},
		"both at once": {`await Promise.all([(async () => {` + connect + `})(), (async () => {` +
			connectAgent + `})()]);`, [2]int{1, 1}},
		"only a preload":           {`await holdfast.preload(options);`, [2]int{1, 0}},
		"only a preload of agents": {`await holdfast.preloadAgent(options);`, [2]int{0, 1}},
	} {
		for _, host := range []string{"page", "shared", "worker"} {
			t.Run(name+", "+host, func(t *testing.T) {
				row(t)
				t.Parallel()
				site := sdkSite(t)
				counts := countFetches(site)
				page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
				page.WaitFor(`window.holdfast`)
				chrome.Script[chrome.Void](page, `const options = { host: "`+host+`", principal: "ada" };`+
					test.script)
				// A worker that was only preloaded is still at it.
				eventually(t, "the wasm",
					func() bool {
						got := counts.wasm()
						return got[0] >= test.want[0] &&
							got[1] >= test.want[1]
					})
				if got := counts.wasm(); got != test.want {
					t.Errorf("holdfast.wasm and holdfast-agents.wasm were fetched %v times, want %v", got,
						test.want)
				}
				if again := counts.repeated(); len(again) > 0 {
					t.Errorf("fetched more than once: %v", again)
				}
			})
		}
	}
}

// TestFault298_SharedServerAndAgent: a page of an MCP server and one of an agent, of one user, meet in one
// shared worker, which has a runtime for each. Both are reloaded in the middle of a call and a prompt, and
// the worker is killed: both go on from the journal, each its own, and nothing ran twice.
func TestFault298_SharedServerAndAgent(t *testing.T) {
	long(t)
	t.Parallel()
	for _, first := range []string{"server", "agent"} {
		t.Run("first the "+first, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			server := acpserver.Start(t, acpserver.Options{})
			v := newVisits(t, p, `principal: "ada"`)
			counts := countFetches(v.site)
			chats := &sharedChats{t: t, server: server, profile: v.profile,
				url: chatPage(v.site, server.URL(), `{ principal: "ada", host: "shared" }`)}
			var page, chat *chrome.Page
			if first == "server" {
				page = v.open()
				chat = chats.open()
			} else {
				chat = chats.open()
				page = v.open()
			}
			beginChat(chat)
			say(chat, "count 30 @go")
			server.Pass("go", 10)
			shows(chat, chunks(1, 10))
			v.count(page, "a", 8, 3)
			page.WaitFor(`carried.a.guarantee === "resumable"`)

			page.Reload()
			chat.Reload()
			v.has(page, "a", 3)
			chat.WaitFor(`window.ready`)
			shows(chat, chunks(1, 10))
			worker := v.worker() // the one for both
			if got := counts.wasm(); got != [2]int{1, 1} {
				t.Errorf("holdfast.wasm and holdfast-agents.wasm were fetched %v times", got)
			}

			passes(p, "a", 1)
			server.Pass("go", 5)
			v.has(page, "a", 4)
			shows(chat, chunks(1, 15))
			worker.Kill()
			passes(p, "a", 5)
			server.Release("go")
			// in that page it goes on, or ends with a word that says so
			page.WaitFor(`trails.a.outcome && mcp.state === "open"`)
			// the next one has it as the journal has it
			v.outcome(v.open(), "a", "result")
			shows(chat, chunks(1, 30))
			chat.WaitFor(`chats.s1.session.state === "idle" && agent.state === "open"`)
			if next := v.worker(); next.ID == worker.ID {
				t.Error("the worker lives")
			}
			if runs, prompts := p.Oracle().Runs("a"), len(server.Of("prompt")); runs != 1 || prompts != 1 {
				t.Errorf("the call ran %d times, the prompt %d times", runs, prompts)
			}
			blameless(t, p)
		})
	}
}

// TestFault330_AgentWithTheWasmForMCP: an app gives connectAgent the wasm that is for MCP alone, as one may
// that has had one file for both. It hears which one it needs; and the other way round one file is enough for
// both.
func TestFault330_AgentWithTheWasmForMCP(t *testing.T) {
	t.Parallel()
	agent := acpserver.Start(t, acpserver.Options{})
	for _, host := range []string{"page", "worker"} {
		for name, before := range map[string]string{
			"alone": ``,
			"beside a client": `await holdfast.connect("/mcp", { host: "` + host +
				`", wasm: "/holdfast.wasm" });`,
		} {
			t.Run(name+", "+host, func(t *testing.T) {
				row(t)
				t.Parallel()
				site := sdkSite(t)
				page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
				page.WaitFor(`window.holdfast`)
				got := chrome.Script[failure](page, before+`return attempt(() => holdfast.connectAgent(`+
					chrome.JS(agent.URL())+`, { host: "`+host+`", wasm: "/holdfast.wasm" }));`)
				if got.Code != "load_failed" || !strings.Contains(got.Message, "is for MCP alone") ||
					!strings.Contains(got.Hint, "holdfast-agents.wasm") {
					t.Errorf("with holdfast.wasm an agent's client gets %+v", got)
				}
			})
		}
		t.Run("one file for both, "+host, func(t *testing.T) {
			row(t)
			t.Parallel()
			site := sdkSite(t)
			counts := countFetches(site)
			page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
			page.WaitFor(`window.holdfast`)
			sum := chrome.Script[float64](page, `
				const options = { host: "`+host+`", wasm: "/holdfast-agents.wasm" };
				const connect = (url) => holdfast.connect(url, options);
				await connect("/mcp");
				await holdfast.connectAgent(`+chrome.JS(agent.URL())+`, options);`+addScript)
			if got := counts.wasm(); sum != 42 || got != [2]int{0, 1} {
				t.Errorf("sum %v; holdfast.wasm and holdfast-agents.wasm were fetched %v times", sum, got)
			}
		})
	}
}

// TestFault331_WasmForAgentsIsNotServed: an app that talks to a server and to an agent is served without the
// wasm for agents. Its MCP client has its own, whether or not the page has begun with the agent; the agent's
// client says which file is missing.
func TestFault331_WasmForAgentsIsNotServed(t *testing.T) {
	long(t)
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			site := sdkSite(t)
			site.Handle("/holdfast-agents.wasm", http.NotFoundHandler())
			page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[failure](page, `
				const options = { host: "`+host+`" };
				await holdfast.preloadAgent(options);
				const failing = attempt(() => holdfast.connectAgent("/acp", options));
				await holdfast.connect("/mcp", options);
				return failing;`)
			if got.Code != "load_failed" || !strings.Contains(
				got.Hint, "Serve the package's holdfast-agents.wasm there") {
				t.Errorf("an agent's client without its wasm gets %+v", got)
			}
		})
	}
}

// TestFault332_PreloadIsNotLoud: what is preloaded does not come. preload says nothing of it; the connect
// after it asks once more, and says so where there is still nothing.
func TestFault332_PreloadIsNotLoud(t *testing.T) {
	long(t)
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			site := sdkSite(t)
			wasm := read(t, "../web/dist/holdfast.wasm")
			var asked atomic.Int32
			var isThere atomic.Bool
			site.Handle("/holdfast.wasm", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				if !isThere.Load() {
					http.Error(w, "not yet", http.StatusServiceUnavailable)
					return
				}
				w.Header().Set("Content-Type", "application/wasm")
				_, _ = w.Write([]byte(wasm))
			}))
			page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
			page.WaitFor(`window.holdfast`)
			options := `{ host: "` + host + `" }`
			if said := chrome.Script[string](page, `return String(await holdfast.preload(`+options+
				`));`); said != "undefined" {
				t.Errorf("preload says %q", said)
			}
			eventually(t, "the wasm to be asked for", func() bool { return asked.Load() == 1 })
			got := chrome.Script[failure](page, `return attempt(() => holdfast.connect("/mcp", `+options+
				`));`)
			if got.Code != "load_failed" || !got.Retryable || !strings.Contains(got.Message, "503") {
				t.Errorf("the connect after it gets %+v", got)
			}
			isThere.Store(true) // the connect may have waited for what was preloaded, or have asked again
			before := asked.Load()
			if sum := chrome.Script[float64](page, `const connect = (url) => holdfast.connect(url, `+options+
				`);`+addScript); sum != 42 || asked.Load() != before+1 {
				t.Errorf("sum %v, asked for %d times more", sum, asked.Load()-before)
			}
		})
	}
}

// TestStoryPreloadLinks: the lines of docs/bundlers.md that have the browser load the module and the wasm
// before a script runs. Chrome takes both for what the page then asks for, and each is fetched once; for what
// a worker asks for only where it may keep it.
func TestStoryPreloadLinks(t *testing.T) {
	t.Parallel()
	for host, caching := range map[string]string{"page": "no-cache", "shared": "max-age=600"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			site := sdkSite(t)
			counts := countFetches(site)
			counts.caching = caching
			site.File("/linked.html", `<!doctype html><link rel="icon" href="data:,">
				<link rel="modulepreload" href="/holdfast.mjs?built">
				<link rel="preload" href="/holdfast.wasm" as="fetch" type="application/wasm" crossorigin>
				<title>linked</title>`)
			page := chrome.Open(t, site.URL+"/linked.html")
			page.WaitFor(`performance.getEntriesByType("resource").filter((e) => e.responseEnd > 0 && ` +
				`/holdfast\.(mjs|wasm)/.test(e.name)).length === 2`)
			if got := counts.wasm(); got != [2]int{1, 0} {
				t.Errorf("before any script runs the wasm was fetched %v times", got)
			}
			sum := chrome.Script[float64](page, `
				const holdfast = await import("/holdfast.mjs?built");
				const connect = (url) => holdfast.connect(url, { host: "`+host+`" });`+addScript)
			if sum != 42 || counts.wasm() != [2]int{1, 0} || len(counts.repeated()) > 0 {
				t.Errorf("sum %v; the wasm was fetched %v times, and more than once: %v", sum, counts.wasm(),
					counts.repeated())
			}
		})
	}
}

// TestFault298_WipedWithTwoRuntimes: a page has a call in one runtime and a session in the other, over one
// store. A wipe leaves nothing of either, in another page too.
func TestFault298_WipedWithTwoRuntimes(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	agent := acpserver.Start(t, acpserver.Options{})
	site := chrome.NewSite(t)
	counts := countFetches(site)
	url := site.Page("/both", strings.NewReplacer("SERVER", chrome.JS(p.URL()), "AGENT", chrome.JS(agent.URL())).Replace(`
		const holdfast = window.holdfast = { ...await import("/holdfast.mjs"), ...await import("/holdfast-agent.mjs") };
		window.mcp = await holdfast.connect(SERVER, { host: "page", principal: "ada", ack: "manual" });
		window.agent = await holdfast.connectAgent(AGENT, { host: "page", principal: "ada" });
		window.kept = async () => [(await mcp.calls()).length, (await agent.sessions()).length].join();
		window.ready = true;`))
	page := chrome.Open(t, url)
	page.WaitFor(`window.ready`)
	chrome.Script[chrome.Void](page, `
		window.call = mcp.callTool("count", { call: "a", n: 6, gate: "a", retry: 10 }, { key: "a" });
		call.result.catch(() => {});
		await agent.newSession({ cwd: "/w" });`)
	passes(p, "a", 2)
	page.WaitFor(`call.guarantee === "resumable"`)
	page.Reload()
	page.WaitFor(`window.ready`)
	page.WaitFor(`kept().then((all) => all === "1,1")`)
	chrome.Eval[chrome.Void](page, `holdfast.wipe()`)
	next := page.Profile().Open(url)
	next.WaitFor(`window.ready`)
	if got := chrome.Eval[string](next, `kept()`); got != "0,0" {
		t.Errorf("after the wipe another page has %s calls and sessions", got)
	}
	if got := counts.wasm(); got != [2]int{3, 3} {
		t.Errorf("in three pages holdfast.wasm and holdfast-agents.wasm were fetched %v times", got)
	}
	passes(p, "a", 5)
}
