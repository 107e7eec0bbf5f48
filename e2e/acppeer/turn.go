//go:build !js

package acppeer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
)

// A Turn is what a prompt began. What its methods send goes to every connection
// attached to the session, the answer to the prompt's own.
type Turn struct {
	// Text is the prompt's first text, Prompt all of its blocks as JSON.
	Text, Prompt string
	// Session is the id of the session, MessageID that of the user message.
	Session, MessageID string

	p    *Peer
	s    *session
	c    *connection
	id   json.RawMessage
	ctx  context.Context
	once sync.Once
}

// OnPrompt replaces what the agent does with prompts, which is [Commands]. f runs
// on its own for every prompt, at the same time as others.
func (p *Peer) OnPrompt(f func(*Turn)) { p.change(func() { p.onPrompt = f }) }

func (p *Peer) prompt(c *connection, s *session, m message) {
	var params promptParams
	json.Unmarshal(m.Params, &params)
	t := &Turn{Text: params.text(), Prompt: string(params.Prompt), Session: s.id, p: p, s: s, c: c, id: m.ID}
	ctx, stop := context.WithCancel(p.ctx)
	t.ctx = ctx
	var f func(*Turn)
	p.change(func() {
		s.attached[c] = true
		s.made++
		t.MessageID = fmt.Sprintf("u%d", s.made)
		s.stops = append(s.stops, stop)
		f = p.onPrompt
	})
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		defer stop()
		f(t)
	}()
}

// V2 reports whether the turn goes by v2. In v1 Accept, Echo, Running and State
// send nothing, and Idle answers the prompt.
func (turn *Turn) V2() bool { return turn.p.v2(turn.c) }

// Accept echoes the user message and acknowledges the prompt, in this order.
func (turn *Turn) Accept() {
	turn.Echo()
	turn.Acknowledge()
}

// Echo sends the user message. In v1 it is only kept, for session/load.
func (turn *Turn) Echo() {
	if !turn.V2() {
		content := fmt.Sprintf(`{"type":"text","text":%s}`, quote(turn.Text))
		turn.p.change(
			func() { turn.s.keep(`{"sessionUpdate":"user_message_chunk","content":` + content + `}`) })
	} else {
		turn.Update(fmt.Sprintf(`{"sessionUpdate":"user_message","messageId":%q,"content":%s}`,
			turn.MessageID, turn.Prompt))
	}
}

// Acknowledge answers the prompt: it is inserted.
func (turn *Turn) Acknowledge() {
	if turn.V2() {
		result := fmt.Sprintf(`{"messageId":%q}`, turn.MessageID)
		if turn.p.opts.EmptyAck {
			result = "{}"
		}
		turn.reply(success(turn.id, result))
	}
}

// Reject answers the prompt with an error.
func (turn *Turn) Reject(code int, why string) { turn.reply(failure(turn.id, code, why)) }

func (turn *Turn) reply(message string) {
	turn.p.change(func() { turn.p.push(turn.c, turn.s.id, message, nil) })
}

// Update sends an update, given as JSON.
func (turn *Turn) Update(update string) { turn.s.update(update) }

// Chunk sends a chunk of an agent's message; without messageID it has none.
func (turn *Turn) Chunk(messageID, text string) { turn.Update(agentChunk(messageID, text)) }

func agentChunk(messageID, text string) string {
	id := ""
	if messageID != "" {
		id = fmt.Sprintf(`"messageId":%q,`, messageID)
	}
	return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk",%s"content":{"type":"text","text":%s}}`, id,
		quote(text))
}

// Count sends n chunks of one message, "⟨n⟩" each, numbered on from the session's
// last; a gate other than "" is waited at before each. It reports whether it came
// to its end.
func (turn *Turn) Count(messageID string, n int, gate string) bool {
	for range n {
		if gate != "" && !turn.Gate(gate) || turn.ctx.Err() != nil {
			return false
		}
		turn.p.change(func() {
			turn.s.count++
			turn.s.send(agentChunk(messageID, fmt.Sprintf("⟨%d⟩", turn.s.count)))
		})
	}
	return true
}

// NextID makes an id that the session has not had, such as a3 for "a".
func (turn *Turn) NextID(letter string) string {
	turn.p.mu.Lock()
	defer turn.p.mu.Unlock()
	turn.s.made++
	return fmt.Sprintf("%s%d", letter, turn.s.made)
}

// State sends a state with more members, as JSON without braces.
func (turn *Turn) State(state, members string) {
	if turn.V2() {
		turn.Update(with(fmt.Sprintf(`{"sessionUpdate":%q,"state":%q}`, turn.p.opts.State, state), members))
	}
}

// Running sends the state running.
func (turn *Turn) Running() { turn.State("running", "") }

// Idle ends the turn: the state idle, or in v1 the prompt's answer. In v2 it may
// be sent again.
func (turn *Turn) Idle(stopReason string) { turn.End(stopReason, "") }

// End is Idle with more members, as JSON without braces.
func (turn *Turn) End(stopReason, members string) {
	stop := fmt.Sprintf(`"stopReason":%q`, stopReason)
	if members != "" {
		stop += "," + members
	}
	turn.State("idle", stop)
	if !turn.V2() {
		turn.once.Do(func() { turn.reply(success(turn.id, "{"+stop+"}")) })
	}
}

// Gate waits until the gate lets the turn through; false means that the turn was
// cancelled, or the Peer closed.
func (turn *Turn) Gate(name string) bool { return turn.p.pass(turn.ctx, name) }

// Cancelled reports whether session/cancel or close ended the turn.
func (turn *Turn) Cancelled() bool { return turn.ctx.Err() != nil }

// Done is closed when the turn is cancelled, or the Peer closed.
func (turn *Turn) Done() <-chan struct{} { return turn.ctx.Done() }

// Terminal sends a terminal with that many bytes of output, in pieces.
func (turn *Turn) Terminal(bytes, piece int) {
	id := turn.NextID("x")
	turn.Update(fmt.Sprintf(`{"sessionUpdate":"terminal_update","terminalId":%q,"command":"yes"}`, id))
	whole := base64.StdEncoding.EncodeToString(line(piece))
	for left := bytes; left > 0 && !turn.Cancelled(); left -= piece {
		data := whole
		if left < piece {
			data = base64.StdEncoding.EncodeToString(line(left))
		}
		turn.Update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"` + id + `","data":"` + data +
			`"}`)
	}
	turn.Update(fmt.Sprintf(`{"sessionUpdate":"terminal_update","terminalId":%q,"exitStatus":{"exitCode":0}}`,
		id))
}

// line is n bytes of short lines.
func line(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "y\n"[i%2]
	}
	return b
}
