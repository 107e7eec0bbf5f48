//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// turnShown is what a page shows of a whole turn, item by item.
const turnShown = `chats.s1.session.transcript.map((item) => {
	switch (item.type) {
		case "user_message":
		case "agent_message":
		case "agent_thought":
			return item.type + ": " + item.content.map(({ text }) => text).join("|");
		case "tool_call":
			return "tool: " + item.title + ", " + item.kind + ", " + item.status + ", " + item.content.map(({ type }) => type).join("+");
		case "terminal":
			return "terminal: " + item.command + " > " + item.text.trim() + ", " + item.exitStatus.exitCode;
		case "plan":
			return "plan: " + item.entries.map(({ content, status }) => content + " " + status).join(", ");
		default:
			return item.type;
	}
})`

// TestAgentTurn: a turn with everything in it, over both transports, and on each a
// version 1 agent, too.
func TestAgentTurn(t *testing.T) {
	t.Parallel()
	for name, versions := range map[string][]int{"version 2": {1, 2}, "version 1": {1}} {
		t.Run(name, func(t *testing.T) {
			row(t)
			overBoth(t, acpserver.Options{Versions: versions},
				func(t *testing.T, server *acpserver.Server, url string) {
					page := openChat(t, url)
					say(page, "think 2; plan; tool; count 5; facts")
					if stop := ended(page); stop != "end_turn" {
						t.Errorf("it ended with %q", stop)
					}
					got := chrome.Eval[[]string](page, turnShown)
					// In version 1 a tool's content is replaced by each update, and terminals
					// are the client's.
					tool := []string{"tool: Edit a file, edit, completed, diff"}
					if len(versions) == 2 {
						tool = []string{"tool: Edit a file, edit, completed, content+terminal+diff",
							"terminal: make check > grün, 0"}
					}
					same(t, "the transcript", got, slices.Concat([]string{
						"user_message: think 2; plan; tool; count 5; facts",
						"agent_thought: thought 1. thought 2. ",
						"plan: look completed, change completed, check completed",
					}, tool, []string{"agent_message: " + chunks(1, 5), "notice"}))
					facts := chrome.Eval[struct {
						Version, Used  int
						State, Title   string
						Commands, Stay int
					}](page, `(({ session, prompts, integrity }) => ({ version: agent.version, used: session.usage.used, state: session.state, title: session.title,
					commands: session.commands.length, stay: session.pending.length + integrity.length }))(chats.s1)`)
					if facts.Version != versions[len(versions)-1] || facts.Used != 1200 ||
						facts.State != "idle" || facts.Title != "Session s1" || facts.Commands != 2 ||
						facts.Stay != 0 {
						t.Errorf("of the session it knows %+v", facts)
					}
					quietly(t, server, 1, 1)
				})
		})
	}
}

// same compares lists line by line.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%s lacks %q", what, want[i])
		case i >= len(want):
			t.Errorf("%s has %q besides", what, got[i])
		case got[i] != want[i]:
			t.Errorf("%s, %d: %q, want %q", what, i, got[i], want[i])
		}
	}
}
