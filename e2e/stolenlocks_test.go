//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// stealing is a page of the origin, without Holdfast: it takes locks from those who have them, and keeps them
// or not.
const stealing = `<!doctype html><script>
	window.steal = async (prefix, keeps) => {
		const { held } = await navigator.locks.query();
		const names = held.map(({ name }) => name).filter((name) => name.startsWith(prefix));
		for (const name of names) await new Promise((has) => {
			const taken = () => (has(), keeps ? new Promise(() => {}) : undefined);
			navigator.locks.request(name, { steal: true }, taken).catch(() => {});
		});
		return names.length;
	};
</script>`

// TestFault755_StolenLocks: other code of the origin takes the locks by which a worker and its pages know of
// each other, and keeps them, or lets go of them. The page hears that its part of the worker has ended, and
// has the client once more; the call goes on there and runs once.
func TestFault755_StolenLocks(t *testing.T) {
	t.Parallel()
	for name, steal := range map[string]string{
		"the worker's, kept":   `steal("holdfast.port.", true)`,
		"the worker's, let go": `steal("holdfast.port.", false)`,
		"the page's, let go":   `steal("holdfast.page.", false)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, p := newUsers(t)
			v.site.File("/stealing.html", stealing)
			page := v.openAs("ada")
			v.count(page, "a_ada", 4, 2)
			chrome.Script[chrome.Void](page, `
				window.told = [];
				mcp.on("state", ({ state }) => told.push(state));`)
			thief := v.profile.Open(v.site.URL + "/stealing.html")
			if n := chrome.Eval[int](thief, steal); n == 0 {
				t.Fatal("nobody has such a lock")
			}
			page.WaitFor(`told.includes("reconnecting") && mcp.state === "open"`)
			passes(p, "a_ada", 3)
			v.outcome(v.openAs("ada"), "a_ada", "result")
			v.uncut("a_ada")
		})
	}
}
