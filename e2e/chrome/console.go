//go:build !js

package chrome

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// console holds what a tab wrote to its console. chromedp hands the messages
// to a goroutine of ours some time after they arrive; arrived is counted in the
// order of the protocol, so a reader knows how many it still has to wait for.
type console struct {
	mu       sync.Mutex
	changed  *sync.Cond
	arrived  int
	messages []chromedp.ConsoleMessage
	ended    bool
}

// listen collects the console of the tab of ctx until the tab closes.
func listen(ctx context.Context) *console {
	c := &console{}
	c.changed = sync.NewCond(&c.mu)
	messages := chromedp.Console(ctx)
	// An error here means that the tab is gone, which the reader sees as well.
	_ = chromedp.Listen(ctx, c.count)
	go c.read(messages)
	return c
}

func (c *console) count(event any) {
	switch event.(type) {
	case *runtime.EventConsoleAPICalled, *runtime.EventExceptionThrown, *log.EventEntryAdded:
		c.mu.Lock()
		c.arrived++
		c.mu.Unlock()
	}
}

func (c *console) read(messages func(func(chromedp.ConsoleMessage, error) bool)) {
	for message, err := range messages {
		c.mu.Lock()
		if err == nil {
			c.messages = append(c.messages, message)
		}
		c.changed.Broadcast()
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.ended = true
	c.changed.Broadcast()
	c.mu.Unlock()
}

// all returns the messages so far, none missing that arrived before the call.
func (c *console) all() []chromedp.ConsoleMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.messages) < c.arrived && !c.ended {
		c.changed.Wait()
	}
	return c.messages[:len(c.messages):len(c.messages)]
}

// Console returns the lines that the page wrote to its console so far, each
// with its kind in front: "log: connected". Exceptions that nothing caught and
// the browser's own complaints are among them.
func (p *Page) Console() []string {
	var lines []string
	for _, message := range p.messages() {
		lines = append(lines, message.String())
	}
	return lines
}

// Exceptions returns what the page threw, or rejected, and did not catch.
func (p *Page) Exceptions() []string {
	var thrown []string
	for _, message := range p.messages() {
		if message.IsException() {
			thrown = append(thrown, message.Text)
		}
	}
	return thrown
}

// Uncaught returns the same as a person reads it in the console, with the stack.
func (p *Page) Uncaught() []string {
	var shown []string
	for _, message := range p.messages() {
		if message.IsException() && message.Exception != nil && message.Exception.Exception != nil {
			shown = append(shown, message.Exception.Exception.Description)
		}
	}
	return shown
}

// messages asks the page something first: its events come before the answer, so
// everything it has written by now has arrived. A dead page cannot answer and
// has nothing to add.
func (p *Page) messages() []chromedp.ConsoleMessage {
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	_ = chromedp.Do(ctx, chromedp.Evaluate[Void](`0`))
	return p.console.all()
}

// allowance says which uncaught exceptions do not fail the test.
type allowance struct {
	all        bool
	containing []string
}

// AllowExceptions lets the page throw without failing the test: exceptions
// whose text contains one of the given texts, or all when none is given.
func (p *Page) AllowExceptions(containing ...string) {
	p.allowed.all = p.allowed.all || len(containing) == 0
	p.allowed.containing = append(p.allowed.containing, containing...)
}

func (a allowance) permits(text string) bool {
	for _, part := range a.containing {
		if strings.Contains(text, part) {
			return true
		}
	}
	return a.all
}

// checkExceptions fails the test for each exception that was not allowed.
func (p *Page) checkExceptions() {
	p.t.Helper()
	for _, text := range p.Exceptions() {
		if !p.allowed.permits(text) {
			p.t.Errorf("chrome: the page threw: %s", text)
		}
	}
}
