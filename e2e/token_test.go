//go:build !js

package e2e

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryTokenProvider: the provider is asked before the first request and
// once more when the token is refused, however many requests find out; each is
// repeated once.
func TestStoryTokenProvider(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	valid := "t1"
	p.Unauthorized(func(token string) bool { return token != valid })
	page := app(t, p.URL(), `{ token: async () => "t" + (window.asked = (window.asked ?? 0) + 1) }`)
	chrome.Script[chrome.Void](page, `await mcp.ping();`)
	valid = "t2"
	sums := chrome.Script[[]float64](page, `
		const calls = [1, 2, 3, 4].map((a) => mcp.callTool("add", { a, b: 0 }).result);
		return (await Promise.all(calls)).map((r) => r.structuredContent.sum);`)
	if len(sums) != 4 || sums[3] != 4 {
		t.Errorf("sums %v", sums)
	}
	if asked := chrome.Eval[int](page, `asked`); asked != 2 {
		t.Errorf("the provider was asked %d times", asked)
	}
	if n := p.Ran("add"); n != 4 {
		t.Errorf("add ran %d times", n)
	}
	valid = "never"
	if code := chrome.Script[failure](page, `return attempt(() => mcp.ping());`).Code; code !=
		"unauthorized" {
		t.Errorf("code %q", code)
	}
	if n := chrome.Eval[int](page, signInChunks); n != 0 {
		t.Errorf("the page has loaded %d chunks to sign in with", n)
	}
	blameless(t, p)
}

// TestStoryTokenProviderFails: what it throws is the cause, also where that is a slip
// in its code, and nothing is sent.
func TestStoryTokenProviderFails(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
	page.WaitFor(`window.holdfast`)
	for provider, cause := range map[string]string{
		`() => Promise.reject(new Error("signed out"))`: "Error: signed out",
		`() => window.user.token`:                       "TypeError: Cannot read properties of undefined (reading 'token')",
	} {
		for options, why := range map[string]string{"": "no user", `, principal: "ada"`: "ada"} {
			got := chrome.Script[[]string](page, `
				const error = await holdfast.connect(`+chrome.JS(p.URL())+`, { token: `+provider+options+` }).catch((e) => e);
				return [error.code, error.message, String(error.cause), error.hint];`)
			want := []string{"unauthorized", "token: the token provider failed", cause,
				"The token provider gave no token. The error's cause says why."}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: got %q", provider, why, got)
			}
		}
	}
	if n := len(p.Requests()); n != 0 {
		t.Errorf("%d requests without a token", n)
	}
}

// TestFault137_ExpiredAtConnect: at a server of the official SDK, behind its own
// check of bearer tokens, the token has expired when the page connects, and again
// when it makes its calls. The very first request is sent once more, as all others
// are, each time with a token that was not refused before.
func TestFault137_ExpiredAtConnect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server  gosdk.Options
		options string
	}{
		"initialize":                    {gosdk.Options{}, ``},
		"initialize, with principal":    {gosdk.Options{}, `, principal: "ada"`},
		"discover":                      {gosdk.Options{Stateless: true}, ``},
		"discover, with principal":      {gosdk.Options{Stateless: true}, `, principal: "ada"`},
		"pinned, with principal":        {gosdk.Options{}, `, principal: "ada", revision: "2025-11-25"`},
		"discover, pinned, opaque user": {gosdk.Options{Stateless: true}, `, revision: "2026-07-28"`},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			server := gosdk.New(c.server)
			t.Cleanup(server.Close)
			var valid atomic.Value
			valid.Store("t2")
			verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
				if token != valid.Load() {
					return nil, auth.ErrInvalidToken
				}
				return &auth.TokenInfo{UserID: "ada", Expiration: time.Now().Add(time.Hour)}, nil
			}
			site := chrome.NewSite(t)
			site.Handle("/mcp", auth.RequireBearerToken(verify, nil)(server))
			page := appOn(t, site, "/mcp",
				`{ token: async () => "t" + (window.asked = (window.asked ?? 0) + 1)`+c.options+` }`)
			if asked := chrome.Eval[int](page, `asked`); asked != 2 {
				t.Errorf("the provider was asked %d times", asked)
			}
			valid.Store("t3")
			sums := chrome.Script[[]float64](page, `
				const calls = [1, 2, 3, 4, 5, 6].map((a) => mcp.callTool("add", { a, b: 0 }).result);
				return (await Promise.all(calls)).map((r) => r.structuredContent.sum);`)
			if len(sums) != 6 || sums[5] != 6 {
				t.Errorf("sums %v", sums)
			}
			if asked := chrome.Eval[int](page, `asked`); asked != 3 {
				t.Errorf("then it was asked %d times", asked)
			}
		})
	}
}

// TestFault136_OfflineWithATokenProvider: the page has no network, and its token comes
// by one. It has the call of the page before it at once; when the network is back the
// provider is asked, and the call goes on. Where nothing says whose calls they are,
// none can be shown, and nothing else is remembered.
func TestFault136_OfflineWithATokenProvider(t *testing.T) {
	t.Parallel()
	p, other := peer.New(t, peer.Options{CORS: peer.CORSResuming()}), peer.New(t, peer.Options{})
	p.Unauthorized(func(token string) bool { return token != "t1" })
	p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 2, ""), peer.Gate("go"), peer.Text("done")})
	site := chrome.NewSite(t)
	site.Handle("/token",
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("t1")) }))
	page := chrome.Open(t, site.Page("/app", appScript))
	connect := func(options string) string {
		return `holdfast.connect(` + chrome.JS(p.URL()) +
			`, { token: () => fetch("/token").then((r) => r.text())` + options + ` })`
	}
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `window.mcp = await `+connect(`, principal: "ada"`)+
		`; watch(mcp.callTool("note"));`)
	page.WaitFor(`call.guarantee === "resumable" && seen.progress.length > 0`)
	page.Reload()
	page.WaitFor(`window.holdfast`)
	// the wasm is loaded
	chrome.Script[chrome.Void](page, `await holdfast.connect(`+chrome.JS(other.URL())+`);`)
	sent := len(p.Requests())
	page.Offline(true)
	got := chrome.Script[[]string](page, `
		const nobody = await `+connect("")+`.catch((error) => error.code);
		window.mcp = await `+connect(`, principal: "ada"`)+`;
		const [call] = await mcp.calls();
		watch(call);
		return [nobody, mcp.state, mcp.revision, call.guarantee];`)
	if !slices.Equal(got, []string{"network_error", "offline", "2025-11-25", "resumable"}) {
		t.Errorf("without network: %v", got)
	}
	if n := len(p.Requests()) - sent; n > 0 {
		t.Errorf("%d requests without a token", n)
	}
	page.Offline(false)
	page.WaitFor(`mcp.state === "open"`)
	p.Release("go")
	outcome(t, page, "")
}
