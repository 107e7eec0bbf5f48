//go:build !js

package e2e

import (
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/everything"
	"github.com/holdfast-mcp/holdfast/e2e/internal/requestbody"
)

// TestStoryServerEverything talks to the official TypeScript server, across
// origins, with the CORS rules that it comes with.
func TestStoryServerEverything(t *testing.T) {
	t.Parallel()
	page := app(t, everything.Start(t), "")
	got := chrome.Script[struct {
		Server, Revision, Echo string
		Session                bool
		Tools                  int
	}](page, `
		const { tools } = await mcp.listTools();
		const echo = await mcp.callTool("echo", { message: "hello" }).result;
		return { server: mcp.server.name, revision: mcp.revision, session: mcp.session, tools: tools.length, echo: echo.content[0].text };`)
	if got.Revision != "2025-11-25" || !got.Session || got.Tools < 10 || got.Echo != "Echo: hello" {
		t.Errorf("got %+v", got)
	}
	chrome.Eval[chrome.Void](page,
		`void watch(mcp.callTool("trigger-long-running-operation", { duration: 1, steps: 5 }))`)
	outcome(t, page, "")
	counted(t, page, 5)
}

// TestStoryServerEverythingCutTwice cuts its stream twice in a row. Its event
// store has what was missed, but the resumed connection then carries nothing
// live: the client has to find that out and ask again.
func TestStoryServerEverythingCutTwice(t *testing.T) {
	long(t)
	t.Parallel()
	target, err := url.Parse(everything.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	site := chrome.NewSite(t)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	proxy.FlushInterval = -1
	site.Handle("/mcp", requestbody.Whole(proxy))
	page := appOn(t, site, "/mcp", "")
	chrome.Eval[chrome.Void](page,
		`void watch(mcp.callTool("trigger-long-running-operation", { duration: 8, steps: 16 }))`)
	for cut := 1; cut <= 2; cut++ {
		page.WaitFor(`seen.progress.length >= ` + chrome.JS(cut*3))
		site.Cut()
		page.WaitFor(`seen.resumed >= ` + chrome.JS(cut))
	}
	outcome(t, page, "")
	counted(t, page, 16)
}

// TestStoryServerEverythingRestart: it answers 400 rather than 404 about a
// session it does not know.
func TestStoryServerEverythingRestart(t *testing.T) {
	long(t)
	t.Parallel()
	first, second := everything.Start(t), everything.Start(t)
	site := chrome.NewSite(t)
	target := first
	site.Handle("/mcp", requestbody.Whole(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, _ := url.Parse(target)
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
		},
		FlushInterval: -1,
	}))
	page := appOn(t, site, "/mcp", "")
	chrome.Script[chrome.Void](page, `await mcp.ping();`)
	target = second
	echo := chrome.Script[string](page,
		`return (await mcp.callTool("echo", { message: "again" }).result).content[0].text;`)
	if echo != "Echo: again" {
		t.Errorf("echo %q", echo)
	}
	if n := chrome.Eval[int](page, `mcp.counters.sessionsLost`); n != 1 {
		t.Errorf("%d sessions lost", n)
	}
}
