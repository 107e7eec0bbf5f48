//go:build !js

package chrome

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// SharedWorker is a shared worker of a profile. It may have no page.
type SharedWorker struct {
	// ID is another one for each worker, also where the name is the same.
	ID target.ID
	// URL is the address of its script.
	URL string

	profile *Profile
}

// SharedWorkers returns the shared workers that live in the profile.
func (f *Profile) SharedWorkers() []SharedWorker {
	f.t.Helper()
	browser, err := shared.context()
	if err != nil {
		f.t.Fatalf("chrome: %v", err)
	}
	ctx, cancel := context.WithTimeout(browser, Patience)
	defer cancel()
	targets, err := chromedp.Targets(ctx)
	if err != nil {
		f.t.Fatalf("chrome: listing workers: %v", err)
	}
	var found []SharedWorker
	for _, info := range targets {
		if info.Type == "shared_worker" && info.BrowserContextID == f.id {
			found = append(found, SharedWorker{ID: info.TargetID, URL: info.URL, profile: f})
		}
	}
	slices.SortFunc(found, func(a, b SharedWorker) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return found
}

// Heap returns how many bytes of JavaScript the worker holds when what is garbage has
// been collected.
func (w SharedWorker) Heap() int64 {
	t := w.profile.t
	t.Helper()
	browser, err := shared.context()
	if err != nil {
		t.Fatalf("chrome: %v", err)
	}
	ctx, detach := chromedp.NewContext(browser, chromedp.WithTargetID(w.ID), chromedp.WithDetachOnCancel())
	defer detach()
	var used float64
	err = chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			return err
		}
		usage, err := cdp.Call(ctx, t, runtime.GetHeapUsage, cdp.Empty{})
		if err == nil {
			used = usage.UsedSize
		}
		return err
	}))
	if err != nil {
		t.Fatalf("chrome: measuring a worker: %v", err)
	}
	return int64(used)
}

// Kill ends the worker as a lack of memory does: neither it nor its pages see
// anything, and its locks are free. It returns when Chrome has it no more, which may have
// been so before.
//
// Chrome gives the name of a worker that is debugged to a worker that waits for
// the debugger, so that nothing here attaches to it.
func (w SharedWorker) Kill() {
	t := w.profile.t
	t.Helper()
	browser, err := shared.context()
	if err != nil {
		t.Fatalf("chrome: %v", err)
	}
	ctx, cancel := context.WithTimeout(browser, Patience)
	defer cancel()
	lives := func() bool {
		return slices.ContainsFunc(w.profile.SharedWorkers(),
			func(o SharedWorker) bool { return o.ID == w.ID })
	}
	if _, err := chromedp.CallBrowser(ctx, target.CloseTarget,
		target.CloseTargetParams{TargetID: w.ID}); err != nil && lives() {
		t.Fatalf("chrome: killing a worker: %v", err)
	}
	again := time.NewTicker(pollFirst)
	defer again.Stop()
	for lives() {
		select {
		case <-ctx.Done():
			t.Fatal("chrome: a worker that was killed lives on")
		case <-again.C:
		}
	}
}
