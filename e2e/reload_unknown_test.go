//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault35_CutBeforeTheHead: the server has the request and says nothing any
// more. What has side effects is of unknown fate and is not run again; what is
// harmless, as the list of tools says, is.
func TestFault35_CutBeforeTheHead(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]struct {
		code string
		runs int
	}{"sideeffect": {"outcome_unknown", 1}, "lookup": {"", 2}, "upsert": {"", 2}} {
		t.Run(tool, func(t *testing.T) {
			row(t)
			// On a fresh connection Chrome resends nothing by itself.
			p := peer.New(t, peer.Options{NoReuse: true})
			p.SideEffects()
			page := app(t, p.URL(), "")
			chrome.Script[chrome.Void](page, `await mcp.listTools();`)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool(`+chrome.JS(tool)+
				`, { call: "a", lose: 1 }))`)
			outcome(t, page, want.code)
			if runs := p.Oracle().Runs("a"); runs != want.runs {
				t.Errorf("ran %d times, want %d", runs, want.runs)
			}
			if want.runs > 1 && chrome.Eval[string](page,
				`seen.events.find((e) => e.type === "resumed").outcome`) != "restarted" {
				t.Error("nobody was told of the second run")
			}
		})
	}
}

// TestFault35_ChromeSendsAgain records what no page can prevent: on a connection
// that it has used before, Chrome itself repeats a POST that died before the
// headers, and one call runs its tool more than once. A server can tell, by the
// request's id: it is the same one, which Holdfast gives to no second request.
func TestFault35_ChromeSendsAgain(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.SideEffects()
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("sideeffect", { call: "a", lose: 1 }))`)
	page.WaitFor(`seen.done`)
	requests := p.Of("tools/call")
	for _, r := range requests {
		if r.ID != requests[0].ID {
			t.Errorf("id %s, and %s before: that was not Chrome", r.ID, requests[0].ID)
		}
	}
	code := chrome.Eval[string](page, `seen.error?.code ?? ""`)
	if len(requests) == 1 && code != "outcome_unknown" || len(requests) > 1 && code != "" {
		t.Errorf("after %d requests the call ended with %q", len(requests), code)
	}
	t.Logf("one call, %d requests", len(requests))
}

// TestFault54_KilledAfterThePOST: nobody knows whether the tool has run. The call
// is listed so, and what becomes of it is the app's decision.
func TestFault54_KilledAfterThePOST(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.SideEffects()
	url, profile := chrome.NewSite(t).Page("/app", appScript+`window.ready = true;`), t.TempDir()
	connect := `(async () => {
		window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) + `);
		window.calls = await mcp.calls();
		return calls.length;
	})()`
	browser := startBrowser(t, profile, url)
	ask[int](browser, connect)
	ask[chrome.Void](browser, `void mcp.callTool("sideeffect", { call: "a", gate: "hold" }, { key: "pay" })`)
	p.Waiting("hold")
	browser.kill()

	browser = startBrowser(t, profile, url)
	if n := ask[int](browser, connect); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	got := ask[struct{ Key, Code, Resumed string }](browser, `(async () => {
		const seen = watch(calls[0]);
		while (!seen.done) await new Promise((r) => setTimeout(r, 5));
		return { key: calls[0].key, code: seen.error?.code, resumed: seen.events.findLast((e) => e.type === "resumed")?.outcome };
	})()`)
	if got.Key != "pay" || got.Code != "outcome_unknown" || got.Resumed != "unknown" {
		t.Errorf("got %+v", got)
	}
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("ran %d times before anybody wanted it", runs)
	}
	p.Release("hold")
	again := ask[struct {
		Key string
		Run int
	}](browser, `(async () => {
		const again = calls[0].retry();
		return { key: again.key, run: (await again.result).structuredContent.run };
	})()`)
	if again.Key != "pay" || again.Run != 2 || p.Oracle().Runs("a") != 2 {
		t.Errorf("replayed: %+v, %d runs", again, p.Oracle().Runs("a"))
	}
	ask[bool](browser, until(`mcp.stored().then(({ calls }) => calls === 0)`))
	browser.kill()
}

// TestFault54_ReloadedAfterThePOST: what may be run again is, by the annotations
// that were copied when the call was made, or by the app's leave; what may not is
// kept as unknown until the app abandons it.
func TestFault54_ReloadedAfterThePOST(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool, options, code, resumed string
		runs                         int
	}{
		"side effects":     {"sideeffect", "{}", "outcome_unknown", "", 1},
		"read only":        {"lookup", "{}", "", "restarted", 2},
		"idempotent":       {"upsert", "{}", "", "restarted", 2},
		"the app knows":    {"sideeffect", `{ rerun: "always" }`, "", "restarted", 2},
		"the headers came": {"sideeffect", "{}", "outcome_unknown", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.SideEffects()
			page := app(t, p.URL(), `{ ack: "manual" }`)
			chrome.Script[chrome.Void](page, `await mcp.listTools();`)
			opened := name == "the headers came"
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool(`+chrome.JS(test.tool)+
				`, { call: "a", gate: "hold", opened: `+chrome.JS(opened)+` }, `+test.options+`))`)
			p.Waiting("hold")
			if opened {
				page.WaitFor(`seen.status.includes("open")`)
			}
			page.Reload()
			// The next page has not listed the tools: the call's own record decides.
			if n := connected(page, p.URL(), "{}"); n != 1 {
				t.Fatalf("%d calls came back", n)
			}
			p.Release("hold")
			outcome(t, page, test.code)
			// A page that sees its own requests die, on its way out, may have noted
			// the outcome already: then the next one has that, and no event.
			got := chrome.Eval[string](page,
				`seen.events.findLast((e) => e.type === "resumed")?.outcome ?? ""`)
			if test.resumed != "" && got != test.resumed {
				t.Errorf("resumed: %q, want %q", got, test.resumed)
			}
			if runs := p.Oracle().Runs("a"); runs != test.runs {
				t.Errorf("ran %d times, want %d", runs, test.runs)
			}
			chrome.Eval[chrome.Void](page, `call.abandon()`)
			page.WaitFor(`(await mcp.stored()).calls === 0`)
			if n := reloaded(page, p.URL()); n != 0 {
				t.Errorf("an abandoned call came back")
			}
		})
	}
}

// TestFault143_HintsAreNotOrders: the app of the first page forbids that a tool is run
// again which says that it may be, for one call or for all. The call's record keeps
// that for the next page, whatever that page's client is told.
func TestFault143_HintsAreNotOrders(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		client, call, code string
		runs               int
	}{
		"of the call":               {`{}`, `{ rerun: "never" }`, "outcome_unknown", 1},
		"of the client":             {`{ rerun: "never" }`, `{}`, "outcome_unknown", 1},
		"the call is an exception":  {`{ rerun: "never" }`, `{ rerun: "hinted" }`, "", 2},
		"nobody has said otherwise": {`{}`, `{}`, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.SideEffects()
			page := app(t, p.URL(), test.client)
			chrome.Script[chrome.Void](page, `await mcp.listTools();`)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("lookup", { call: "a", gate: "hold" }, `+
				test.call+`))`)
			p.Waiting("hold")
			page.WaitFor(`(await mcp.stored()).calls === 1`) // what changes nothing leaves before that
			page.Reload()
			if n := connected(page, p.URL(), "{}"); n != 1 {
				t.Fatalf("%d calls came back", n)
			}
			p.Release("hold")
			outcome(t, page, test.code)
			if runs := p.Oracle().Runs("a"); runs != test.runs {
				t.Errorf("ran %d times, want %d", runs, test.runs)
			}
		})
	}
}
