//go:build !js

package engines

import (
	"context"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// Chromium is Chromium or Chrome, as package chrome finds it. It is a process of
// the story's own here, since stories kill it.
type Chromium struct{}

// Name is "Chromium".
func (Chromium) Name() string { return "Chromium" }

// Find asks the one that all stories drive for its version.
func (Chromium) Find() (string, error) {
	path, err := chrome.Find()
	if err != nil {
		return "", err
	}
	return chrome.Version(path)
}

// blockedSiteData is the setting "Don't allow sites to save data on your device".
const blockedSiteData = `{"profile":{"default_content_setting_values":{"cookies":2}}}`

// Start starts a headless one.
func (Chromium) Start(ctx context.Context, o Options) (Browser, error) {
	path, err := chrome.Find()
	if err != nil {
		return nil, err
	}
	if o.Blocked {
		place := filepath.Join(o.Profile, "Default")
		if err := os.MkdirAll(place, 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(place, "Preferences"), []byte(blockedSiteData),
			0o644); err != nil {
			return nil, err
		}
	}
	options := append(chrome.StartOptions(path, chromedp.UserDataDir(o.Profile)),
		chromedp.Flag("ignore-certificate-errors", o.AnyCertificate))
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	first, cancel := chromedp.NewContext(allocator)
	c := &chromium{first: first, release: func() { cancel(); release() }}
	// chromedp ties the life of the browser to the context of the first call,
	// so that it may carry no deadline.
	stuck := context.AfterFunc(ctx, cancel)
	err = chromedp.Do(first)
	stuck()
	if err != nil {
		c.release()
		return nil, err
	}
	if o.Private {
		return c.User(ctx) // its profile is off the record, as that of an incognito window
	}
	return c, nil
}

// chromium is one that runs.
type chromium struct {
	first   context.Context // of its first tab, with which it would end: that stays empty
	release func()
	user    cdp.BrowserContextID // "" is the profile's own
	tabs    []*chromiumTab
}

func (c *chromium) Open(ctx context.Context, url string) (Tab, error) {
	var which []chromedp.ContextOption
	if c.user != "" {
		which = append(which, chromedp.WithExistingBrowserContext(c.user))
	}
	t := &chromiumTab{}
	t.ctx, t.cancel = chromedp.NewContext(c.first, which...)
	if err := chromedp.Do(t.ctx); err != nil {
		return nil, err
	}
	c.tabs = append(c.tabs, t)
	return t, t.Navigate(ctx, url)
}

func (c *chromium) User(ctx context.Context) (Browser, error) {
	limited, cancel := within(ctx, c.first)
	defer cancel()
	made, err := chromedp.CallBrowser(limited, target.CreateBrowserContext,
		target.CreateBrowserContextParams{})
	if err != nil {
		return nil, err
	}
	return &chromium{first: c.first, release: c.release, user: made.BrowserContextID}, nil
}

func (c *chromium) Leave(ctx context.Context) error {
	for _, t := range c.tabs {
		t.cancel()
	}
	limited, cancel := within(ctx, c.first)
	defer cancel()
	_, err := chromedp.CallBrowser(limited, target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: c.user})
	return err
}

func (c *chromium) Offline(ctx context.Context, offline bool) error {
	for _, t := range c.tabs {
		err := t.do(ctx,
			chromedp.Func(
				func(ctx context.Context, t *chromedp.Target) error {
					return chrome.EmulateOffline(
						ctx, t, offline)
				}))
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *chromium) Kill() {
	if process := chromedp.FromContext(c.first).Browser.Process(); process != nil {
		_ = process.Kill() // or it has ended already
	}
	c.release()
}

// chromiumTab is a tab. None is ever hidden: headless Chromium hides none.
type chromiumTab struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// within is a context of chromedp's that also ends with another one.
func within(ctx, chromedps context.Context) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithCancel(chromedps)
	stop := context.AfterFunc(ctx, cancel)
	return limited, func() { stop(); cancel() }
}

func (tab *chromiumTab) do(ctx context.Context, steps ...chromedp.Action[chromedp.Void]) error {
	limited, cancel := within(ctx, tab.ctx)
	defer cancel()
	return chromedp.Do(limited, steps...)
}

func (tab *chromiumTab) Evaluate(ctx context.Context, expression string) (string, error) {
	limited, cancel := within(ctx, tab.ctx)
	defer cancel()
	return chromedp.Run(limited, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
}

func (tab *chromiumTab) Navigate(ctx context.Context, url string) error {
	return tab.do(ctx, chromedp.Navigate(url))
}

func (tab *chromiumTab) Reload(ctx context.Context) error { return tab.do(ctx, chromedp.Reload()) }

func (tab *chromiumTab) Close(context.Context) error {
	tab.cancel()
	return nil
}
