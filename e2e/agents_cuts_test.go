//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAgentCut: what the turn is heard on ends in the middle of it, cleanly or with
// a reset. What was said meanwhile comes, once.
func TestAgentCut(t *testing.T) {
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		page := openChat(t, url)
		outcome, initializes := "continued", 1
		cut := acpserver.Cut{Session: "s1"}
		if url == server.WebSocketURL() {
			outcome, cut = "restarted", acpserver.Cut{}
		}
		want := ""
		for i, how := range []string{acpserver.Clean, acpserver.Reset} {
			say(page, "count 40 @go")
			server.Pass("go", 20)
			shows(page, want+chunks(1, 20))
			cut.How = how
			if n := server.Cut(cut); n != 1 {
				t.Fatalf("%d streams were cut", n)
			}
			server.Pass("go", 20)
			want += chunks(1, 40)
			shows(page, want)
			if stop := ended(page); stop != "end_turn" {
				t.Errorf("%s: it ended with %q", how, stop)
			}
			if outcome == "restarted" {
				initializes++
			}
			quietly(t, server, initializes, i+1)
		}
		page.WaitFor(`chats.s1.resumed.length === 2`)
		got := chrome.Eval[struct{ Resumed, Ends, Integrity []string }](
			page, `(({ resumed, ends, integrity }) => ({ resumed, ends, integrity }))(chats.s1)`)
		same(t, "resumed", got.Resumed, []string{outcome, outcome})
		same(t, "the ends", got.Ends, []string{"end_turn", "end_turn"})
		same(t, "integrity", got.Integrity, nil)
	})
}

// TestAgentServerRestarted: the agent's process dies in a turn and comes back: the
// turn has failed, as the agent says, and the session goes on with all of it.
func TestAgentServerRestarted(t *testing.T) {
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		page := openChat(t, url)
		say(page, "count 40 @go")
		server.Pass("go", 10)
		shows(page, chunks(1, 10))
		server.Restart()
		if stop := ended(page); stop != "error" {
			t.Errorf("it ended with %q", stop)
		}
		page.WaitFor(`chats.s1.resumed.join() === "restarted" && agent.state === "open"`)
		shows(page, chunks(1, 10))
		say(page, "count 3")
		ended(page)
		shows(page, chunks(1, 10)+chunks(1, 3))
		quietly(t, server, 1, 1) // of the new process
		if states := chrome.Eval[[]string](page, `states`); states[0] != "reconnecting" ||
			states[len(states)-1] != "open" {
			t.Errorf("states %v", states)
		}
	})
}
