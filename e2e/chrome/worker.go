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

// Kill ends the worker as a lack of memory does: neither it nor its pages see
// anything, and its locks are free. It returns when Chrome has it no more.
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
	if _, err := chromedp.CallBrowser(ctx, target.CloseTarget, target.CloseTargetParams{TargetID: w.ID}); err != nil {
		t.Fatalf("chrome: killing a worker: %v", err)
	}
	again := time.NewTicker(pollFirst)
	defer again.Stop()
	for slices.ContainsFunc(w.profile.SharedWorkers(), func(o SharedWorker) bool { return o.ID == w.ID }) {
		select {
		case <-ctx.Done():
			t.Fatal("chrome: a worker that was killed lives on")
		case <-again.C:
		}
	}
}
