//go:build !js

package chrome

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Popup waits for a window that a page of the profile has opened and that has come to an address
// that begins so. It is the page's own: it closes with what the page does to it, or with the profile.
func (f *Profile) Popup(address string) *Page {
	f.t.Helper()
	browser, err := shared.context()
	if err != nil {
		f.t.Fatalf("chrome: %v", err)
	}
	id := f.popup(browser, address)
	ctx, detach := chromedp.NewContext(browser, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel())
	f.t.Cleanup(detach)
	if err := chromedp.Do(ctx); err != nil {
		f.t.Fatalf("chrome: a window at %s: %v", address, err)
	}
	return &Page{t: f.t, profile: f, ctx: ctx, cancel: detach, window: id}
}

// CloseWindow closes a window that Popup has found, as a person does, and waits until it is gone.
func (p *Page) CloseWindow() {
	p.t.Helper()
	browser, err := shared.context()
	if err != nil {
		p.t.Fatalf("chrome: %v", err)
	}
	if _, err := chromedp.CallBrowser(browser, target.CloseTarget,
		target.CloseTargetParams{TargetID: p.window}); err != nil {
		p.t.Fatalf("chrome: closing a window: %v", err)
	}
	p.profile.awaitTargets(browser, "a window to be gone", func(all []*target.Info) bool {
		return !slices.ContainsFunc(all, func(info *target.Info) bool { return info.TargetID == p.window })
	})
}

// popup waits for a window of the profile at an address that begins so.
func (f *Profile) popup(browser context.Context, address string) (id target.ID) {
	f.t.Helper()
	f.awaitTargets(browser, "a window at "+address, func(all []*target.Info) bool {
		at := slices.IndexFunc(all, func(info *target.Info) bool {
			return info.Type == "page" && info.BrowserContextID == f.id &&
				strings.HasPrefix(info.URL, address)
		})
		if at >= 0 {
			id = all[at].TargetID
		}
		return at >= 0
	})
	return id
}

// awaitTargets waits until the browser's targets are as they should be.
func (f *Profile) awaitTargets(browser context.Context, what string, as func([]*target.Info) bool) {
	f.t.Helper()
	limit, done := context.WithTimeout(browser, Patience)
	defer done()
	again := time.NewTicker(pollLast)
	defer again.Stop()
	for {
		targets, err := chromedp.Targets(limit)
		if err != nil {
			f.t.Fatalf("chrome: waited for %s: %v", what, err)
		}
		if as(targets) {
			return
		}
		select {
		case <-limit.Done():
			f.t.Fatalf("chrome: waited %v for %s", Patience, what)
		case <-again.C:
		}
	}
}
