//go:build !js

package chrome

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// Screenshot writes what the viewport shows to path, as PNG, and makes the
// folders on the way.
func (p *Page) Screenshot(path string) {
	p.t.Helper()
	p.drawn()
	if err := save(path, Run(p, chromedp.CaptureScreenshot())); err != nil {
		p.t.Fatalf("chrome: %v", err)
	}
}

func save(path string, image []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, image, 0o644)
}

// unfit matches what has no place in a file name.
var unfit = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// describe logs the console of the page and a screenshot of it, for a test
// that failed. It must not fail by itself: the page may be dead.
func (p *Page) describe() {
	lines := p.Console()
	if len(lines) == 0 {
		lines = []string{"(empty)"}
	}
	p.t.Logf("console of the page:\n\t%s", strings.Join(lines, "\n\t"))

	p.describeLocks()

	root, err := moduleroot.Find()
	if err != nil || p.windowless {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
	defer cancel()
	image, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Logf("no screenshot: %v", err)
		return
	}
	path := filepath.Join(root, "web", "build", "failures", unfit.ReplaceAllString(p.t.Name(), "_")+".png")
	if err := save(path, image); err != nil {
		p.t.Logf("no screenshot: %v", err)
		return
	}
	p.t.Logf("screenshot: %s", path)
}

// locksAndCalls is the locks that the pages of the origin have and wait for, and what a
// story has noted of its calls (window.trails): where a test waited in vain it is seldom
// made a second time, and these say who waited for whom.
const locksAndCalls = `(async () => {
	const { held = [], pending = [] } = await navigator.locks?.query() ?? {};
	const names = (list) => list.map(({ name, mode, clientId }) => name + " " + mode + " " + clientId.slice(0, 8));
	return JSON.stringify({ held: names(held), pending: names(pending), trails: window.trails }).slice(0, 8_000);
})()`

func (p *Page) describeLocks() {
	ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](locksAndCalls, chromedp.EvalAwaitPromise))
	if err != nil {
		text = err.Error()
	}
	p.t.Logf("locks and calls of the page: %s", text)
}
