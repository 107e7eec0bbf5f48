//go:build !js

package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/profiler"
	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// startLimit bounds the start of the browser, stopLimit its orderly end, and
// stepLimit one measurement: none of them is a result.
const (
	startLimit = 60 * time.Second
	stopLimit  = 20 * time.Second
	stepLimit  = 2 * time.Minute
)

// startBrowser starts Chrome, which ends with ctx; the function ends it in good
// order.
func startBrowser(ctx context.Context) (context.Context, func(), error) {
	path, err := chrome.Find()
	if err != nil {
		return nil, nil, err
	}
	chrome.Trust(certificate())
	allocator, release := chromedp.NewExecAllocator(ctx,
		chrome.StartOptions(path)...)
	browser, cancel := chromedp.NewContext(allocator)
	// The browser lives as long as the context of the first call, which may
	// therefore carry no deadline: a timer cuts a stuck start instead.
	stuck := time.AfterFunc(startLimit, cancel)
	err = chromedp.Do(browser)
	stuck.Stop()
	if err != nil {
		cancel()
		release()
		return nil, nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return browser, func() {
		limited, done := context.WithTimeout(browser, stopLimit)
		defer done()
		// Whether or not it leaves in good order, release ends the process.
		_ = chromedp.Cancel(limited)
		release()
	}, nil
}

// certificate is the one that all servers of httptest have.
func certificate() *x509.Certificate {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return s.Certificate()
}

// tab is a page with the rig, in a window of its own: a tab in the background
// has slow timers.
type tab struct {
	ctx   context.Context
	close context.CancelFunc
}

// openTab opens the page at url in a new, empty profile.
func openTab(browser context.Context, url string) (*tab, error) {
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	return openIn(ctx, cancel, url)
}

// beside opens the page at url in a further window of the tab's profile.
func (tab *tab) beside(url string) (*tab, error) {
	ctx, cancel := chromedp.NewContext(tab.ctx)
	return openIn(ctx, cancel, url)
}

// openIn opens the page at url in a window that ctx is for.
func openIn(ctx context.Context, cancel context.CancelFunc, url string) (*tab, error) {
	t := &tab{ctx: ctx, close: cancel}
	// The first call opens the tab and binds it to the context it is given.
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	// By the thread's own clock: what others do on the machine meanwhile is not the page's CPU.
	own := performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}
	if _, err := chromedp.Call(ctx, performance.Enable, own); err != nil {
		cancel()
		return nil, err
	}
	return t, t.visit(url)
}

// visit loads the page again.
func (tab *tab) visit(url string) error {
	return chromedp.Do(tab.ctx, chromedp.Navigate(url))
}

// run has the rig do something, and reads what it answers.
func run[T any](t *tab, method string, args ...any) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, stepLimit)
	defer cancel()
	given, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return *new(T), err
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](
		"rig."+method+"(..."+string(given)+")", chromedp.EvalAwaitPromise))
	if errors.Is(err, context.DeadlineExceeded) {
		how, _ := chromedp.Run(t.ctx, chromedp.Evaluate[string]("rig.standing()"))
		err = fmt.Errorf("%s has not ended in %v; %s", method, stepLimit, how)
	}
	return got, err
}

// metric reads one of CDP's Performance.getMetrics.
func (tab *tab) metric(name string) (float64, error) {
	got, err := chromedp.Call(tab.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	for _, m := range got.Metrics {
		if m.Name == name {
			return m.Value, nil
		}
	}
	return 0, errors.New("no metric " + name)
}

// taskTime is how much CPU the tasks of the page's main thread have taken, in ms.
func (tab *tab) taskTime() (float64, error) {
	seconds, err := tab.metric("TaskDuration")
	return seconds * 1000, err
}

// settle is how long a page gets to finish what it does behind a measurement's
// back, such as forgetting calls that are done with: it counts.
const settle = 100 * time.Millisecond

// busy is how long the main thread is busy with what f does, and with what comes
// of it, in ms.
func (tab *tab) busy(f func() error) (float64, error) {
	before, err := tab.taskTime()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	time.Sleep(settle)
	after, err := tab.taskTime()
	return after - before, err
}

// profile runs f under V8's sampling profiler and returns a .cpuprofile.
func (tab *tab) profile(f func() error) ([]byte, error) {
	if _, err := chromedp.Call(tab.ctx, profiler.Enable, cdp.Empty{}); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(tab.ctx, profiler.SetSamplingInterval,
		profiler.SetSamplingIntervalParams{Interval: 200}); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(tab.ctx, profiler.Start, cdp.Empty{}); err != nil {
		return nil, err
	}
	if err := f(); err != nil {
		return nil, err
	}
	got, err := chromedp.Call(tab.ctx, profiler.Stop, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(tab.ctx, profiler.Disable, cdp.Empty{}); err != nil {
		return nil, err
	}
	return json.Marshal(got.Profile)
}
