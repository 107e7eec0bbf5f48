//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault195_SharedForgetAfterAKill: the worker is dead when the user logs out. What is
// stored is deleted all the same, before forget() resolves.
func TestFault195_SharedForgetAfterAKill(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	v := newVisits(t, p, "")
	page := v.open()
	chrome.Eval[chrome.Void](page, `void follow(mcp.callTool("count", { call: "a", n: 2 }))`)
	v.ends(page, "a")
	// In the task in which the page hears of the end, and while the next worker starts.
	chrome.Eval[chrome.Void](page, `void mcp.on("state", ({ state }) => {
		if (state === "reconnecting") window.gone ??= mcp.forget().then(() => "deleted", (error) => error.code);
	})`)
	v.worker().Kill()
	page.WaitFor(`window.gone`)
	if got := chrome.Eval[string](page, `gone`); got != "deleted" {
		t.Errorf("forget: %s", got)
	}
	page = v.open()
	if got := chrome.Eval[string](page,
		`Promise.all([mcp.calls(), mcp.stored()]).then(([calls, { rows }]) => calls.length + " " + rows)`); got != "0 0" {
		t.Errorf("calls and rows after a logout: %s", got)
	}
	blameless(t, p)
}

// TestFault197_SharedAskedWhileReplaced: what an app makes and asks as soon as it hears of the
// worker's end is made and answered by the next worker.
func TestFault197_SharedAskedWhileReplaced(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		page := v.open()
		chrome.Eval[chrome.Void](page, `void mcp.on("state", ({ state }) => {
			if (state !== "reconnecting") return;
			follow(mcp.callTool("count", { call: "a", n: 2 }));
			mcp.listTools().then(({ tools }) => { window.listed = tools.length; }, (error) => { window.listed = error.code; });
		})`)
		v.worker().Kill()
		page.WaitFor(`trails.a?.outcome && window.listed !== undefined`)
		v.ends(page, "a")
		if n := chrome.Eval[int](page, `listed`); n == 0 {
			t.Error("no tools are listed")
		}
		if runs := p.Oracle().Runs("a"); runs != 1 {
			t.Errorf("%d runs", runs)
		}
		if now := chrome.Eval[string](page, `mcp.state`); now != "open" {
			t.Errorf("the client is %s", now)
		}
		blameless(t, p)
	})
}

// TestFault211_ForgetAfterClose: an app closes its client and logs out then: what is stored is
// deleted, whatever host the client had.
func TestFault211_ForgetAfterClose(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
			p.Counting(nil)
			site := chrome.NewSite(t)
			page := chrome.NewProfile(t).Open(site.Page("/", `import * as holdfast from "/holdfast.mjs";
				window.visit = async (end) => {
					const mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host: `+chrome.JS(host)+`, ack: "manual" });
					const had = (await mcp.calls()).length;
					if (had === 0) await mcp.callTool("count", { call: "a", n: 1 }).result;
					await mcp.close();
					if (end) await end(mcp);
					return had;
				};
				window.ready = true;`))
			page.WaitFor(`window.ready`)
			for i, want := range []int{0, 1, 0} {
				if had := chrome.Eval[int](page, `visit(`+[]string{
					"undefined", "(mcp) => mcp.forget()", "undefined"}[i]+`)`); had != want {
					t.Errorf("visit %d found %d calls, and not %d", i+1, had, want)
				}
			}
			blameless(t, p)
		})
	}
}

// TestFault245_ForgetWhatThePageNoted: the page's own host has noted the server's revision in localStorage.
// The app goes over to the shared host and logs out there: nothing is left of that.
func TestFault245_ForgetWhatThePageNoted(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20251125})
	p.Counting(nil)
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
	page.WaitFor(`window.holdfast`)
	got := chrome.Script[[]string](page, `
		const noted = () => localStorage.getItem("holdfast:revisions") ?? "nothing";
		const said = [];
		for (const host of ["page", "shared"]) {
			const mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host });
			said.push(noted().includes("2025-11-25") ? "noted" : noted());
			await (host === "page" ? mcp.close() : mcp.forget());
		}
		return [...said, noted()];`)
	if want := []string{"noted", "noted", "nothing"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFault212_SharedRevisionIsKnown: a worker knows from the one before it which revision a
// server speaks, and does not ask first whether it is a modern one.
func TestFault212_SharedRevisionIsKnown(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20251125})
	p.Counting(nil)
	v := newVisits(t, p, "")
	page := v.open()
	asked := len(p.Of("server/discover"))
	if asked == 0 {
		t.Error("the first worker did not ask")
	}
	worker := v.worker()
	chrome.Eval[chrome.Void](page, `mcp.close()`)
	worker.Kill()
	v.open()
	if n := len(p.Of("initialize")); n != 2 {
		t.Errorf("%d handshakes", n)
	}
	if n := len(p.Of("server/discover")); n != asked {
		t.Errorf("the next worker asked %d times", n-asked)
	}
}
