//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestOwnFetch: an app whose server is behind a proxy sends the requests by a fetch of its
// own. A call goes on over a reload as any other does where the app says who the user is;
// where it does not, nothing is kept. Progress comes in the words of the official client.
func TestOwnFetch(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	const far = "https://far.example/mcp"
	through := func(more string) string {
		return `{ fetch: (url, init) => {
			window.sent = (window.sent ?? []).concat(init.method);
			return url === ` + chrome.JS(far) + ` ? fetch(` + chrome.JS(p.URL()) + `, init) : Promise.reject(new TypeError(url));
		}` + more + ` }`
	}
	page := app(t, far, through(`, principal: "ada"`))
	counts(p, page, 12, 5, `{ key: "k", onprogress: (progress) => (window.told = (window.told ?? []).concat(progress)) }`)
	page.WaitFor(`call.guarantee === "resumable" && mcp.host === "page" && sent.includes("POST")`)
	page.WaitFor(`told.length === 5 && told.every(({ progress }, i) => progress === i + 1)`)
	id := chrome.Eval[string](page, `call.id`)
	page.Reload()
	if n := connected(page, far, through(`, principal: "ada"`)); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	if got := chrome.Eval[string](page, `call.id`); got != id {
		t.Errorf("the call had the id %q, and has %q", id, got)
	}
	passes(p, "go", 8)
	outcome(t, page, "")
	counted(t, page, 12)
	once(t, p, "a")
	kept := chrome.Script[string](page, `return (await holdfast.connect(`+chrome.JS(far)+`, `+through("")+`)).durability;`)
	if kept != "memory" {
		t.Errorf("without a principal its calls are kept in %s", kept)
	}
	blameless(t, p)
}
