//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// countsAsked answers what servers ask: asked counts how often this page was.
const countsAsked = `handlers: { elicitation: async () => {
	window.asked = (window.asked ?? 0) + 1;
	return { action: "accept", content: { answer: "yes" } };
} }`

// TestFault208_SharedCallsOwnPageIsAsked: what a server asks on a call, in a request of its own
// or in a result, the page is asked that made it, though newer ones are there; while that one
// is frozen another page is.
func TestFault208_SharedCallsOwnPageIsAsked(t *testing.T) {
	t.Parallel()
	for _, revision := range bothWires {
		t.Run(revision, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{Revision: revision})
			p.Asking()
			question := peer.Elicitation("Who?",
				`{"type":"object","properties":{"answer":{"type":"string"}}}`)
			if revision == peer.Revision20260728 {
				p.ToolFunc("ask", func(c peer.Call) peer.Script {
					if len(c.InputResponses) > 0 {
						return peer.Script{peer.Result(`{"content":[],"structuredContent":{"n":0}}`)}
					}
					return peer.Script{peer.Open(), peer.Gate(c.Label),
						peer.InputRequired(`{"who":`+question+`}`, "state")}
				})
			}
			v := newVisits(t, p, countsAsked)
			own, newest := v.open(), v.open()
			chrome.Eval[chrome.Void](own,
				`for (const call of ["a", "b"]) void follow(mcp.callTool("ask", { call, gate: call }))`)
			eventually(t, "the calls to be there",
				func() bool { return p.Oracle().Runs("a") == 1 && p.Oracle().Runs("b") == 1 })
			p.Pass("a")
			own.WaitFor(`window.asked === 1 && trails.a?.outcome`)
			own.Freeze()
			p.Pass("b")
			newest.WaitFor(`window.asked === 1 && trails.b?.outcome`)
			own.Thaw()
			own.WaitFor(`trails.b?.outcome`)
			blameless(t, p)
		})
	}
}
