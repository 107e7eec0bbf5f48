//go:build !js

package demosite

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
)

// pace is the time between words: as fast as one reads aloud, so that there is
// time to reload in mid-sentence.
const pace = 110 * time.Millisecond

// An actor plays one turn.
type actor struct {
	*acppeer.Turn
	haste float64 // how many times faster than usual
}

// wait passes time; false means that the turn is cancelled, or the site closed.
func (a actor) wait(d time.Duration) bool {
	if !a.Gate(GateAgent) {
		return false
	}
	select {
	case <-time.After(time.Duration(float64(d) / a.haste)):
		return true
	case <-a.Done():
		return false
	}
}

// send sends an update of that kind.
func (a actor) send(kind string, members map[string]any) {
	members["sessionUpdate"] = kind
	b, err := json.Marshal(members)
	if err != nil {
		panic(err) // all of it is written here
	}
	a.Update(string(b))
}

// say says a message word by word. Its end says how much it was, so that a page can
// tell that nothing is lost and nothing came twice: how many words, and FNV-1a of
// the text.
func (a actor) say(text string) bool { return a.speak("agent_message", "a", text, pace) }

// think is say, faster, for thoughts.
func (a actor) think(text string) bool { return a.speak("agent_thought", "t", text, pace/2) }

func (a actor) speak(kind, letter, text string, pace time.Duration) bool {
	id := a.NextID(letter)
	said := ""
	for _, word := range strings.SplitAfter(text, " ") {
		if !a.wait(pace) {
			break
		}
		said += word
		a.send(kind+"_chunk", map[string]any{"messageId": id,
			"content": map[string]any{"type": "text", "text": word}})
	}
	if said != "" {
		sum := fnv.New32a()
		sum.Write([]byte(said))
		a.send(kind, map[string]any{"messageId": id, "_meta": map[string]any{
			"holdfast-demo/said": map[string]any{"words": len(strings.Fields(said)),
				"sum": fmt.Sprintf("%08x", sum.Sum32())},
		}})
	}
	return said == text
}

// A step of a plan.
type step struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// plan shows the steps of a plan, of which so many are done; the next one is under way.
func (a actor) plan(id string, done int, steps ...string) {
	entries := make([]step, len(steps))
	for i, content := range steps {
		entries[i] = step{content, "medium", "pending"}
		if i < done {
			entries[i].Status = "completed"
		} else if i == done {
			entries[i].Status = "in_progress"
		}
	}
	a.send("plan_update",
		map[string]any{"plan": map[string]any{"type": "items", "planId": id, "entries": entries}})
}

// tool begins a call of a tool.
func (a actor) tool(kind, title string, members map[string]any) (id string) {
	id = a.NextID("c")
	members["kind"], members["title"] = kind, title
	a.call(id, "in_progress", members)
	return id
}

// call says how a call of a tool stands.
func (a actor) call(id, status string, members map[string]any) {
	members["toolCallId"], members["status"] = id, status
	a.send("tool_call_update", members)
}

// text is content of a tool call.
func text(s string) map[string]any {
	return map[string]any{
		"content": []any{map[string]any{"type": "content",
			"content": map[string]any{"type": "text", "text": s}}}}
}

// terminal shows a command and its output line by line.
func (a actor) terminal(id, command string, every time.Duration, lines []string) bool {
	a.send("terminal_update", map[string]any{"terminalId": id, "command": command, "cwd": "/harbour"})
	for _, line := range lines {
		if !a.wait(every) {
			return false
		}
		a.send("terminal_output_chunk",
			map[string]any{"terminalId": id, "data": base64.StdEncoding.EncodeToString([]byte(line + "\n"))})
	}
	a.send("terminal_update", map[string]any{"terminalId": id, "exitStatus": map[string]any{"exitCode": 0}})
	return true
}
