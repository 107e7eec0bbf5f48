//go:build !js

package chrome

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Patience is the deadline of one command or one wait. It says how long a story that
// fails takes, and nothing of how quick anything has to be: it is far above what a
// machine needs that is busy with something else.
const Patience = 90 * time.Second

// Void is the type of a script whose value nobody reads.
type Void = chromedp.Void

// Page is one tab. Its methods end the test when they fail, and must be called
// from the goroutine of the test.
type Page struct {
	t       testing.TB
	profile *Profile
	ctx     context.Context // the tab lives as long as this
	cancel  context.CancelFunc
	console *console
	allowed allowance
	closed  bool

	windowless bool
	window     target.ID // of one that Popup has found
}

// drawn ends the test where the page has no window: what it asks for would wait for ever.
func (p *Page) drawn() {
	p.t.Helper()
	if p.windowless {
		p.t.Fatal("chrome: this needs a tab with a window: OpenWindow, or InWindows of its profile")
	}
}

// Open opens url in a tab of a new, empty profile and waits for its load event.
// The tab closes when the test ends. It has no window: see [Profile.Open].
func Open(t testing.TB, url string) *Page {
	t.Helper()
	return NewProfile(t).Open(url)
}

// OpenWindow is [Open] for a page that is looked at, or that comes back from the
// back/forward cache: see [Profile.InWindows].
func OpenWindow(t testing.TB, url string) *Page {
	t.Helper()
	return NewProfile(t).InWindows().Open(url)
}

// Profile returns the profile of the page, to open a second tab in it.
func (p *Page) Profile() *Profile { return p.profile }

// Navigate goes to url and waits for its load event.
func (p *Page) Navigate(url string) {
	p.t.Helper()
	kill := p.outliving()
	p.Do(chromedp.Navigate(url))
	kill()
}

// Reload reloads the page and waits for its load event.
func (p *Page) Reload() {
	p.t.Helper()
	if HostOf(p.t) == KilledHost {
		// A page that is there when its worker is killed would start another one.
		address := Eval[string](p, `location.href`)
		kill := p.outliving()
		p.Do(chromedp.Navigate("about:blank"))
		kill()
		p.Do(chromedp.Navigate(address))
		return
	}
	p.Do(chromedp.Reload())
}

// Back goes one entry back in the history and waits until the address has
// changed. It works where Chrome restores the page from its back/forward
// cache, which fires no load event for chromedp.NavigateBack to wait for.
func (p *Page) Back() { p.t.Helper(); p.visit(-1) }

// Forward goes on in the tab's history again, as a user does.
func (p *Page) Forward() { p.t.Helper(); p.visit(1) }

// visit goes so many entries on in the history. The page asked for is there when it
// returns; whether its pageshow has been told is not known.
func (p *Page) visit(on int64) {
	p.t.Helper()
	p.drawn()
	history := Call(p, page.GetNavigationHistory, cdp.Empty{})
	at := history.CurrentIndex + on
	if at < 0 || at >= int64(len(history.Entries)) {
		p.t.Fatal("chrome: no such page in the history")
	}
	entry := history.Entries[at]
	Call(p, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID})
	p.WaitFor(`location.href === ` + JS(entry.URL))
}

// Close closes the tab before the test ends, as a user would: the page sees
// pagehide. The other tabs of its profile live on.
func (p *Page) Close() {
	p.t.Helper()
	if p.closed {
		return
	}
	p.checkExceptions()
	p.closed = true
	kill := p.outliving()
	p.cancel()
	kill()
}

// Crash ends the renderer of the tab, as a lack of memory does: the page sees
// nothing, and its tab closes soon after.
func (p *Page) Crash() {
	p.t.Helper()
	if p.closed {
		return
	}
	p.checkExceptions()
	p.closed = true
	p.outliving()()
	go func() {
		// A renderer that is gone does not answer.
		ctx, cancel := context.WithTimeout(p.ctx, crashTime)
		defer cancel()
		_ = chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, page.Crash, cdp.Empty{})
			return err
		}))
		p.cancel()
	}()
}

// crashTime is how long a renderer that crashes may take for it.
const crashTime = 5 * time.Second

// Do runs chromedp actions on the tab, in order, under one deadline.
func (p *Page) Do(steps ...chromedp.Action[Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("chrome: %v", err)
	}
}

// Run runs one chromedp action on the tab and returns its value.
func Run[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("chrome: %v", err)
	}
	return value
}

// Call sends one command of the DevTools protocol to the tab: the way to
// everything that has no method here.
func Call[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	return Run(p, func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, command, params)
	})
}

// finish runs when the test ends: it shows what a failed test needs shown, and
// closes the tab.
func (p *Page) finish() {
	if p.closed || p.console == nil {
		p.cancel()
		return
	}
	p.checkExceptions()
	if p.t.Failed() {
		p.describe()
	}
	p.closed = true
	p.cancel()
}
