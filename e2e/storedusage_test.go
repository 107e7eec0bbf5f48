//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault513_StoredWhileACommitWaits: stored() is asked for while two commits wait, one for its cipher and
// one for that. It tells of the store once both are there: who waits for it before a reload finds them after
// it.
func TestFault513_StoredWhileACommitWaits(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := app(t, p.URL(), `{ host: "page", journal: { seal: "all" } }`)
	chrome.Script[chrome.Void](page, `
		const { encrypt } = SubtleCrypto.prototype;
		const held = new Promise((open) => (window.open = open));
		SubtleCrypto.prototype.encrypt = async function (...args) {
			window.sealing = true;
			await held;
			return encrypt.apply(this, args);
		};
		for (const key of ["one", "two"]) mcp.callTool("echo", { text: key }, { key, ack: "manual" });`)
	page.WaitFor(`window.sealing`)
	got := chrome.Script[int](page, `
		mcp.callTool("echo", { text: "three" }, { key: "three", ack: "manual" });
		await mcp.calls();
		const stored = mcp.stored();
		// A transaction of another database is over: what does not wait for the commits has read by then.
		await new Promise((resolve) => {
			const opening = indexedDB.open("another");
			opening.onupgradeneeded = () => opening.result.createObjectStore("of");
			opening.onsuccess = () => (opening.result.transaction("of").oncomplete = resolve);
		});
		window.open();
		return (await stored).calls;`)
	if got != 3 {
		t.Errorf("stored() tells of %d calls, and 3 were on their way", got)
	}
}
