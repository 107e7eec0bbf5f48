//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAgentBesideOfficial runs one script with this client and with the official
// one, side by side against the official server: a count to 40, cut after 20. It
// prints what each showed; only of ours it asserts anything.
func TestAgentBesideOfficial(t *testing.T) {
	long(t)
	t.Parallel()
	var table strings.Builder
	for _, how := range []string{acpserver.Clean, acpserver.Reset} {
		server := acpserver.Start(t, acpserver.Options{})
		ours := chrome.Open(t, chatPage(chrome.NewSite(t), server.URL(), "{}"))
		ours.WaitFor(`window.ready`)
		beginChat(ours) // s1
		theirs := acpserver.StartOfficial(t, server.URL(), 2)
		say(ours, "count 40 @ours")
		theirs.Prompt("count 40 @theirs")
		server.Pass("ours", 20)
		server.Pass("theirs", 20)
		shows(ours, chunks(1, 20))
		theirs.Await("half of it", func(r acpserver.Report) bool { return r.Text == chunks(1, 20) })
		for _, session := range []string{"s1", theirs.Report().Session} {
			if n := server.Cut(acpserver.Cut{Session: session, How: how}); n != 1 {
				t.Fatalf("%d streams of %s were cut", n, session)
			}
		}
		server.Release("ours")
		server.Release("theirs")
		shows(ours, chunks(1, 40))
		if stop := ended(ours); stop != "end_turn" {
			t.Errorf("%s: ours ended with %q", how, stop)
		}
		// The agent has done with both, and a round trip is over: what is to come of
		// the other one has come.
		server.AwaitKind("idle", 2)
		theirs.List()
		report := theirs.Await("an answer to session/list, or the end", func(r acpserver.Report) bool {
			return r.Closed || len(r.Results) > 1 || len(r.Errors) > 0
		})
		deletes := len(acpserver.Requests(server.Log(), "DELETE"))
		row := func(who string, shown int, end, more string) {
			fmt.Fprintf(&table, "\n%-6s %-9s %2d of 40 shown, the turn %s%s", how, who, shown, end, more)
		}
		row("holdfast", strings.Count(chrome.Eval[string](ours, `text("s1")`), "⟨"), "ended with end_turn",
			"")
		end := "is still running for it"
		if states := report.States; len(states) > 0 && strings.HasPrefix(states[len(states)-1], "idle") {
			end = "ended"
		}
		row("official", strings.Count(report.Text, "⟨"), end,
			fmt.Sprintf("; closed %v, DELETEs %d, errors %q", report.Closed, deletes, report.Errors))
	}
	t.Log(table.String())
}
