//go:build !js

package acppeer

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// A Question is a request of the agent's to one connection.
type Question struct {
	// ID is its JSON-RPC id, a string as it is written on the wire: "q1".
	ID string

	p       *Peer
	c       *connection
	session string
	answer  *Answer // the first one
}

// An Answer is a response that arrived, refused or not: a question with two of
// them was answered twice.
type Answer struct {
	// ID is the JSON-RPC id as it was written.
	ID string
	// Connection it came over, Session it named.
	Connection, Session string
	// Result or Error as JSON.
	Result, Error string
	// Known is false for what nobody asked, or had taken back.
	Known bool
}

// Ask sends a request to the connection of the prompt; params lack the sessionId.
func (turn *Turn) Ask(method, params string) *Question {
	q := &Question{p: turn.p, c: turn.c, session: turn.s.id}
	turn.p.change(func() {
		turn.p.asked++
		q.ID = fmt.Sprintf("q%d", turn.p.asked)
		turn.p.questions[strconv.Quote(q.ID)] = q
		turn.p.push(turn.c, turn.s.id, q.message(method, params), nil)
	})
	return q
}

func (q *Question) message(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, q.ID, method,
		with(params, fmt.Sprintf(`"sessionId":%q`, q.session)))
}

// AskAgain sends the same request to another connection, as an agent does whose
// client came back on a new one.
func (q *Question) AskAgain(connection, method, params string) {
	q.p.change(func() {
		if c := q.p.connections[connection]; c != nil {
			q.c = c
			q.p.push(c, q.session, q.message(method, params), nil)
		}
	})
}

// Permission asks for permission to run a tool call: the options are y and n.
func (turn *Turn) Permission(toolCallID string) *Question {
	call := fmt.Sprintf(`{"toolCallId":%q,"title":"Delete the logs","kind":"delete"}`, toolCallID)
	options := `"options":[{"optionId":"y","name":"Allow","kind":"allow_once"},{"optionId":"n",` +
		`"name":"Deny","kind":"reject_once"}]`
	if turn.c.version == 1 {
		return turn.Ask("session/request_permission", fmt.Sprintf(`{"toolCall":%s,%s}`, call, options))
	}
	return turn.Ask("session/request_permission",
		fmt.Sprintf(`{"title":"Delete?","subject":{"type":"tool_call","toolCall":%s},%s}`, call, options))
}

// Elicit asks for a form with one text, "name".
func (turn *Turn) Elicit() *Question {
	return turn.Ask("elicitation/create", `{"mode":"form","message":"Who are you?",`+
		`"requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Name"}},`+
		`"required":["name"]}}`)
}

// Withdraw takes a question back with $/cancel_request, which goes to the
// connection's stream: it names no session.
func (q *Question) Withdraw() {
	q.p.change(func() {
		q.p.push(q.c, "", notification("$/cancel_request", fmt.Sprintf(`{"requestId":%q}`, q.ID)), nil)
	})
}

// Wait waits for the answer to a question. ok is false if the turn ends first.
func (turn *Turn) Wait(q *Question) (a Answer, ok bool) {
	ok = turn.p.await(turn.ctx, func() bool {
		if q.answer != nil {
			a = *q.answer
		}
		return q.answer != nil
	})
	return a, ok
}

// answered keeps a response.
func (p *Peer) answered(c *connection, m message, header string) {
	a := Answer{ID: string(m.ID), Connection: c.id, Session: header, Result: string(m.Result),
		Error: string(m.Error)}
	p.change(func() {
		q := p.questions[a.ID]
		a.Known = q != nil && q.answer == nil
		p.answers = append(p.answers, a)
		if a.Known {
			q.answer = &a
		}
	})
}

// Answers lists the responses that had an effect, or would have had one: those
// that a rule refused before are in [Peer.Requests] only.
func (p *Peer) Answers() []Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Answer(nil), p.answers...)
}

// withdrawn notes that the client cancelled a request of its own. A held prompt
// is none here: OnPrompt decides, by [Turn.Withdrawn].
func (p *Peer) withdrawn(c *connection, m message) {
	var params struct{ RequestID json.RawMessage }
	json.Unmarshal(m.Params, &params)
	p.change(func() { p.cancelled = append(p.cancelled, c.id+" "+string(params.RequestID)) })
}

// Withdrawn waits until the client takes its prompt back with $/cancel_request;
// false means that the turn ended first.
func (turn *Turn) Withdrawn() bool {
	return turn.p.await(turn.ctx, func() bool {
		for _, id := range turn.p.cancelled {
			if id == turn.c.id+" "+string(turn.id) {
				return true
			}
		}
		return false
	})
}
