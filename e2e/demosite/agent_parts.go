//go:build !js

package demosite

import (
	"encoding/json"
	"fmt"
	"time"
)

// explainTides is a long answer and nothing else.
func explainTides(a actor) *background {
	if a.think("They ask about tides. The moon first, then the sun, then why every harbour has its own.") {
		a.say(
			"The moon pulls at the sea, and most at the water that is nearest to it. That water heaps up, " +
				"and a second heap stands on the far side of the earth, where the pull is weakest. " +
				"The earth turns beneath both, so a harbour passes through two high tides in a little " +
				"more than " +
				"a day.\n\n" +
				"The sun pulls as well, about half as strongly. At new and at full moon the two pull " +
				"along one " +
				"line, and the tide is high: a spring tide. At half moon they pull across each other, and " +
				"the tide is low: a neap tide.\n\n" +
				"The rest is the coast. A bay that narrows lifts the water as a funnel does, and a " +
				"sea that is " +
				"nearly closed hardly feels it at all. This is why every harbour keeps a table of its own.")
	}
	return nil
}

// harbourDiff is what writeLog changes.
const harbourDiff = `--- a/log/harbour.md
+++ b/log/harbour.md
@@ -1,3 +1,5 @@
 # Harbour log
-Nothing so far today.
+06:12 High water, 4.5 m. The ferry left on time.
+09:40 The Albatross, from the north, at berth 7.
+11:05 Fog. The horn on the mole is on.
 Harbour master: Ada
`

var logPlan = []string{"Read what happened today", "Write it into the log", "Have the log checked"}

// writeLog has a plan, asks for permission to write, and leaves something in the
// background.
func writeLog(a actor) *background {
	plan := a.NextID("p")
	a.plan(plan, 0, logPlan...)
	if !a.say("I read what happened today first, then I write it down.") {
		return nil
	}
	const entries = 12
	read := a.tool("read", "Read the harbour radio",
		map[string]any{"rawInput": map[string]any{"channel": 12}})
	for i := range entries {
		if !a.wait(200 * time.Millisecond) {
			a.call(read, "cancelled", map[string]any{})
			return nil
		}
		a.call(read, "in_progress", text(fmt.Sprintf("%d of %d messages", i+1, entries)))
	}
	a.call(read, "completed", text(fmt.Sprintf("%d messages, three of them worth a line", entries)))
	a.plan(plan, 1, logPlan...)
	edit := a.tool("edit", "Write log/harbour.md", map[string]any{
		"locations": []any{map[string]any{"path": "/harbour/log/harbour.md", "line": 2}},
		"content": []any{map[string]any{"type": "diff",
			"changes": []any{map[string]any{"operation": "modify", "path": "/harbour/log/harbour.md"}},
			"patch":   map[string]any{"format": "git_patch", "text": harbourDiff}}},
	})
	a.call(edit, "paused", map[string]any{})
	if !a.mayWrite(edit) {
		if a.Cancelled() {
			a.call(edit, "cancelled", map[string]any{})
			return nil
		}
		a.call(edit, "failed", map[string]any{})
		a.say("Then I leave the file as it is.")
		return nil
	}
	a.Running()
	a.call(edit, "in_progress", map[string]any{})
	if !a.wait(700 * time.Millisecond) {
		a.call(edit, "cancelled", map[string]any{})
		return nil
	}
	a.call(edit, "completed", map[string]any{})
	a.plan(plan, 2, logPlan...)
	check := a.tool("execute", "Check the log, in the background", map[string]any{})
	if !a.say(
		"The log is written. It is being checked in the background, and I shall tell you when that is " +
			"done. You need not ask.") {
		a.call(check, "cancelled", map[string]any{})
		return nil
	}
	return &background{tool: check, takes: 6 * time.Second, then: func() {
		a.call(check, "completed", text("3 lines checked, nothing to correct"))
		a.plan(plan, 3, logPlan...)
		a.say("The log is checked: three lines, nothing to correct. Nobody had asked me; I told you while " +
			"you were idle.")
	}}
}

// mayWrite asks for permission, and waits for it as long as it takes.
func (a actor) mayWrite(tool string) bool {
	question, err := json.Marshal(map[string]any{
		"title":       "May I write the file?",
		"description": "log/harbour.md: three lines for one.",
		"subject":     map[string]any{"type": "tool_call", "toolCall": map[string]any{"toolCallId": tool}},
		"options": []any{
			map[string]any{"optionId": "write", "name": "Write it", "kind": "allow_once"},
			map[string]any{"optionId": "leave", "name": "Leave it", "kind": "reject_once"},
		},
	})
	if err != nil {
		panic(err) // all of it is written here
	}
	q := a.Ask("session/request_permission", string(question))
	a.State("requires_action", "")
	answer, ok := a.Wait(q)
	if !ok {
		q.Withdraw()
		return false
	}
	var chosen struct{ Outcome struct{ OptionID string } }
	json.Unmarshal([]byte(answer.Result), &chosen)
	return chosen.Outcome.OptionID == "write"
}

var lights = []string{
	"mole head     green  5 s", "north pier    red    3 s", "south pier    green  3 s",
	"ferry slip    white  fixed", "inner basin   white  fixed",
	"sand bar      yellow 10 s", "leading front white  2 s", "leading rear  white  4 s",
	"fog horn      sounds every 30 s", "9 of 9 as charted",
}

// checkLights runs a command whose output comes line by line.
func checkLights(a actor) *background {
	if !a.say("I look at each light in turn.") {
		return nil
	}
	terminal := a.NextID("x")
	run := a.tool("execute", "Check the lights",
		map[string]any{"content": []any{map[string]any{"type": "terminal", "terminalId": terminal}}})
	if !a.terminal(terminal, "lights --check all", 600*time.Millisecond, lights) {
		a.call(run, "cancelled", map[string]any{})
		return nil
	}
	a.call(run, "completed", map[string]any{})
	a.say("All nine are as charted. With this fog, that is good to know.")
	return nil
}

// knowsNoMore is the answer to anything else.
func knowsNoMore(a actor) *background {
	a.say("I am an actor, not a mind: I know three parts by heart, about tides, the harbour log and the " +
		"lights. Ask for one of them, and reload this page while I speak.")
	return nil
}
