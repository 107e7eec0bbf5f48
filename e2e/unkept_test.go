//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault732_NothingIsKeptIsSaid: nobody can say who the user is, and the app gives calls a key, or says
// that they are to be kept. The event guarantee says why they are not, and the console once what to write,
// without the key.
func TestFault732_NothingIsKeptIsSaid(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared", "worker"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Furnish()
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", `
				import { connect } from "/holdfast.mjs";
				const mcp = await connect(`+chrome.JS(p.URL())+`, { token: () => "opaque", host: `+chrome.JS(host)+` });
				const why = async (options) => {
					const call = mcp.callTool("echo", { text: "hi" }, options);
					let said = "";
					for await (const event of call) if (event.type === "guarantee") said += event.guarantee + " " + event.why;
					return said;
				};
				window.said = [await why({ key: "order-4711" }), await why({ journal: true }), await why({}), await why({ key: "order-4712" })];`))
			page.WaitFor(`window.said`)
			const told = "lost-on-reload principal"
			if got := chrome.Eval[string](page, `said.join()`); got != strings.Join(
				[]string{told, told, "", told}, ",") {
				t.Errorf("the events say %q", got)
			}
			var warned []string
			for _, line := range page.Console() {
				if strings.Contains(line, "holdfast:") {
					warned = append(warned, line)
				}
			}
			if len(warned) != 1 || !strings.Contains(warned[0], "principal: user.id") ||
				strings.Contains(warned[0], "4711") {
				t.Errorf("the console has %q", warned)
			}
		})
	}
}
