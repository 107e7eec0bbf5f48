//go:build !js

package chrome

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// startLimit bounds the start of the browser, stopLimit its orderly end. Both
// are far above what a loaded machine needs.
const (
	startLimit = 60 * time.Second
	stopLimit  = 20 * time.Second
)

// shared is the one browser of this test binary.
var shared browser

// browser is a Chrome process that starts when the first page asks for it.
type browser struct {
	once     sync.Once
	err      error           // why it did not start
	ctx      context.Context // chromedp's root context; nil until started
	shutdown func()          // stops the process and removes its profile directory
}

// context starts the browser on its first call and returns chromedp's context
// for it, the parent of every tab.
func (b *browser) context() (context.Context, error) {
	b.once.Do(func() { b.err = b.start() })
	return b.ctx, b.err
}

func (b *browser) start() error {
	path, err := Find()
	if err != nil {
		return err
	}
	options := StartOptions(path)
	if headful() {
		options = append(options, chromedp.VisibleWindow)
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)

	// chromedp ties the life of the browser to the context of the first call,
	// so that context may carry no deadline: a timer cuts a stuck start instead.
	stuck := time.AfterFunc(startLimit, cancel)
	err = chromedp.Do(ctx)
	stuck.Stop()
	if err != nil {
		cancel()
		release()
		return fmt.Errorf("starting %s: %w", path, err)
	}
	b.ctx = ctx
	b.shutdown = func() {
		limited, done := context.WithTimeout(ctx, stopLimit)
		defer done()
		// Whether or not it leaves in good order, release ends the process.
		_ = chromedp.Cancel(limited)
		release()
	}
	return nil
}

// headful says whether somebody wants to look on.
func headful() bool { return os.Getenv("CHROME_HEADFUL") == "1" }
