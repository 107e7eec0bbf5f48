//go:build !js

package engines

import (
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// taskPoll is the interval between polls that the servers name, in ms: the shortest that
// the client honours.
const taskPoll = 250

// task reloads the page while a task runs, as the core of 2025-11-25 has them and as the extension of
// 2026-07-28 does.
func task(s *scene) {
	for _, revision := range []string{peer.Revision20251125, peer.Revision20260728} {
		p := peer.New(s.T, peer.Options{Revision: revision})
		p.Tasks(peer.TaskServer{})
		p.Counting(nil, peer.AsTask(peer.TaskPolicy{Poll: taskPoll}))
		page := s.openKeeper(p.URL(), byHand)
		eval[void](page, `(async () => { await mcp.listTools(); follow(mcp.callTool("count", { call: "a",`+
			` n: 4, gate: "go" })); })()`)
		s.pass(p, 2)
		page.stored("a")
		page.reload()
		page.waitFor(`window.ready && trails.a?.restored`)
		s.pass(p, 3)
		page.waitFor(`trails.a.outcome`)
		got := eval[trail](page, `trails.a`)
		if got.Outcome != "result" || got.N != 4 {
			s.Errorf("%s: ended with %q (%s) and %d", revision, got.Outcome, got.Why, got.N)
		}
		if runs := p.Oracle().Runs("a"); runs != 1 {
			s.Errorf("%s: ran %d times", revision, runs)
		}
		s.blameless(p)
	}
}

// typist are the options of a page at which somebody types: typed has what is asked, with its
// draft, what saves the next, and what answers.
const typist = `{ ack: "manual", handlers: { elicitation: (request, { draft, saveDraft }) => new Promise((resolve) => {
	window.typed ??= [];
	typed.push({ draft, saveDraft, submit: (answer) => resolve({ action: "accept", content: { answer } }) });
}) } }`

// input has the server ask a person, whose form is half filled in when the page is
// reloaded. The next page has the draft, and the server one answer.
func input(s *scene) {
	p := peer.New(s.T, peer.Options{})
	p.Asking()
	page := s.openKeeper(p.URL(), typist)
	eval[void](page, `follow(mcp.callTool("ask", { call: "a" }))`)
	page.waitFor(`window.typed?.length === 1 && calls.a.guarantee === "resumable"`)
	rows := eval[int](page, `mcp.stored().then(({ rows }) => rows)`)
	eval[void](page, `typed[0].saveDraft({ answer: "half" })`)
	page.waitFor(`(await mcp.stored()).rows > ` + chrome.JS(rows))
	page.reload()
	page.waitFor(`window.typed?.length === 1`)
	if got := eval[string](page, `JSON.stringify(typed[0].draft ?? null)`); got != `{"answer":"half"}` {
		s.Errorf("the draft is %s", got)
	}
	eval[void](page, `typed[0].submit("Luca")`)
	page.waitFor(`trails.a.outcome`)
	if got := eval[trail](page, `trails.a`); got.Outcome != "result" {
		s.Errorf("ended with %q (%s)", got.Outcome, got.Why)
	}
	if all := p.Oracle().Questions("a"); len(all) != 1 || len(all[0].Answers) != 1 {
		s.Errorf("the server asked and was answered so: %+v", all)
	}
	s.blameless(p)
}
