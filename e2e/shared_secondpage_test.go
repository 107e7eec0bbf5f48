//go:build !js

package e2e

import (
	"net/http"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault465_SecondPagesWhoseSideIsLate: the worker opens the client of each page while
// that page's side of it is still on its way. It comes late, not at all, or never, to a
// page that gives up or goes: the first page and its call notice none of it, all share
// one handshake, and no client is left over that would keep the session.
func TestFault465_SecondPagesWhoseSideIsLate(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		late := make(chan struct{})
		visits := serveChunk(t, v.site, "connectthere",
			func(visit int32, w http.ResponseWriter, r *http.Request) bool {
				switch visit {
				case 2:
					<-late
				case 3:
					http.NotFound(w, r)
					return true
				case 5, 8:
					neverAnswers(w, r)
					return true
				}
				return false
			})
		asksFor := func(n int32) {
			t.Helper()
			eventually(t, "a page to ask for its side", func() bool { return visits.Load() == n })
		}

		plain := v.site.Page("/plain", `window.holdfast = await import("/holdfast.mjs");`)
		connecting := func(page *chrome.Page, option string) string {
			t.Helper()
			page.WaitFor(`window.holdfast`)
			return chrome.Eval[string](page, `holdfast.connect(`+chrome.JS(p.URL())+
				`, { host: "shared", ack: "manual", `+option+
				` }).then(() => "connected", ({ code }) => code)`)
		}

		one := v.open()
		v.count(one, "a", 6, 1)
		two := v.profile.Open(v.url)
		asksFor(2)
		passes(p, "a", 1)
		v.has(one, "a", 2)
		close(late)
		v.has(two, "a", 2)

		refused := v.profile.Open(plain)
		if code := connecting(refused, ""); code != "load_failed" {
			t.Errorf("without its side: %q", code)
		}
		asksFor(3)
		passes(p, "a", 1)
		v.has(two, "a", 3)
		refused.Navigate(v.url)
		v.has(refused, "a", 3)
		asksFor(4)

		gaveUp := v.profile.Open(plain)
		if code := connecting(gaveUp, `signal: AbortSignal.timeout(50)`); code != "cancelled" {
			t.Errorf("given up: %q", code)
		}
		asksFor(5)
		gaveUp.Navigate(v.url)
		v.has(gaveUp, "a", 3)

		passes(p, "a", 4)
		for _, page := range []*chrome.Page{two, refused, gaveUp} {
			v.ends(page, "a")
		}
		v.uncut("a")
		v.oneHandshake()
		for _, page := range []*chrome.Page{one, two, refused, gaveUp} {
			chrome.Eval[chrome.Void](page, `mcp.close()`)
		}
		eventually(t, "the last that closes to end the session", func() bool { return p.Sessions() == 0 })

		one.Reload()
		one.WaitFor(`window.ready`)
		v.count(one, "b", 3, 1)
		gone := v.profile.Open(v.url)
		asksFor(8)
		gone.Close()
		passes(p, "b", 3)
		v.ends(one, "b")
		v.uncut("b")
	})
}
