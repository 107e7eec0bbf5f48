//go:build !js

package chrome

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// Waiting asks again after pollFirst, then less and less often, up to every pollLast:
// each question is work for the browser, which other stories share. One answer may
// take up to pollLimit: a busy main thread is slow to answer, and a question lost to a
// navigation is never answered at all.
const (
	pollFirst = 15 * time.Millisecond
	pollLast  = 60 * time.Millisecond
	pollLimit = 5 * time.Second
)

// WaitFor waits until a JavaScript expression is truthy. A promise is awaited,
// and a throw counts as not yet, so the predicate may name things that do not
// exist so far. The wait survives navigations, reloads and frozen pages.
func (p *Page) WaitFor(predicate string) {
	p.t.Helper()
	p.WaitWithin(Patience, predicate)
}

// WaitWithin is [Page.WaitFor] with a deadline other than [Patience].
func (p *Page) WaitWithin(limit time.Duration, predicate string) {
	p.t.Helper()
	wait[any](p, limit, predicate)
}

// Wait waits like [Page.WaitFor] and returns the truthy value.
func Wait[T any](p *Page, expression string) T {
	p.t.Helper()
	return wait[T](p, Patience, expression)
}

// answer is what one question brings back from the page.
type answer[T any] struct {
	OK    bool   `json:"ok"`
	Value T      `json:"value"`
	Threw string `json:"threw"`
}

// wait asks from this side instead of running a loop in the page (which is
// what chromedp.Poll does): such a loop dies with a navigation, stops while the
// page is frozen, and hangs after a restore from the back/forward cache.
func wait[T any](p *Page, limit time.Duration, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	question := chromedp.Evaluate[answer[T]](`(async () => {
		try {
			const value = await (`+expression+`);
			return value ? { ok: true, value } : { ok: false, threw: "" };
		} catch (error) {
			return { ok: false, threw: String(error) };
		}
	})()`, chromedp.EvalAwaitPromise)

	pause := pollFirst
	again := time.NewTimer(pause)
	defer again.Stop()
	lately := "it was falsy"
	for {
		got, err := ask(ctx, question)
		var broken *chromedp.ExceptionError
		switch {
		case errors.As(err, &broken):
			p.t.Fatalf("chrome: cannot evaluate %s: %v", expression, err)
		case err != nil:
			// The deadline of the wait itself is not news.
			if ctx.Err() == nil {
				lately = err.Error()
			}
		case got.OK:
			return got.Value
		case got.Threw != "":
			lately = fmt.Sprintf("it threw %s", got.Threw)
		default:
			lately = "it was falsy"
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("chrome: waited %v for %s; at last %s", limit, expression, lately)
		case <-again.C:
			pause = min(pause*5/4, pollLast)
			again.Reset(pause)
		}
	}
}

func ask[T any](ctx context.Context, question chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, pollLimit)
	defer cancel()
	return chromedp.Run(ctx, question)
}
