//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault154_TurnsInChrome: the end of a turn and what it took reach the app from
// agents of all sorts: of version 2, of version 1, and of version 1 with the prompt
// lifecycle of version 2, whose answer to a prompt ends nothing.
func TestFault154_TurnsInChrome(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]acppeer.Options{
		"version 2": {}, "version 1": {Version: 1},
		"version 1, opted in": {Version: 1, OptIn: `{"prompt.v2":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := acppeer.New(t, o)
			p.OnPrompt(func(turn *acppeer.Turn) {
				turn.Accept()
				turn.Running()
				turn.Chunk("a1", "done")
				if turn.Gate("end") {
					turn.End("end_turn", `"usage":{"totalTokens":42}`)
				}
			})
			page := openChat(t, p.URL())
			chrome.Eval[chrome.Void](page,
				`void (window.turns = [], chats.s1.session.on("turn", (turn) => turns.push(turn)))`)
			say(page, "hi")
			shows(page, "done")
			page.WaitFor(`chats.s1.session.state === "running"`)
			if n := chrome.Eval[int](page, `chats.s1.ends.length`); n != 0 {
				t.Errorf("%d ends before the end", n)
			}
			p.Pass("end", 1)
			if stop := ended(page); stop != "end_turn" {
				t.Errorf("it ended with %q", stop)
			}
			got := chrome.Eval[string](page, `JSON.stringify([agent.version, chats.s1.ends,`+
				` chats.s1.prompts[0].settled.usage, turns.filter(({ ended }) => ended).map(({ usage }) `+
				`=> usage)])`)
			want := `[` + name[len("version "):len("version ")+1] +
				`,["end_turn"],{"totalTokens":42},[{"totalTokens":42}]]`
			if got != want {
				t.Errorf("the app has %s, want %s", got, want)
			}
		})
	}
}

// TestFault155_EventIDsInChrome: of an agent without a history whose frames have ids,
// a reload in mid-turn loses nothing, and nothing comes twice.
func TestFault155_EventIDsInChrome(t *testing.T) {
	t.Parallel()
	p := acppeer.New(t, acppeer.Options{Version: 1, NoResume: true, EventIDs: true})
	p.OnPrompt(func(turn *acppeer.Turn) {
		turn.Accept()
		turn.Running()
		if turn.Count("", 3, "go") && turn.Count("", 3, "") && turn.Gate("end") {
			turn.Idle("end_turn")
		}
	})
	page := openChat(t, p.URL())
	say(page, "count")
	p.Pass("go", 2)
	shows(page, chunks(1, 2))
	page.WaitFor(`agent.stored().then(({ rows }) => rows > 1)`)
	before := len(p.Requests())
	page.Reload()
	page.WaitFor(`window.ready && chats.s1`)
	p.Pass("go", 1)
	shows(page, chunks(1, 6))
	p.Cut("s1", acppeer.Reset)
	p.Pass("end", 1)
	page.WaitFor(`chats.s1.ends.length === 1`)
	shows(page, chunks(1, 6))
	var ids []string
	for _, r := range p.Requests()[before:] {
		if r.HTTPMethod == "GET" && r.Session == "s1" {
			ids = append(ids, r.LastEventID)
		}
	}
	if len(ids) < 2 || slices.Contains(ids, "") {
		t.Errorf("the streams after the reload go on from %q", ids)
	}
}
