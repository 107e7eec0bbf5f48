//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryChatAfterAReload: a model of the AI SDK's calls a tool, and the page is reloaded before it has
// answered, with the chat stored as far as it was. The next page finds the call by the id of the model's tool
// call, and the chat has the result. The tool ran once. What the chat is stored with no page gets again.
func TestStoryChatAfterAReload(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	first := `globalThis.story = { servers: { mcp: ` + chrome.JS(p.URL()) +
		` }, args: { call: "a", n: 4, gate: "go", retry_ms: 10 } };`
	page := chrome.Open(t, reactSite(t, bundledReact(t, "e2e/testdata/chat/app.ts"), first))
	waits(page, `story.isOpen`)
	chrome.Eval[chrome.Void](page, `void story.ask()`)
	passes(p, "go", 2)
	part := `story.stored()[0]?.parts.find(({ toolCallId }) => toolCallId === "toolu_a")`
	waits(page, part+`?.preliminary && `+part+`.output.progress?.progress === 2`)

	page.Reload()
	waits(page, `story.isOpen`)
	chrome.Eval[chrome.Void](page, `void story.goOn().then(() => (story.wentOn = true))`)
	passes(p, "go", 3) // two events, and the result
	waits(page, `story.wentOn`)
	if state := chrome.Eval[string](page, part+`.state`); state != "output-available" {
		t.Errorf("the part is %s", state)
	}
	if content := chrome.Eval[int](page, part+`.output.content.length`); content == 0 {
		t.Error("the chat has no result")
	}
	once(t, p, "a")
	blameless(t, p)

	page.Reload()
	waits(page, `story.isOpen`)
	if kept := chrome.Eval[[]string](page, `story.kept()`); !slices.Equal(kept, []string{"toolu_a"}) {
		t.Errorf("before the chat was said to be stored, %q was kept", kept)
	}
	chrome.Eval[chrome.Void](page, `story.acknowledge()`)
	page.Reload()
	waits(page, `story.isOpen`)
	if kept := chrome.Eval[[]string](page, `story.kept()`); len(kept) != 0 {
		t.Errorf("%q is kept", kept)
	}
}
