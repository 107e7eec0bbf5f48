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
	t       testing.TB
	id      cdp.BrowserContextID
	windows bool
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

// InWindows gives each tab that is opened from now on a window of its own: see
// [Profile.Open].
func (f *Profile) InWindows() *Profile {
	f.windows = true
	return f
}

// Open opens a tab of the profile on url and waits for its load event. The page is
// visible like that of any other tab, and yet it has no window: nothing is laid out or
// drawn, no animation frame and no idle callback comes, and there is no back/forward cache. It saves half of
// what a tab costs. A story of these things asks for [Profile.InWindows].
func (f *Profile) Open(url string) *Page {
	f.t.Helper()
	browser, err := shared.context()
	if err != nil {
		f.t.Fatalf("chrome: %v", err)
	}
	which := chromedp.WithExistingBrowserContext(f.id)
	windowless := false
	if !f.windows && !headful() {
		// A browser that knows tabs with a window only opens one, or says no.
		id, err := f.openWindowless(browser)
		if windowless = err == nil; windowless {
			which = chromedp.WithTargetID(id)
		}
	}
	ctx, cancel := chromedp.NewContext(browser, which)
	page := &Page{t: f.t, profile: f, ctx: ctx, cancel: cancel, windowless: windowless}
	f.t.Cleanup(page.finish)
	// The first call binds the tab to ctx; deadlines come later, on contexts derived
	// from it.
	if err := chromedp.Do(ctx); err != nil {
		f.t.Fatalf("chrome: opening a tab: %v", err)
	}
	page.console = listen(ctx)
	page.Do(chromedp.Navigate(url))
	return page
}

func (f *Profile) openWindowless(browser context.Context) (target.ID, error) {
	ctx, cancel := context.WithTimeout(browser, Patience)
	defer cancel()
	yes := true
	made, err := chromedp.CallBrowser(ctx, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: f.id, Hidden: &yes,
	})
	return made.TargetID, err
}
