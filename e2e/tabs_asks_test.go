//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// asking are options of connect whose handler of elicitations shows the form in
// window.forms, and waits until the test fills it in.
const asking = `{ ack: "manual", handlers: { elicitation: ({ message }) => new Promise((resolve) => {
	(window.forms ??= []).push({ message, fill: (answer) => resolve({ action: "accept", content: { answer } }) });
}) } }`

// TestFault79_TwoTabsAnswer: a question is put in the tab that carries the call,
// and in no other. When that tab sleeps, another one asks; if then both answer,
// the server gets one answer.
func TestFault79_TwoTabsAnswer(t *testing.T) {
	t.Parallel()
	for _, silent := range []bool{false, true} {
		name := map[bool]string{false: "frozen", true: "frozen without a word"}[silent]
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Asking()
			s := newTabs(t, p, asking)
			owner := s.blank()
			if silent {
				chrome.Eval[chrome.Void](owner,
					`addEventListener("freeze", (e) => e.stopImmediatePropagation(), true)`)
			}
			s.begin(owner)
			owner.WaitFor(`window.begun`)
			other := s.open()
			chrome.Eval[chrome.Void](owner, `void track(mcp.callTool("ask", { call: "a" }))`)
			owner.WaitFor(`window.forms?.length === 1`)
			other.WaitFor(`tracked.a?.call.guarantee === "resumable"`)
			if chrome.Eval[bool](other, `window.forms !== undefined`) {
				t.Error("the tab that looks on asks, too")
			}
			owner.Freeze()
			other.WaitFor(`window.forms?.length === 1`)
			chrome.Eval[chrome.Void](other, `forms[0].fill("second")`)
			eventually(t, "the answer", func() bool { return len(p.Of("RESPONSE")) == 1 })
			owner.Thaw()
			// At once, whatever it knows by now.
			chrome.Eval[chrome.Void](owner, `forms[0].fill("first")`)
			for _, page := range []*chrome.Page{owner, other} {
				page.WaitFor(`tracked.a.done`)
				if got := chrome.Script[string](page, `return JSON.stringify((await `+
					`tracked.a.call.result).structuredContent.answers[0].content);`); got !=
					`{"answer":"second"}` {
					t.Errorf("the answer is %s", got)
				}
			}
			if n := len(p.Of("RESPONSE")); n != 1 {
				t.Errorf("the server got %d answers", n)
			}
			if v := p.Violations(); len(v) > 0 {
				t.Errorf("violations: %v", v)
			}
			if n := p.Oracle().Runs("a"); n != 1 {
				t.Errorf("%d runs", n)
			}
		})
	}
}
