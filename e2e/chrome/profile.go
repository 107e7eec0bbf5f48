//go:build !js

package chrome

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Profile is one user's browser: its tabs share storage, locks and broadcast
// channels with each other and with no other profile. It ends with its test.
type Profile struct {
	t  testing.TB
	id cdp.BrowserContextID
}

// NewProfile makes an empty profile. Stories with more than one tab start
// here; [Open] is enough for the others.
func NewProfile(t testing.TB) *Profile {
	t.Helper()
	if !mainRuns {
		t.Fatal("chrome: this package needs func TestMain(m *testing.M) { chrome.Main(m) }")
	}
	isBuilt(t)
	browser, err := shared.context()
	if err != nil {
		t.Fatalf("chrome: %v", err)
	}
	ctx, cancel := context.WithTimeout(browser, Patience)
	defer cancel()
	made, err := chromedp.CallBrowser(ctx, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		t.Fatalf("chrome: making a profile: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(browser, Patience)
		defer cancel()
		params := target.DisposeBrowserContextParams{BrowserContextID: made.BrowserContextID}
		if _, err := chromedp.CallBrowser(ctx, target.DisposeBrowserContext, params); err != nil {
			t.Errorf("chrome: ending a profile: %v", err)
		}
	})
	return &Profile{t: t, id: made.BrowserContextID}
}

// Open opens a tab of the profile on url and waits for its load event. The tab
// has a window of its own, so it is visible like the others.
func (f *Profile) Open(url string) *Page {
	f.t.Helper()
	browser, err := shared.context()
	if err != nil {
		f.t.Fatalf("chrome: %v", err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithExistingBrowserContext(f.id))
	page := &Page{t: f.t, profile: f, ctx: ctx, cancel: cancel}
	f.t.Cleanup(page.finish)
	// The first call opens the tab and binds it to ctx; deadlines come later, on
	// contexts derived from it.
	if err := chromedp.Do(ctx); err != nil {
		f.t.Fatalf("chrome: opening a tab: %v", err)
	}
	page.console = listen(ctx)
	page.Navigate(url)
	return page
}
