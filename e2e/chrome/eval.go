//go:build !js

package chrome

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/chromedp"
)

// Eval evaluates a JavaScript expression in the page and returns its value. A
// promise is awaited; a throw or a rejection ends the test.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := TryEval[T](p, expression)
	if err != nil {
		p.t.Fatalf("chrome: %v\nin: %s", err, expression)
	}
	return value
}

// TryEval is [Eval] for scripts that may throw: it returns the error.
func TryEval[T any](p *Page, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Script runs statements in the page as the body of an async function: await
// works anywhere in it and return gives the value. Use Script[Void] when there
// is none.
func Script[T any](p *Page, body string) T {
	p.t.Helper()
	value, err := TryScript[T](p, body)
	if err != nil {
		p.t.Fatalf("chrome: %v\nin: %s", err, body)
	}
	return value
}

// TryScript is [Script] for statements that may throw: it returns the error.
func TryScript[T any](p *Page, body string) (T, error) {
	return TryEval[T](p, "(async () => {\n"+body+"\n})()")
}

// JS writes a Go value as a JavaScript literal, to splice into a script.
func JS(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("chrome: no JavaScript for %T: %v", value, err))
	}
	return string(text)
}
