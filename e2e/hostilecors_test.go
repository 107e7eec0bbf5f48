//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
	"github.com/holdfast-mcp/holdfast/e2e/tsserver"
)

// allowed2025 is the list of request headers that servers of 2025 allow to
// pages of other origins, at its best: nothing of 2026-07-28 is in it.
var allowed2025 = []string{"Content-Type", "Accept", "Authorization", "Mcp-Session-Id",
	"MCP-Protocol-Version", "Last-Event-ID"}

// hostile are the CORS rules that a server of 2026-07-28 may be behind.
var hostile = map[string]peer.CORS{
	"nothing exposed":  {Expose: []string{}},
	"a list from 2025": {Allow: allowed2025, Expose: []string{"Mcp-Session-Id"}},
	"no CORS":          {Off: true},
}

// TestStoryHostileCORSConnects: what the rules leave open is enough. Nothing of
// 2026-07-28 has to be read from headers; where its own are not allowed, a server
// of both eras is spoken to in the older one.
func TestStoryHostileCORSConnects(t *testing.T) {
	t.Parallel()
	const both = peer.Revision20251125
	for _, test := range []struct{ rules, legacy, revision, steps string }{
		{"nothing exposed", "", peer.Revision20260728, "server/discover 200 modern"},
		{"nothing exposed", both, peer.Revision20260728, "server/discover 200 modern"},
		{"a list from 2025", both, peer.Revision20251125, "server/discover 0 initialize"},
	} {
		t.Run(test.rules+" "+test.legacy, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Legacy: test.legacy,
				CORS: hostile[test.rules]})
			p.Tool("steps", peer.Script{peer.Progress(1, 2, ""), peer.Progress(2, 2, ""), peer.Text("done")})
			page := app(t, p.URL(), "")
			got := chrome.Script[[]string](page, `return [mcp.revision, mcp.negotiation.map((s) => s.method `+
				`+ " " + s.status + " " + s.then).join(", ")];`)
			if !slices.Equal(got, []string{test.revision, test.steps}) {
				t.Errorf("got %q", got)
			}
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
			outcome(t, page, "")
			counted(t, page, 2)
			blameless(t, p)
		})
	}
}

// TestStoryHostileCORSFails: where there is no way in, the error says what the
// server has to allow, by name.
func TestStoryHostileCORSFails(t *testing.T) {
	t.Parallel()
	const origin = "Access-Control-Allow-Origin: http://127.0.0.1:"
	for _, test := range []struct{ rules, legacy, options, hint string }{
		{"a list from 2025", "", "{}", "Access-Control-Allow-Headers: mcp-method"},
		{"a list from 2025", "", `{ revision: "2026-07-28" }`, "Access-Control-Allow-Headers: mcp-method"},
		{"a list from 2025", peer.Revision20251125, `{ revision: "2026-07-28" }`,
			"Access-Control-Allow-Headers: mcp-method"},
		{"no CORS", "", "{}", origin},
		{"no CORS", peer.Revision20251125, "{}", origin},
		{"no CORS", peer.Revision20251125, `{ revision: "2025-11-25" }`, origin},
	} {
		t.Run(test.rules+" "+test.legacy+" "+test.options, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Legacy: test.legacy,
				CORS: hostile[test.rules]})
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[failure](page, `return attempt(() => holdfast.connect(`+chrome.JS(p.URL())+
				`, `+test.options+`));`)
			if got.Code != "cors_blocked" || !strings.Contains(got.Hint, test.hint) {
				t.Errorf("got %+v, want cors_blocked and a hint with %q", got, test.hint)
			}
			if test.hint != origin && !strings.Contains(got.Hint, "mcp-name") {
				t.Errorf("mcp-name is missing as well: %q", got.Hint)
			}
		})
	}
}

// TestStoryHostileCORSOfASDK: the official server of both eras behind a list
// from 2025 is spoken to in the older one, and works.
func TestStoryHostileCORSOfASDK(t *testing.T) {
	t.Parallel()
	server := tsserver.Start(t, tsserver.Options{AllowHeaders: allowed2025})
	page := app(t, server.URL, "")
	if revision := chrome.Eval[string](page, `mcp.revision`); revision != "2025-11-25" {
		t.Errorf("revision %s", revision)
	}
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("slow", { steps: 5, delayMs: 1 }))`)
	outcome(t, page, "")
	counted(t, page, 5)
}

// TestStoryHostileCORSOfACall: a list that has Mcp-Method and forgets the rest
// lets a page connect and list. A call that cannot do without what is missing is
// rejected with its name, and so the app knows that nothing was sent; without
// Mcp-Param-* it is sent once more. Either way the client goes on.
func TestStoryHostileCORSOfACall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		allowed   []string
		insists   bool // the server wants the fields of a tool's that it has named
		code      string
		hint      string
		integrity []string
	}{
		{"no Mcp-Name", []string{"Mcp-Method"}, false, "cors_blocked",
			"Access-Control-Allow-Headers: mcp-name", nil},
		{"neither", []string{"Mcp-Method"}, true, "cors_blocked", "Access-Control-Allow-Headers: mcp-name",
			[]string{"header_refused"}},
		{"no Mcp-Param-*", []string{"Mcp-Method", "Mcp-Name"}, true, "cors_blocked",
			"Access-Control-Allow-Headers: mcp-param-region", []string{"header_refused"}},
		{"no Mcp-Param-* that matters", []string{"Mcp-Method", "Mcp-Name"}, false, "", "",
			[]string{"header_refused"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{Revision: peer.Revision20260728,
				CORS: peer.CORS{Allow: slices.Concat(allowed2025, test.allowed)}})
			const plain = `{"type":"object","properties":{"region":{"type":"string"}}}`
			const routed = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`
			schema := plain
			if test.insists || test.code == "" {
				schema = routed
			}
			p.Tool("routed", peer.Script{peer.Text("done")}, peer.Schema(schema))
			page := app(t, p.URL(), "")
			chrome.Script[chrome.Void](page, `await mcp.listTools();`)
			if test.code == "" {
				p.Tool("routed", peer.Script{peer.Text("done")}, peer.Schema(plain)) // it reads no header
			}
			for range 2 {
				got := chrome.Script[failure](page,
					`return attempt(async () => void await mcp.callTool("routed", { region: "eu" }).result);`)
				if got.Code != test.code || !strings.Contains(got.Hint, test.hint) {
					t.Errorf("got %+v", got)
				}
			}
			ran := 0
			if test.code == "" {
				ran = 2
			}
			if p.Ran("routed") != ran {
				t.Errorf("the tool ran %d times", p.Ran("routed"))
			}
			// an outcome is acknowledged two tasks after it was handed over
			page.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
			got := chrome.Eval[struct {
				State     string
				Integrity []string
			}](page, `({ state: mcp.state, integrity })`)
			if got.State != "open" || !slices.Equal(got.Integrity, test.integrity) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
