//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault146_StoredAfterTheEnd: stored() says that there is nothing once the
// database was deleted under the page, and once the client is closed.
func TestFault146_StoredAfterTheEnd(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	for name, end := range map[string]string{
		"deleted": `await new Promise((resolve) => { indexedDB.deleteDatabase("holdfast").onsuccess = ` +
			`resolve; });`,
		"closed": `await mcp.close();`,
	} {
		page := s.open()
		chrome.Eval[chrome.Void](page, `void count("`+name+`", { n: 2 })`)
		s.counted(page, name, 2)
		page.WaitFor(`(await mcp.stored()).calls > 0`)
		got := chrome.Script[failure](page,
			end+` return attempt(async () => JSON.stringify(await mcp.stored()));`)
		if got.Code != "" {
			t.Errorf("%s: stored() rejects: %+v", name, got)
		}
		if text := chrome.Script[string](page, `return JSON.stringify(await mcp.stored());`); text != "null" {
			t.Errorf("%s: stored() says %s", name, text)
		}
		page.Close()
	}
}
