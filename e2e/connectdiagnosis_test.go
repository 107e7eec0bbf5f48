//go:build !js

package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault181_GivenUpWhileTheCauseIsLookedFor: connecting has failed, the server is
// being asked why, and does not answer. Who gives up hears of it at once, with
// `cancelled`; another connect that shares the connection has the true cause.
func TestFault181_GivenUpWhileTheCauseIsLookedFor(t *testing.T) {
	t.Parallel()
	for name, another := range map[string]bool{"connect": true, "connectAgent": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newUnready(t)
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", withAgents(appScript)))
			page.WaitFor(`window.holdfast`)
			chrome.Eval[chrome.Void](page, `
				window.give = new AbortController();
				const open = (signal) => attempt(() => holdfast.`+name+`(`+chrome.JS(server.URL+"/rpc")+`, { principal: "ada", signal }));
				open(give.signal).then((ended) => { window.gaveUp = ended; });
				setTimeout(() => {
					if (`+chrome.JS(another)+`) open().then((ended) => { window.stayed = ended; });
					window.asked = true;
				});
				undefined`)
			page.WaitFor(`window.asked`)
			server.refuse()
			eventually(t, "the first probe", func() bool { return server.probes.Load() > 0 })
			chrome.Eval[chrome.Void](page, `give.abort()`)
			if got := chrome.Wait[failure](page, `window.gaveUp`); got.Code != "cancelled" {
				t.Errorf("who gave up has %+v", got)
			}
			server.answer()
			if !another {
				return
			}
			if got := chrome.Wait[failure](page, `window.stayed`); !strings.Contains(
				got.Hint, "Access-Control-Allow-Headers") {
				t.Errorf("who stayed has %+v", got)
			}
		})
	}
}

// TestFault560_PolicyWithoutTheServer: the page's policy, or that of the worker's own response, does not let
// it connect to the server. The hint says so, and nothing reaches the server.
func TestFault560_PolicyWithoutTheServer(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { requests.Add(1) }))
	t.Cleanup(server.Close)
	site := chrome.NewSite(t)
	site.Header(func(_ string, h http.Header) {
		h.Set("Content-Security-Policy", "default-src 'none'; img-src data:; script-src 'self' "+
			"'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'")
	})
	page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
	page.WaitFor(`window.holdfast`)
	for _, host := range []string{"page", "shared"} {
		got := chrome.Script[failure](page, `return attempt(() => holdfast.connect(`+
			chrome.JS(server.URL+"/mcp")+`, { host: "`+host+`" }));`)
		if got.Code != "network_error" || !strings.HasSuffix(got.Hint, "lacks  connect-src "+server.URL) {
			t.Errorf("%s: got %+v", host, got)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests have reached the server", n)
	}
}

// unready is a server of another origin that allows no header field, which it says when
// it is to refuse, so that no POST of a client's reaches it; and that keeps a GET waiting
// until it is to answer.
type unready struct {
	*chrome.Site
	probes         atomic.Int32
	refuse, answer func()
}

func newUnready(t *testing.T) *unready {
	refused, answered := make(chan struct{}), make(chan struct{})
	s := &unready{
		Site:   chrome.NewSite(t),
		refuse: sync.OnceFunc(func() { close(refused) }),
		answer: sync.OnceFunc(func() { close(answered) }),
	}
	t.Cleanup(s.refuse)
	t.Cleanup(s.answer)
	s.Handle("/rpc", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		await := refused
		if r.Method == http.MethodGet {
			s.probes.Add(1)
			await = answered
		}
		select {
		case <-await:
		case <-r.Context().Done():
		}
	}))
	return s
}
