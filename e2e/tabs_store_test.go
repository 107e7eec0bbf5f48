//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault76_LateWritesBehindTheSeal: what a tab writes of a call after another one
// has taken it over counts for nothing, and a strict commit tells it so: whatever
// depends on that commit must not be done by it.
func TestFault76_LateWritesBehindTheSeal(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	url := storePage(t, site)
	profile := chrome.NewProfile(t)
	owner, heir := openStorePage(profile, url), openStorePage(profile, url)
	got := chrome.Script[string](owner, `
		await store.commit([head(1), row(1, 1, 1, "token"), head(2), row(2, 1, 1)], false);
		const { fenced } = await store.commit([row(1, 1, 2), row(2, 1, 2)], true);
		return fenced.join();`)
	if got != "" {
		t.Errorf("the owner is told that it has lost %s", got)
	}
	chrome.Script[chrome.Void](heir,
		`await store.takeOver(1, 1); await store.commit([row(1, 2, 1, "next")], true);`)
	got = chrome.Script[string](owner, `
		await store.commit([row(1, 1, 3, "late")], false);
		const { fenced } = await store.commit([row(1, 1, 4), row(2, 1, 3)], true);
		return fenced.join();`)
	if got != "1" {
		t.Errorf("the old owner is told that it has lost %q", got)
	}
	for _, page := range []*chrome.Page{owner, heir} {
		if got := chrome.Eval[string](page, `rows(1)`); got != "1/1/1 token, 1/1/2, 1/2/1 next" {
			t.Errorf("call 1 reads %s", got)
		}
		if got := chrome.Eval[string](page, `rows(2)`); got != "2/1/1, 2/1/2, 2/1/3" {
			t.Errorf("call 2 reads %s", got)
		}
	}
	got = chrome.Script[string](heir, `
		await store.commit([{ kind: "forget", call: 2 }], false);
		return "";`) + chrome.Script[string](owner, `return (await store.commit([row(2, 1, 4)], true)).fenced.join();`)
	if got != "2" {
		t.Errorf("the owner of a forgotten call is told %q", got)
	}
}
