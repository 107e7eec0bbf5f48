//go:build !js

package e2e

import (
	"strings"
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
	counts(p, page, 12, 5,
		`{ key: "k", onprogress: (progress) => (window.told = (window.told ?? []).concat(progress)) }`)
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
	kept := chrome.Script[string](page, `return (await holdfast.connect(`+chrome.JS(far)+`, `+through("")+
		`)).durability;`)
	if kept != "memory" {
		t.Errorf("without a principal its calls are kept in %s", kept)
	}
	blameless(t, p)
}

// TestFault345_ResponseThatTheAppHasRead: an app's fetch writes down what servers say, and gives a
// Response that is read already. The call says so at once, and has run once; a fetch that writes
// down a copy has the next call go on.
func TestFault345_ResponseThatTheAppHasRead(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), `{ fetch: async (url, init) => {
		const response = await fetch(url, init);
		if (window.reads) await reads(response).text();
		return response;
	} }`)
	got := chrome.Script[struct{ Code, Message, Hint string }](page, `
		window.reads = (response) => response;
		const { code, message, hint } = await mcp.callTool("count", { call: "a", n: 2 }).result.catch((error) => error);
		return { code, message, hint };`)
	if got.Code != "outcome_unknown" ||
		!strings.Contains(got.Message, "the app's fetch gave a Response whose body it has read") ||
		!strings.Contains(got.Hint, "response.clone()") {
		t.Errorf("the call ends with %+v", got)
	}
	if n := p.Oracle().Runs("a"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if n := chrome.Script[int](page, `window.reads = (response) => response.clone();
		return (await mcp.callTool("count", { call: "b", n: 2 }).result).structuredContent.n;`); n != 2 {
		t.Errorf("the next one counted to %d", n)
	}
}
