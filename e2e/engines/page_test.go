//go:build !js

package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A page is a tab of a scene, whose failures end the test.
type page struct {
	s      *scene
	tab    Tab
	closed bool
}

// void is the type of a script whose value nobody reads.
type void = any

// eval evaluates an expression and returns its value; a promise is awaited.
func eval[T any](p *page, expression string) T {
	p.s.Helper()
	p.s.ask(expression)
	text, err := p.tab.Evaluate(p.s.ctx, `(async () => JSON.stringify((await (`+expression+`)) ?? null))()`)
	if err != nil {
		p.s.fail("%v", err)
	}
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		p.s.fail("%s is no %T: %v", text, value, err)
	}
	return value
}

// run runs statements as the body of an async function.
func (p *page) run(body string) {
	p.s.Helper()
	eval[void](p, "(async () => {\n"+body+"\n})()")
}

// look evaluates an expression whatever has become of the story, for a report.
func (p *page) look(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.s.limits.look)
	defer cancel()
	return p.tab.Evaluate(ctx, `(async () => JSON.stringify(`+expression+`))()`)
}

// A wait asks again after pollFirst, then less and less often, up to every pollLast. A question that
// a navigation has swallowed is given up after pollLimit.
const (
	pollFirst = 15 * time.Millisecond
	pollLast  = 120 * time.Millisecond
	pollLimit = 5 * time.Second
)

// waitFor waits until an expression is truthy. What throws is not yet so.
func (p *page) waitFor(predicate string) {
	p.s.Helper()
	p.s.ask("to wait for " + predicate)
	question := `(async () => {
		try {
			return (await (` + predicate + `)) ? "yes" : "it was falsy";
		} catch (error) {
			return "it threw " + String(error);
		}
	})()`
	lately, pause := "", pollFirst
	again := time.NewTimer(pause)
	defer again.Stop()
	for {
		ctx, cancel := context.WithTimeout(p.s.ctx, pollLimit)
		text, err := p.tab.Evaluate(ctx, question)
		cancel()
		switch {
		case err == nil && text == "yes":
			return
		case err == nil:
			lately = text
		case p.s.ctx.Err() == nil:
			lately = err.Error()
		}
		select {
		case <-p.s.ctx.Done():
			p.s.fail("at last %s", lately)
		case <-again.C:
			pause = min(pause*5/4, pollLast)
			again.Reset(pause)
		}
	}
}

// reload loads the page again.
func (p *page) reload() {
	p.s.Helper()
	p.s.ask("to reload")
	if err := p.tab.Reload(p.s.ctx); err != nil {
		p.s.fail("%v", err)
	}
}

// navigate goes to an address.
func (p *page) navigate(url string) {
	p.s.Helper()
	p.s.ask("to go to " + url)
	if err := p.tab.Navigate(p.s.ctx, url); err != nil {
		p.s.fail("%v", err)
	}
}

// close closes the page, as a user does.
func (p *page) close() {
	p.s.Helper()
	p.s.ask("to close a page")
	if err := p.tab.Close(p.s.ctx); err != nil {
		p.s.fail("%v", err)
	}
	p.closed = true
}

// eventually waits for something outside of the browser, within the story's limit.
func (s *scene) eventually(what string, ok func() bool) {
	s.Helper()
	s.ask(fmt.Sprintf("nothing, while the test waited for %s", what))
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-s.ctx.Done():
			s.fail("there is no end of it")
		case <-again.C:
		}
	}
}
