//go:build !js

package e2e

import (
	"strconv"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// remounts is how often a story closes its client and connects again.
const remounts = 40

// remountScript is a page that connects, calls a tool, and closes, again and again:
// remount(how) is one round, and outcomes has what became of its call.
const remountScript = appScript + `
window.outcomes = [];
window.use = async (mcp) => {
	try {
		const result = await mcp.callTool("count", { call: crypto.randomUUID(), n: 2 }).result;
		outcomes.push(result.structuredContent.n === 2 ? "result" : "wrong");
	} catch (error) {
		outcomes.push(error.code ?? String(error));
	}
};
window.leaving = {
	awaited: async () => { await mcp.close(); },
	"not awaited": async () => { void mcp.close(); },
	"by signal": async () => { controller.abort(); },
};
window.join = async (url) => {
	window.controller = new AbortController();
	window.mcp = await holdfast.connect(url, { signal: controller.signal });
};
window.remount = async (url, how, rounds) => {
	await join(url);
	for (let round = 0; round < rounds; round++) {
		await use(mcp);
		await leaving[how]();
		await join(url);
	}
	await use(mcp);
	await mcp.close();
};
window.ready = true;
`

// wantSound checks the calls of a page, and that the server was asked for no
// session that it had ended.
func wantSound(t *testing.T, p *peer.Peer, page *chrome.Page, calls int) {
	t.Helper()
	ends := chrome.Eval[map[string]int](page, `Object.fromEntries(Object.entries(Object.groupBy(outcomes,`+
		` (o) => o)).map(([o, list]) => [o, list.length]))`)
	if ends["result"] != calls || len(ends) != 1 {
		t.Errorf("of %d calls: %v", calls, ends)
	}
	refused := 0
	for _, r := range p.Requests() {
		// The GET of a stream that close() breaks off may come in behind its DELETE.
		if r.Status == 404 && r.HTTPMethod == "POST" {
			refused++
		}
	}
	if refused > 0 {
		t.Errorf("%d POSTs got 404", refused)
	}
	t.Logf("%d calls: %v; %d POSTs got 404; %d initializes, %d DELETEs", calls, ends, refused,
		p.Oracle().Initializes(), len(p.Of("DELETE")))
}

// TestFault138_Remounts: a page closes its client and connects again, as a
// component that is mounted again does. No dead session is used, and no call is
// lost by it, whether close is awaited, not awaited, or done by the signal.
func TestFault138_Remounts(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"awaited", "not awaited", "by signal"} {
		t.Run(how, func(t *testing.T) {
			row(t)
			t.Parallel()
			remounts := lengthOf(t, 12, remounts)
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			site := chrome.NewSite(t)
			page := chrome.NewProfile(t).Open(site.Page("/app", remountScript))
			page.WaitFor(`window.ready`)
			chrome.Eval[chrome.Void](page, `void remount(`+chrome.JS(p.URL())+`, `+chrome.JS(how)+`, `+
				strconv.Itoa(remounts)+
				`).then(() => (window.over = true), (e) => (window.over = outcomes.push(String(e))))`)
			page.WaitWithin(roundLimit, `window.over`)
			wantSound(t, p, page, remounts+1)
			if n := p.Sessions(); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	}
}

// TestFault138_AnotherTabComes: one tab closes while another one connects.
func TestFault138_AnotherTabComes(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	s.url = s.site.Page("/remount", remountScript+`
window.relay = new BroadcastChannel("relay");
window.begin = async (url, mine, rounds) => {
	relay.onmessage = async ({ data }) => {
		if (data.to !== mine) return;
		await join(url);
		await use(mcp);
		if (data.left === 0) {
			await mcp.close();
			window.over = true;
			return;
		}
		relay.postMessage({ to: 1 - mine, left: data.left - 1 });
		if (data.left % 2) await new Promise((resolve) => setTimeout(resolve, 0));
		void mcp.close();
	};
};
`)
	var pages []*chrome.Page
	for mine := range 2 {
		page := s.blank()
		chrome.Eval[chrome.Void](page, `void begin(`+chrome.JS(p.URL())+`, `+strconv.Itoa(mine)+`)`)
		pages = append(pages, page)
	}
	chrome.Eval[chrome.Void](pages[1], `relay.postMessage({ to: 0, left: `+strconv.Itoa(remounts)+` })`)
	pages[0].WaitWithin(roundLimit, `window.over`)
	pages[1].WaitFor(`mcp.state === "closed"`)
	for i, page := range pages {
		wantSound(t, p, page, remounts/2+1-i)
	}
}
