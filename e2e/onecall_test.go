//go:build !js

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// toldScript notes what its page is told of calls that it has not made. blind has it make a
// call before it hears of anything that happens until the gate opens.
const toldScript = `import * as holdfast from "/holdfast.mjs";
window.mcp = await holdfast.connect(SERVER, { host: HOST, principal: "ada", ack: "manual" });
window.told = [];
mcp.on("restored", ({ call }) => told.push(call));
window.make = (label) => {
	window.call = mcp.callTool("count", { call: label, n: 1, gate: label }, { key: label });
};
window.blind = (label) => {
	const gate = new XMLHttpRequest();
	gate.open("GET", "/gate", false);
	gate.send();
	make(label);
};
window.ready = true;`

// TestFault800_SameKeyToldOnce: two tabs make the same call under the same key, the second before
// it can have heard of the first. It is one call, which runs once; either tab has it as what it
// made, and is told of it by nothing else.
func TestFault800_SameKeyToldOnce(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			site := chrome.NewSite(t)
			asked, open := make(chan struct{}, 1), make(chan struct{})
			site.Handle("/gate", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				asked <- struct{}{}
				<-open
			}))
			script := strings.NewReplacer("SERVER", chrome.JS(p.URL()), "HOST", chrome.JS(host)).Replace(
				toldScript)
			url := site.Page("/told", script)
			profile := chrome.NewProfile(t).InWindows()
			first, second := profile.Open(url), profile.Open(url)
			for _, page := range []*chrome.Page{first, second} {
				page.WaitFor(`window.ready`)
			}
			chrome.Eval[chrome.Void](second, `void setTimeout(blind, 0, "a")`)
			<-asked
			chrome.Eval[chrome.Void](first, `void make("a")`)
			eventually(t, "the call", func() bool { return p.Oracle().Runs("a") == 1 })
			close(open)
			second.WaitFor(`window.call`)
			passes(p, "a", 2)
			for _, page := range []*chrome.Page{first, second} {
				if n := chrome.Eval[int](page,
					`call.result.then((result) => result.structuredContent.n)`); n != 1 {
					t.Errorf("a result of %d", n)
				}
			}
			// One that it has not made it is told of, behind all that is told of the other.
			chrome.Eval[chrome.Void](first, `void make("b")`)
			second.WaitFor(`told.some(({ key }) => key === "b")`)
			for i, page := range []*chrome.Page{first, second} {
				if told := chrome.Eval[[]string](page, `told.map(({ key }) => key)`); len(told) != i {
					t.Errorf("page %d: told of %v", i+1, told)
				}
				all := chrome.Eval[[]string](page,
					`mcp.calls().then((all) => all.map(({ key }) => key).sort())`)
				if len(all) != 2 {
					t.Errorf("page %d has %v", i+1, all)
				}
			}
			passes(p, "b", 2)
			if runs := p.Oracle().Runs("a"); runs != 1 {
				t.Errorf("%d runs", runs)
			}
			blameless(t, p)
		})
	}
}
