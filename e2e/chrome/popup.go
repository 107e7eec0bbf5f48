//go:build !js

package chrome

import (
	"context"
	"strings"
	"time"

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
	limit, done := context.WithTimeout(browser, Patience)
	defer done()
	again := time.NewTicker(pollLast)
	defer again.Stop()
	for {
		targets, err := chromedp.Targets(limit)
		if err != nil {
			f.t.Fatalf("chrome: waited for a window at %s: %v", address, err)
		}
		for _, info := range targets {
			if info.Type != "page" || info.BrowserContextID != f.id || !strings.HasPrefix(info.URL, address) {
				continue
			}
			ctx, detach := chromedp.NewContext(browser, chromedp.WithTargetID(info.TargetID), chromedp.WithDetachOnCancel())
			f.t.Cleanup(detach)
			if err := chromedp.Do(ctx); err != nil {
				f.t.Fatalf("chrome: a window at %s: %v", address, err)
			}
			return &Page{t: f.t, profile: f, ctx: ctx, cancel: detach}
		}
		select {
		case <-limit.Done():
			f.t.Fatalf("chrome: waited %v for a window at %s", Patience, address)
		case <-again.C:
		}
	}
}
