//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestTaskAPI_Page runs the fourth example of docs/api.md: a form that outlives the
// page, and how the call stands.
func TestTaskAPI_Page(t *testing.T) {
	t.Parallel()
	p := peer.New(t, extensionDialect.options)
	p.Tasks(extensionDialect.server)
	p.ToolFunc("book", func(peer.Call) peer.Script {
		return append(peer.Input("who", "elicitation/create",
			`{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`),
			peer.Text("booked"))
	}, peer.AsTask(peer.TaskPolicy{Poll: taskPoll, Message: "a room is being looked for"}))
	site := chrome.NewSite(t)
	script := strings.Replace(apiScripts(t, site)[3], site.URL+"/mcp", p.URL(), 1)
	// The form is a plain object: what the example takes from it is all there is.
	page := chrome.Open(t, site.Page("/app", `window.showForm = (message, schema, draft) => {
		let submit;
		return (window.form = { message, draft, typed: draft, values() { return this.typed; },
			answer: new Promise((resolve) => { submit = resolve; }), submit: (content) => submit({ action: "accept", content }) });
	};
	`+script+`
	window.mcp = mcp;
	window.call = call;
	window.done = true;`))
	page.WaitFor(`window.done && window.form && call.guarantee === "durable"`)
	if got := page.Console(); len(got) != 1 || !strings.HasPrefix(got[0], "log: ") {
		t.Errorf("the example prints %q", got)
	}
	rows := chrome.Eval[int](page, `mcp.stored().then(({ rows }) => rows)`)
	chrome.Eval[chrome.Void](page, `(form.typed = { name: "Lu" }, form.oninput())`)
	page.WaitFor(fmt.Sprintf(`(await mcp.stored()).rows > %d`, rows))
	page.Reload()
	page.WaitFor(`window.done && window.form`)
	if got := chrome.Eval[string](page, `JSON.stringify([form.message, form.draft])`); got !=
		`["Who?",{"name":"Lu"}]` {
		t.Errorf("the next form is %s", got)
	}
	chrome.Eval[chrome.Void](page, `form.submit({ name: "Luca" })`)
	if got := chrome.Eval[string](page, `call.result.then(({ content }) => content[0].text)`); got !=
		"booked" {
		t.Errorf("result %q", got)
	}
	if n := p.Ran("book"); n != 1 {
		t.Errorf("booked %d times", n)
	}
	blameless(t, p)
}
