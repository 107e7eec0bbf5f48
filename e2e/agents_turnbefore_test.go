//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault595_PromptThatWaitedForATurn: a prompt waits behind another request, and meanwhile a turn of the
// agent's own begins and ends. It leaves, and is accepted before its own turn begins: it settles with the end
// of that. In the page as in a worker.
func TestFault595_PromptThatWaitedForATurn(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			p := acppeer.New(t, acppeer.Options{})
			p.OnPrompt(func(turn *acppeer.Turn) {
				turn.Accept()
				turn.Gate("begin")
				turn.Running()
				turn.Count("a1", 2, "")
				turn.Idle("max_tokens")
			})
			p.Rule(acppeer.Rule{Kind: "session/set_config_option", Gate: "slow"})
			page := chrome.Open(t, chatPage(chrome.NewSite(t), p.URL(),
				`{ principal: "ada", host: "`+host+`" }`))
			page.WaitFor(`window.ready && agent.host === "` + host + `"`)
			beginChat(page)
			defer showChats(t, page)
			chrome.Eval[chrome.Void](page,
				`void chats.s1.session.setConfigOption("model", "fast").catch(() => {})`)
			p.Waiting("slow")
			say(page, "next")
			p.Push("s1", `{"sessionUpdate":"state_update","state":"running"}`)
			p.Push("s1", `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
			page.WaitFor(`chats.s1.ends.join() === "end_turn"`)
			if n := len(p.Prompts()); n != 0 {
				t.Fatalf("the prompt left before that turn was over")
			}
			p.Release("slow")
			p.Waiting("begin")
			page.WaitFor(`chats.s1.prompts[0].answer`)
			if got := stateOfPrompt(page); got.Settled {
				t.Errorf("accepted, it stands at %+v", got)
			}
			p.Release("begin")
			if stop := ended(page); stop != "max_tokens" {
				t.Errorf("it settled with %q", stop)
			}
			shows(page, chunks(1, 2))
		})
	}
}

// TestFault609_HeldForATabThatLooksOn: two tabs prompt. The agent holds the prompt of the one that looks on
// until the turn of the other is over, and takes it in then, all at once. It settles with its own turn.
func TestFault609_HeldForATabThatLooksOn(t *testing.T) {
	t.Parallel()
	p := acppeer.New(t, acppeer.Options{})
	first := make(chan *acppeer.Turn, 1)
	p.OnPrompt(func(turn *acppeer.Turn) {
		if turn.Text == "first" {
			turn.Accept()
			turn.Running()
			first <- turn
			turn.Gate("over")
			return
		}
		turn.Gate("go")
		(<-first).Idle("end_turn")
		turn.Accept()
		turn.Running()
		turn.Gate("end")
		turn.Idle("max_tokens")
	})
	page := chrome.Open(t, chatPage(chrome.NewSite(t), p.URL(), `{ host: "page" }`))
	page.WaitFor(`window.ready`)
	beginChat(page)
	other := lookOn(page)
	defer showChats(t, other)
	say(page, "first")
	other.WaitFor(`chats.s1.session.state === "running"`)
	say(other, "next")
	p.Waiting("go")
	p.Release("go")
	p.Waiting("end")
	other.WaitFor(`chats.s1.prompts[0].answer && chats.s1.ends.join() === "end_turn" && ` +
		`chats.s1.session.state === "running"`)
	if got := stateOfPrompt(other); got.Settled {
		t.Errorf("accepted, it stands at %+v", got)
	}
	if stop := ended(page); stop != "end_turn" {
		t.Errorf("the first settled with %q", stop)
	}
	p.Release("end")
	if stop := ended(other); stop != "max_tokens" {
		t.Errorf("the next settled with %q", stop)
	}
	p.Release("over")
}
