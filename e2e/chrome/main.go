//go:build !js

package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// mainRuns tells pages that somebody will close the browser they start.
var mainRuns bool

// mustBe are the files that pages of this package load, below the module's root.
var mustBe []string

// Main runs the tests of a package, then closes the browser, and exits. It
// fails the run when a tab, the browser process or its profile directory is
// left behind. Call it from TestMain. A test that makes a site or a profile fails at
// once where one of the files that it names has not been built.
func Main(m *testing.M, built ...string) {
	mainRuns = true
	mustBe = built
	// Every temporary directory of this run goes below one place, so that what
	// is left there at the end is ours.
	scratch, err := os.MkdirTemp("", "holdfast-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("TMPDIR", scratch)

	code := m.Run()
	if err := errors.Join(shared.close(), leftovers(scratch), os.RemoveAll(scratch)); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL: the browser left something behind:", err)
		code = 1
	}
	os.Exit(code)
}

// isBuilt ends the test where a file is missing that its pages would wait for.
func isBuilt(t testing.TB) {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatalf("chrome: %v", err)
	}
	if path := missing(root, mustBe); path != "" {
		t.Fatalf("chrome: %s is not built: run make build", path)
	}
}

// missing returns the first of the files below root that is not there.
func missing(root string, paths []string) string {
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			return path
		}
	}
	return ""
}

// close stops the browser, if one was started, and reports what outlives it.
func (b *browser) close() error {
	if b.ctx == nil {
		return nil
	}
	tabs := b.openTabs()
	process := chromedp.FromContext(b.ctx).Browser.Process()
	b.shutdown()
	if process != nil && !errors.Is(process.Signal(os.Interrupt), os.ErrProcessDone) {
		return errors.Join(tabs, fmt.Errorf("process %d still runs", process.Pid))
	}
	return tabs
}

// openTabs waits until only the browser's first, empty tab is left: Chrome
// answers a close before the tab is gone.
func (b *browser) openTabs() error {
	ctx, cancel := context.WithTimeout(b.ctx, stopLimit)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		targets, err := chromedp.Targets(ctx)
		if err != nil {
			return fmt.Errorf("listing tabs: %w", err)
		}
		var open []string
		for _, target := range targets {
			if target.Type == "page" && target.URL != "about:blank" {
				open = append(open, target.URL)
			}
		}
		if len(open) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("tabs still open: %s", strings.Join(open, ", "))
		case <-again.C:
		}
	}
}

// leftovers reports the browser profiles that are still in scratch.
func leftovers(scratch string) error {
	profiles, err := filepath.Glob(filepath.Join(scratch, "chromedp-runner*"))
	if err != nil || len(profiles) == 0 {
		return err
	}
	return fmt.Errorf("profile directories not removed: %s", strings.Join(profiles, ", "))
}
