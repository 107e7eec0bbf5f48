//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// promptState is how the prompt of a page stands: whether it was accepted, its turn
// has ended, and how often the session has said so.
type promptState struct {
	Accepted, Settled bool
	State             string
	Ends              []string
}

func stateOfPrompt(page *chrome.Page) promptState {
	return chrome.Eval[promptState](page, `(({ prompts, session, ends }) => ({
		accepted: prompts.at(-1)?.answer !== undefined, settled: prompts.at(-1)?.settled !== undefined, state: session.state, ends,
	}))(chats.s1)`)
}

// TestFault119_AcceptedIsNotFinished: the answer to a prompt says that it is
// accepted. The turn's end comes by a notification, that comes twice; what is said
// without a turn changes no state.
func TestFault119_AcceptedIsNotFinished(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]acppeer.Options{"newest draft": {},
		"older draft": {EmptyAck: true, State: "state_change"}} {
		t.Run(name, func(t *testing.T) {
			p := acppeer.New(t, o)
			p.OnPrompt(func(turn *acppeer.Turn) {
				turn.Acknowledge()
				turn.Gate("accepted")
				turn.Echo()
				turn.Running()
				turn.Count("a1", 3, "")
				turn.Gate("end")
				turn.Idle("end_turn")
				turn.Idle("end_turn")
			})
			page := openChat(t, p.URL())
			say(page, "hello")
			p.Waiting("accepted")
			page.WaitFor(`chats.s1.prompts[0].answer`)
			if got := stateOfPrompt(page); got.Settled || len(got.Ends) > 0 {
				t.Errorf("accepted, it stands at %+v", got)
			}
			p.Release("accepted")
			shows(page, chunks(1, 3))
			if got := stateOfPrompt(page); got.Settled || got.State != "running" || len(got.Ends) > 0 {
				t.Errorf("at work, it stands at %+v", got)
			}
			p.Release("end")
			if stop := ended(page); stop != "end_turn" {
				t.Errorf("it ended with %q", stop)
			}
			p.Push("s1", `{"sessionUpdate":"agent_message_chunk","messageId":"a2","content":{"type":"text",`+
				`"text":"by the way"}}`)
			shows(page, chunks(1, 3)+"by the way")
			if got := stateOfPrompt(page); got.State != "idle" ||
				!slices.Equal(got.Ends, []string{"end_turn"}) {
				t.Errorf("in the end it stands at %+v", got)
			}
			if got := chrome.Eval[string](page, `text("s1", "user_message")`); got != "hello" {
				t.Errorf("the user said %q", got)
			}
		})
	}
}

// TestFault119_EndBeforeTheAnswer: the turn is over before its prompt is answered.
func TestFault119_EndBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	p := acppeer.New(t, acppeer.Options{})
	p.OnPrompt(func(turn *acppeer.Turn) {
		turn.Echo()
		turn.Running()
		turn.Chunk("a1", "short")
		turn.Idle("end_turn")
		turn.Gate("answer")
		turn.Acknowledge()
	})
	page := openChat(t, p.URL())
	say(page, "hello")
	page.WaitFor(`chats.s1.ends.length === 1`)
	if got := stateOfPrompt(page); got.Accepted {
		t.Errorf("not answered, it stands at %+v", got)
	}
	p.Release("answer")
	if stop := ended(page); stop != "end_turn" {
		t.Errorf("it ended with %q", stop)
	}
	shows(page, "short")
}

// TestFault119_EndNeverComes: the stream is cut, or the page reloaded, and the end
// of the turn was not heard. Resuming the session teaches its state, and an agent
// that never ends it is never taken to have done so.
func TestFault119_EndNeverComes(t *testing.T) {
	long(t)
	t.Parallel()
	for _, way := range []string{"cut", "reload"} {
		t.Run(way, func(t *testing.T) {
			// What is said while nobody reads is lost: the host does not buffer.
			p := acppeer.New(t, acppeer.Options{NoBuffer: true})
			page := openChat(t, p.URL())
			say(page, "count 6 @go")
			p.Pass("go", 3)
			shows(page, chunks(1, 3))
			rests(page, chunks(3, 3)) // what a reload loses is not told again here
			p.Rule(acppeer.Rule{Kind: "GET", Session: "s1", Gate: "back", Times: 1})
			if way == "cut" {
				p.Cut("s1", acppeer.Reset)
			} else {
				page.Reload()
				page.WaitFor(`window.ready`)
			}
			p.Waiting("back")
			p.Release("go")
			p.Await("the end of the turn", func() bool {
				sent := p.Sent("s1")
				return len(sent) > 0 && sent[len(sent)-1].Kind == "state_update" && p.Counted("s1") == 6
			})
			if got := stateOfPrompt(page); got.Settled || got.State != "running" {
				t.Errorf("with nothing heard it stands at %+v", got)
			}
			p.Release("back")
			shows(page, chunks(1, 6))
			page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.ends.join() === "end_turn"`)
			if n := len(p.Prompts()); n != 1 {
				t.Errorf("%d prompts", n)
			}
		})
	}
	t.Run("never", func(t *testing.T) {
		p := acppeer.New(t, acppeer.Options{})
		page := openChat(t, p.URL())
		say(page, "never 3")
		shows(page, chunks(1, 3))
		page.WaitFor(`chats.s1.prompts[0].answer`)
		p.Cut("s1", acppeer.Clean)
		page.WaitFor(`chats.s1.resumed.length === 1`)
		if got := stateOfPrompt(page); got.Settled || got.State != "running" || len(got.Ends) > 0 {
			t.Errorf("it stands at %+v", got)
		}
		shows(page, chunks(1, 3))
	})
}

// TestFault120_EchoOfThePrompt: the agent's echo of what the user said is told
// again after a cut and shown in two tabs: once in each, under the agent's id, and in
// the agent's order.
func TestFault120_EchoOfThePrompt(t *testing.T) {
	long(t)
	t.Parallel()
	for name, o := range map[string]acppeer.Options{"with ids": {}, "without ids": {EmptyAck: true}} {
		t.Run(name, func(t *testing.T) {
			p := acppeer.New(t, o)
			p.OnPrompt(func(turn *acppeer.Turn) {
				turn.Gate(turn.Text)
				turn.Accept()
				turn.Running()
				turn.Chunk(turn.NextID("a"), "re: "+turn.Text)
				turn.Idle("end_turn")
			})
			one := openChat(t, p.URL())
			two := one.Profile().Open(chrome.Eval[string](one, `location.href`))
			two.WaitFor(`window.ready && chats.s1`)
			both := []*chrome.Page{one, two}
			// The second is taken into the history before the first.
			say(one, "first")
			say(one, "second")
			p.Waiting("first")
			p.Waiting("second")
			for _, page := range both {
				page.WaitFor(`chats.s1.session.pending.length === 2`)
			}
			p.Release("second")
			for _, page := range both {
				page.WaitFor(`chats.s1.session.pending.length === 1 && ` +
					`chats.s1.session.pending[0].content[0].text === "first"`)
			}
			p.Release("first")
			order := []string{"user_message u2 second", "agent_message re: second", "user_message u1 first",
				"agent_message re: first"}
			shown := func(when string) {
				t.Helper()
				for i, page := range both {
					page.WaitFor(`text("s1") === "re: secondre: first" && chats.s1.session.pending.length ` +
						`=== 0 && chats.s1.session.state === "idle"`)
					got := chrome.Eval[[]string](page, `chats.s1.session.transcript.map(({ type, id,`+
						` content }) => [type, ...(type === "user_message" ? [id] : []),`+
						` content.map(({ text }) => text).join("|")].join(" "))`)
					if !slices.Equal(got, order) {
						t.Errorf("%s, tab %d shows %q", when, i+1, got)
					}
				}
			}
			shown("live")
			p.Cut("s1", acppeer.Reset)
			one.WaitFor(`chats.s1.resumed.join() === "continued"`)
			shown("after a cut")
			one.Reload()
			one.WaitFor(`window.ready && chats.s1`)
			shown("after a reload")
			if got := p.Prompts(); len(got) != 2 {
				t.Errorf("sent %q", got)
			}
		})
	}
}
