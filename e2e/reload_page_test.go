//go:build !js

package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	crash "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault57_AwayAndBack: the page goes into the back/forward cache with a call
// under way, or is thrown away: either way the page that is there afterwards has
// all of it.
func TestFault57_AwayAndBack(t *testing.T) {
	t.Parallel()
	for name, cached := range map[string]bool{"kept": true, "thrown away": false} {
		t.Run(name, func(t *testing.T) {
			row(t)
			site := chrome.NewSite(t)
			site.File("/other", "<!doctype html><title>other</title>")
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			page := appIn(chrome.NewProfile(t).InWindows(), site, p.URL(), "")
			if !cached {
				chrome.Eval[chrome.Void](page, `addEventListener("unload", () => {})`) // bars it from the cache
			}
			counts(p, page, 8, 3, "{}")
			page.WaitFor(`call.guarantee === "resumable"`)
			page.Navigate(site.URL + "/other")
			passes(p, "go", 2)
			eventually(t, "the server to go on", func() bool { return len(p.Oracle().Produced("a")) >= 5 })
			page.Back()
			// What Chrome keeps is its own affair; the app's code asks.
			page.WaitFor(`window.holdfast`)
			if kept := chrome.Eval[bool](page, `"seen" in window`); !kept {
				if n := connected(page, p.URL(), "{}"); n != 1 {
					t.Fatalf("%d calls came back", n)
				}
			} else if !cached {
				t.Error("the page was kept all the same")
			}
			passes(p, "go", 4)
			outcome(t, page, "")
			counted(t, page, 8)
			once(t, p, "a")
		})
	}
}

// threeOfSix opens an app with a call that a reload would not lose, and that has
// had three of its six numbers.
func threeOfSix(t *testing.T, traits ...peer.Trait) (*peer.Peer, *chrome.Site, *chrome.Page) {
	t.Helper()
	site := chrome.NewSite(t)
	p := peer.New(t, peer.Options{})
	p.Counting(nil, traits...)
	page := appIn(chrome.NewProfile(t).InWindows(), site, p.URL(), "")
	counts(p, page, 6, 3, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	return p, site, page
}

// TestFault57_AnotherPageOfTheOrigin: the person follows a link, and the page
// there carries the call on.
func TestFault57_AnotherPageOfTheOrigin(t *testing.T) {
	t.Parallel()
	p, site, page := threeOfSix(t)
	page.Navigate(site.Page("/next", appScript))
	if n := connected(page, p.URL(), "{}"); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	page.WaitFor(`!call.followed`)
	passes(p, "go", 4)
	outcome(t, page, "")
	counted(t, page, 6)
	once(t, p, "a")
}

// TestFault58_PanicInTheMiddle: the Go program ends with a call under way. The
// page goes on with it in a new one, as the same object (fault 802).
func TestFault58_PanicInTheMiddle(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", `
		const real = WebAssembly.instantiateStreaming;
		WebAssembly.instantiateStreaming = async (...args) => {
			const loaded = await real(...args);
			window.wasm = loaded.instance.exports;
			return loaded;
		};`+appScript))
	page.AllowExceptions()
	if n := connected(page, p.URL(), "{}"); n != 0 {
		t.Fatalf("%d calls came back", n)
	}
	counts(p, page, 6, 3, `{ key: "k" }`)
	page.WaitFor(`call.guarantee === "resumable"`)
	chrome.Script[chrome.Void](page, `try { wasm.input(1, 1, 1, 0, 0, 0x7fffffff, 0); } catch {}`)
	page.WaitFor(`mcp.state === "open" && (await mcp.calls()).find((one) => one === call)`)
	passes(p, "go", 4)
	outcome(t, page, "")
	counted(t, page, 6)
	once(t, p, "a")
}

// TestFault61_CrashedTab: the renderer dies, and the person opens the page again.
func TestFault61_CrashedTab(t *testing.T) {
	t.Parallel()
	p, site, page := threeOfSix(t)
	crashed(page)
	again := page.Profile().Open(site.URL + "/app")
	if n := connected(again, p.URL(), "{}"); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	again.WaitFor(`!call.followed`)
	passes(p, "go", 4)
	outcome(t, again, "")
	counted(t, again, 6)
	once(t, p, "a")
}

// crashed kills the renderer of a page, which therefore never answers.
func crashed(page *chrome.Page) {
	page.Do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		gone := make(chan struct{})
		if err := chromedp.Listen(ctx, func(event any) {
			if _, ok := event.(*inspector.EventTargetCrashed); ok {
				close(gone)
			}
		}); err != nil {
			return chromedp.Void{}, err
		}
		limited, cancel := context.WithTimeout(ctx, 5*time.Second)
		go func() {
			<-gone
			cancel()
		}()
		_, _ = cdp.Call(limited, t, crash.Crash, cdp.Empty{})
		return chromedp.Void{}, nil
	})
}

// TestFault85_FrozenWithAStoredCall: a tab in the background is frozen while its
// call goes on, and thrown away there, or thawed.
func TestFault85_FrozenWithAStoredCall(t *testing.T) {
	t.Parallel()
	for name, discarded := range map[string]bool{"thawed": false, "thrown away": true} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p, _, page := threeOfSix(t)
			page.Freeze()
			passes(p, "go", 2)
			eventually(t, "the server to go on", func() bool { return len(p.Oracle().Produced("a")) >= 5 })
			page.Thaw()
			if discarded {
				if n := reloaded(page, p.URL()); n != 1 {
					t.Fatalf("%d calls came back", n)
				}
			}
			passes(p, "go", 2)
			outcome(t, page, "")
			counted(t, page, 6)
			if runs := p.Oracle().Runs("a"); runs != 1 {
				t.Errorf("ran %d times", runs)
			}
		})
	}
}

// TestFault84_Slept: the machine sleeps with a stored call: its connections are
// dead and say nothing, and the server's patience (SEP-975) is over, or not.
func TestFault84_Slept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hours int
		code  string
	}{"eight hours": {8, "lost"}, "a nap": {0, ""}} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p, _, page := threeOfSix(t, peer.Resumable(peer.ResumePolicy{MaxWait: 3600}))
			page.Freeze()
			p.CutStreams(peer.FIN)
			eventually(t, "the stream to end", func() bool { return p.Oracle().OpenStreams("a") == 0 })
			p.Advance(time.Duration(test.hours) * time.Hour)
			p.Release("go")
			page.Thaw()
			outcome(t, page, test.code)
			if test.code == "" {
				counted(t, page, 6)
			} else {
				counted(t, page, 3)
			}
			once(t, p, "a")
			usable(t, page)
		})
	}
}
