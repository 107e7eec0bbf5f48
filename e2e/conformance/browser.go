//go:build !js

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// startLimit bounds the start of the browser, stopLimit its orderly end, and
// that of a tab.
const (
	startLimit = 60 * time.Second
	stopLimit  = 10 * time.Second
)

// A page is asked every askEvery whether it has ended, and has askLimit to answer.
const (
	askEvery = 50 * time.Millisecond
	askLimit = 2 * time.Second
)

// browser is one Chrome behind a proxy. Each scenario gets a profile and an
// origin of its own in it.
type browser struct {
	ctx     context.Context // chromedp's root context
	dist    string          // folder of the built module
	log     func(task, []string)
	release func()
}

func startBrowser(proxy, dist string, log func(task, []string)) (*browser, error) {
	path, err := chrome.Find()
	if err != nil {
		return nil, err
	}
	options := chrome.StartOptions(path,
		chromedp.Flag("proxy-server", proxy),
		// Chrome leaves loopback out of a proxy's reach unless told otherwise.
		chromedp.Flag("proxy-bypass-list", "<-loopback>"),
	)
	if os.Getenv("CHROME_HEADFUL") == "1" {
		options = append(options, chromedp.VisibleWindow)
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	// The browser lives as long as the context of the first call, which may
	// therefore carry no deadline: a timer cuts a stuck start instead.
	stuck := time.AfterFunc(startLimit, cancel)
	err = chromedp.Do(ctx)
	stuck.Stop()
	if err != nil {
		cancel()
		release()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return &browser{ctx: ctx, dist: dist, log: log, release: release}, nil
}

func (b *browser) close() {
	ctx, cancel := context.WithTimeout(b.ctx, stopLimit)
	defer cancel()
	// Whether or not it leaves in good order, release ends the process.
	_ = chromedp.Cancel(ctx)
	b.release()
}

// drive opens a page in a new profile, on a new origin, and has it do a task
// until it has ended or ctx has.
func (b *browser) drive(ctx context.Context, t task) (result, error) {
	site := newSite(b.dist)
	defer site.Close()
	tab, closeTab := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	defer closeTab()
	// The first call opens the tab and binds it to the context it is given.
	if err := chromedp.Do(tab); err != nil {
		return result{}, fmt.Errorf("opening a tab: %w", err)
	}
	heard := listen(tab)
	defer func() { b.log(t, heard.lines()) }()

	deadline, cancel := context.WithCancel(tab)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	argument, err := json.Marshal(t)
	if err != nil {
		return result{}, err
	}
	if err := chromedp.Do(deadline, chromedp.Navigate(site.URL+"/#"+url.PathEscape(string(argument)))); err !=
		nil {
		return result{}, err
	}
	return ended(deadline)
}

// ended waits for what the page says of its end. It asks again and again: a page that
// signs in by a redirect goes away and comes back, and a question to it is lost meanwhile.
func ended(ctx context.Context) (result, error) {
	again := time.NewTicker(askEvery)
	defer again.Stop()
	for {
		once, cancel := context.WithTimeout(ctx, askLimit)
		got, err := chromedp.Run(once, chromedp.Evaluate[*result](`window.ended ?? null`))
		cancel()
		if err == nil && got != nil {
			return *got, nil
		}
		select {
		case <-ctx.Done():
			return result{}, ctx.Err()
		case <-again.C:
		}
	}
}

// console gathers what a page writes to its console, for people to look at.
type console struct {
	mu  sync.Mutex
	all []string
}

func listen(tab context.Context) *console {
	c := new(console)
	messages := chromedp.Console(tab)
	go func() {
		for message, err := range messages {
			if err != nil {
				continue
			}
			c.mu.Lock()
			c.all = append(c.all, strings.TrimSpace(message.String()))
			c.mu.Unlock()
		}
	}()
	return c
}

func (c *console) lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.all...)
}
