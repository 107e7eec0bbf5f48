//go:build !js

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault791_AttachedBeforeTheDeletion: a page comes to a call that has had six of nine events, and reads them once
// another page has acknowledged the call, which deletes them. It is told which there are no more, and has the rest and
// the result. Of one that is still stored it has all. In the page host that is another client of the page's.
func TestFault791_AttachedBeforeTheDeletion(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "page"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			s := newTabs(t, p, `{ ack: "auto", host: "`+host+`" }`)
			maker := s.open()
			late := maker
			if host == "shared" {
				late = s.blank()
			}
			for _, label := range []string{"gone", "kept"} {
				chrome.Eval[chrome.Void](maker, `void count("`+label+`", { n: 9, gate: "`+label+`" }, { ack: "`+map[string]string{"gone": "auto", "kept": "manual"}[label]+`" })`)
				s.pass(label, 6)
				has(maker, label, 6)
			}
			chrome.Script[chrome.Void](late, `
				window.second = await connectAs(`+chrome.JS(s.p.URL())+`, `+s.options+`);
				window.found = Object.fromEntries((await second.calls()).map((call) => [call.params.arguments.call, call]));`)
			for _, label := range []string{"gone", "kept"} {
				s.pass(label, 4)
				s.counted(maker, label, 9)
			}
			maker.WaitFor(`mcp.stored().then(({ calls }) => calls === 1)`)
			for label, want := range map[string]string{"gone": `["gap 1 6",7,8,9,"result 9"]`, "kept": `[1,2,3,4,5,6,7,8,9,"result 9"]`} {
				got := chrome.Script[json.RawMessage](late, `
					const call = found[`+chrome.JS(label)+`], seen = [];
					for await (const event of call) {
						if (event.type === "progress") seen.push(event.progress);
						if (event.type === "gap") seen.push("gap " + event.from + " " + event.to);
					}
					seen.push("result " + (await call.result).structuredContent.n);
					return seen;`)
				if string(got) != want {
					t.Errorf("%s: %s", label, got)
				}
			}
			s.once("gone")
			s.once("kept")
		})
	}
}
