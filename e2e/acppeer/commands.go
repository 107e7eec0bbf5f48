//go:build !js

package acppeer

import (
	"fmt"
	"strconv"
	"strings"
)

// Commands is what the agent does unless OnPrompt says otherwise. The prompt's
// text is one command; "@name" in it is a gate to wait at before each update.
//
//	count N        N chunks of one message, numbered on over the session's turns
//	twice N        the same, and then two idles
//	never N        the same, and then no idle
//	nameless N     the same in chunks without messageId
//	stranger       an update for session "nobody", then idle
//	terminal N     N bytes of terminal output in pieces of 64 KiB
//	permission     asks, and says the answer
//	ask            asks with a form, and says the answer
//	withdraw       asks for a permission and takes it back behind the gate
//	mute           the prompt is never answered, in v2 nor v1
//	refuse         the prompt is answered with -32602
//
// Anything else is said back.
func Commands(t *Turn) {
	words := strings.Fields(t.Text)
	name, gate, n := "", "", 3
	for i, word := range words {
		if number, err := strconv.Atoi(word); err == nil {
			n = number
		} else if at, ok := strings.CutPrefix(word, "@"); ok {
			gate = at
		} else if i == 0 {
			name = word
		}
	}
	switch name {
	case "mute":
		return
	case "refuse":
		t.Reject(-32602, "the agent does not take this prompt")
		return
	}
	t.Accept()
	t.Running()
	message := t.NextID("a")
	stop := "end_turn"
	switch name {
	case "count", "twice", "never":
		t.Count(message, n, gate)
	case "nameless":
		t.Count("", n, gate)
	case "stranger":
		t.p.PushStray(t.Session, "nobody", `{"sessionUpdate":"agent_message_chunk","messageId":"a1",`+
			`"content":{"type":"text","text":"psst"}}`)
	case "terminal":
		t.Terminal(n, 64<<10)
	case "permission", "ask", "withdraw":
		t.question(name, gate, message)
	default:
		t.Chunk(message, t.Text)
	}
	if t.Cancelled() {
		stop = "cancelled"
	}
	switch name {
	case "never":
		return
	case "twice":
		t.Idle(stop)
	}
	t.Idle(stop)
}

func (turn *Turn) question(name, gate, message string) {
	var q *Question
	if name == "ask" {
		q = turn.Elicit()
	} else {
		q = turn.Permission(turn.NextID("c"))
	}
	turn.State("requires_action", "")
	if name == "withdraw" && (gate == "" || turn.Gate(gate)) {
		q.Withdraw()
	}
	a, ok := turn.Wait(q)
	if !ok {
		q.Withdraw()
		return
	}
	turn.Running()
	turn.Chunk(message, fmt.Sprintf("answer: %s%s", a.Result, a.Error))
}
