//go:build !js

package e2e

import (
	"path"
	"strings"
	"testing"
)

// TestFault69_NoAwaitInATransaction: awaiting between two requests ends an
// IndexedDB transaction. All of them go through transact, whose work is given as
// plain functions, and none of these is asynchronous.
func TestFault69_NoAwaitInATransaction(t *testing.T) {
	t.Parallel()
	calls := 0
	for _, file := range sources(t) {
		if !file.under("web/src") || path.Ext(file.path) != ".ts" {
			continue
		}
		text := string(file.text)
		if strings.Contains(text, ".transaction(") &&
			!strings.HasSuffix(file.path, "web/src/storage/transaction.ts") {
			t.Errorf("%s begins a transaction by itself: use transact", file.path)
		}
		for rest := text; ; {
			_, after, found := strings.Cut(rest, "transact(")
			if !found {
				break
			}
			work := balanced(after)
			rest = after[len(work):]
			calls++
			for _, word := range []string{"await ", "async "} {
				if strings.Contains(work, word) {
					t.Errorf("%s: %sin a transaction: %.80q", file.path, word, work)
				}
			}
		}
	}
	if calls < 5 {
		t.Errorf("only %d transactions were found: has transact another name?", calls)
	}
}

// balanced returns text up to the parenthesis that closes the one before it.
func balanced(text string) string {
	depth := 1
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}
