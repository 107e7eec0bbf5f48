//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// person is the options of a page with somebody at it: localStorage counts how
// often they were asked, over all pages. They answer if answers says so.
func person(answers string) string {
	return `{ handlers: { elicitation: async (request) => {
		localStorage.asked = Number(localStorage.asked ?? 0) + 1;
		if (!(` + answers + `)) await new Promise(() => {});
		return { action: "accept", content: { answer: "yes " + localStorage.asked } };
	} } }`
}

func askedTimes(page *chrome.Page) int {
	return chrome.Eval[int](page, `Number(localStorage.asked ?? 0)`)
}

// answered checks what a server heard of its only question: this one answer,
// however often it had to be sent.
func answered(t *testing.T, p *peer.Peer, want string, atMost int) {
	t.Helper()
	questions := p.Oracle().Questions("a")
	if len(questions) != 1 || len(questions[0].Answers) == 0 || len(questions[0].Answers) > atMost {
		t.Fatalf("questions %+v", questions)
	}
	for _, a := range questions[0].Answers {
		if a.Outcome != fmt.Sprintf(`{"action":"accept","content":{"answer":%q}}`, want) {
			t.Errorf("answer %s", a.Outcome)
		}
	}
}

// TestFault55_AnsweredAndNotSent: the page goes between the answer and its being
// taken. The next page sends it, and nobody is asked again.
func TestFault55_AnsweredAndNotSent(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Asking()
	p.Delay("RESPONSE", "hold")
	page := app(t, p.URL(), person("true"))
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("ask", { call: "a" }))`)
	p.Waiting("hold")
	page.Reload()
	p.Left("hold") // or the first page's answer would still be taken
	p.Release("hold")
	if n := connected(page, p.URL(), person("true")); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	outcome(t, page, "")
	answered(t, p, "yes 1", 1)
	if n := askedTimes(page); n != 1 {
		t.Errorf("asked %d times", n)
	}
	once(t, p, "a")
	blameless(t, p)
}

// TestFault55_TakenAndNotConfirmed: the server has the answer, and its 202 never
// comes, twice. The same one is sent until it does.
func TestFault55_TakenAndNotConfirmed(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{NoReuse: true})
	p.Asking()
	p.CutReplies(peer.FIN, peer.Reset)
	page := app(t, p.URL(), person("true"))
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("ask", { call: "a" }))`)
	outcome(t, page, "")
	answered(t, p, "yes 1", 3)
	if n := askedTimes(page); n != 1 {
		t.Errorf("asked %d times", n)
	}
	blameless(t, p)
}

// TestFault55_QuestionLeftOpen: nobody had answered when the page went, so the
// next page asks; the server has asked once.
func TestFault55_QuestionLeftOpen(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Asking()
	page := app(t, p.URL(), person("false"))
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("ask", { call: "a" }))`)
	page.WaitFor(`localStorage.asked === "1" && call.guarantee === "resumable"`)
	page.Reload()
	if n := connected(page, p.URL(), person("true")); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	outcome(t, page, "")
	answered(t, p, "yes 2", 1)
	once(t, p, "a")
	blameless(t, p)
}

// rounds is a server of 2026-07-28 whose tool asks in its result.
func rounds(t *testing.T, traits ...peer.Trait) *peer.Peer {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.ToolFunc("ask", func(c peer.Call) peer.Script {
		if c.RequestState == "" {
			question := peer.Elicitation("Who?",
				`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`)
			return peer.Script{peer.InputRequired(`{"who":`+question+`}`, "state-1")}
		}
		return peer.Script{peer.Gate("go"), peer.Text(string(c.Input("who", "content", "answer")))}
	}, traits...)
	return p
}

// TestFault55_RoundLeftOpen: in 2026-07-28 no stream is open while a person
// thinks, so that a reload there costs nothing.
func TestFault55_RoundLeftOpen(t *testing.T) {
	t.Parallel()
	p := rounds(t)
	p.Release("go")
	page := app(t, p.URL(), person("false"))
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("ask", { call: "a" }))`)
	page.WaitFor(`localStorage.asked === "1" && call.guarantee === "resumable"`)
	page.Reload()
	if n := connected(page, p.URL(), person("true")); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	outcome(t, page, "")
	if got := chrome.Eval[string](page, `seen.result.content[0].text`); got != `"yes 2"` && got != "yes 2" {
		t.Errorf("result %s", got)
	}
	if n := p.Ran("ask"); n != 2 {
		t.Errorf("%d rounds", n)
	}
	blameless(t, p)
}

// TestFault55_RoundAnswered: the page goes after the answer has left. Whether the
// tool has run with it nobody knows; where that does no harm it is sent once
// more, as it was. Nobody is asked again.
func TestFault55_RoundAnswered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		trait peer.Trait
		code  string
		runs  int
	}{
		"side effects": {peer.Describe("Ask", ""), "outcome_unknown", 2},
		"idempotent":   {peer.Idempotent, "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := rounds(t, test.trait)
			// By hand, or a page that goes might acknowledge what it ends with.
			page := app(t, p.URL(), `{ ack: "manual", ...`+person("true")+` }`)
			chrome.Script[chrome.Void](page,
				`await mcp.listTools(); watch(mcp.callTool("ask", { call: "a" }));`)
			p.Waiting("go")
			page.Reload()
			p.Release("go")
			if n := connected(page, p.URL(), person("true")); n != 1 {
				t.Fatalf("%d calls came back", n)
			}
			outcome(t, page, test.code)
			if n := p.Ran("ask"); n != test.runs {
				t.Errorf("%d rounds, want %d", n, test.runs)
			}
			if n := askedTimes(page); n != 1 {
				t.Errorf("asked %d times", n)
			}
			blameless(t, p)
		})
	}
}
