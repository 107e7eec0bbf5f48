package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// replay is a session's history that is told anew. The app keeps what it has
// until all of it is there: chunks that are told again would be shown twice
// (spec/acp.md 4, replay).
type replay struct {
	asked   bool     // by the app, of a session that it has already
	holed   bool     // and has been cut itself
	request *request // by this side; over where it is broken
	broken  bool     // it was cut, and is asked for once more when the agent is heard again
	updates [][]byte
	bytes   int
	over    bool // it is larger than its bound
}

// askReplay asks the agent for the session's history, if it can tell it.
func (s *session) askReplay(c *Client, now engine.Time) {
	if s.replay != nil || !s.known || s.version() == 1 && s.turn.open {
		// What a version 1 agent at work makes of session/load nobody says; the
		// answer to the prompt, which ends its turn, is kept for us.
		return
	}
	if method, _ := s.conn.replayMethod(); method == "" {
		s.strayed, s.holed = false, false
		s.resumed(c, "gap")
		s.settleDoubt(c, now, false)
		return
	}
	s.replay = &replay{}
	s.replay.ask(c, now, s)
}

// ask asks for the history, or once more.
func (r *replay) ask(c *Client, now engine.Time, s *session) {
	method, extra := s.conn.replayMethod()
	params := append(append([]byte(nil), s.facts[:len(s.facts)-1]...), extra...)
	if _, ok := jsonrpc.Member(s.facts, "mcpServers"); !ok {
		params = append(params, `,"mcpServers":[]`...)
	}
	r.updates, r.bytes, r.broken = nil, 0, false
	r.request = c.newRequest(now, method, s, append(params, '}'))
	r.request.role, r.request.by = roleReplay, now.After(replayWithin)
	r.request.send(c, now)
}

// cut notes that the stream on which the history comes broke: some of it may be
// missing, its end as well.
func (r *replay) cut(c *Client) {
	if r.asked {
		r.holed = true
		return
	}
	if !r.broken {
		r.broken = true
		r.request.over(c)
		c.dropped[r.request.id] = true
	}
}

// replayWithin is how long a history may take to be told, in ms.
const replayWithin = 60_000

// replayMethod returns how the agent is asked for a history, "" where it has none.
func (n *connection) replayMethod() (method, extra string) {
	if n.version == 1 {
		agent, _ := jsonrpc.Member(n.result, "agentCapabilities")
		if load, _ := jsonrpc.Member(agent, "loadSession"); string(load) == "true" {
			return "session/load", ""
		}
		return "", ""
	}
	capabilities, _ := jsonrpc.Member(n.result, "capabilities")
	if session, ok := jsonrpc.Member(capabilities, "session"); ok && jsonrpc.IsObject(session) {
		return "session/resume", `,"replayFrom":{"type":"start"}`
	}
	return "", ""
}

// add keeps an update until the history is whole.
func (r *replay) add(c *Client, s *session, now engine.Time, update []byte) {
	r.updates = append(r.updates, bytes.Clone(update))
	r.bytes += len(update)
	if r.bytes > c.cfg.Limits.Replay && !r.over {
		r.over = true
		c.integrity(s, "oversized_replay")
		s.replayed(c, now, false, nil)
	}
}

// replayed takes the end of a history. What came on the stream before it began is
// in it, too: it begins where the first item that is known is told again.
func (s *session) replayed(c *Client, now engine.Time, ok bool, result []byte) {
	r := s.replay
	s.replay = nil
	if r == nil || s.transcript == nil {
		return
	}
	updates := r.updates
	outcome := "continued"
	switch {
	case !ok:
		outcome = "gap"
	case s.strayed:
		outcome = "restarted"
	}
	if ok {
		updates = updates[s.begin(updates):]
		s.first = nil
		s.transcript.reset(s.emit(c))
		c.rewrite(s)
	}
	var state []byte // who is at work is the last word on it
	for _, u := range updates {
		if isState(u) {
			state = u
			continue
		}
		s.reduce(c, now, u)
		c.writeUpdate(s, u)
	}
	if ok {
		s.apply(c, now, sessionValues(result))
	}
	if state != nil {
		s.stateUpdate(c, now, state)
		c.writeUpdate(s, state)
	}
	s.strayed, s.holed = false, r.holed
	s.resumed(c, outcome)
	s.settleDoubt(c, now, ok)
	if s.holed {
		s.askReplay(c, now)
	}
}

// begin returns where among updates the history begins: where its first item is
// told for the last time, whole or its first piece.
func (s *session) begin(updates [][]byte) int {
	at, before := 0, []byte(nil)
	for i, u := range updates {
		name := nameOf(u)
		if s.first != nil && bytes.Equal(name, s.first) && !bytes.Equal(before, s.first) {
			at = i
		}
		before = name
	}
	return at
}

// settleDoubt ends prompts of which nobody knew whether the agent has them: the
// history has shown it, or nothing will.
func (s *session) settleDoubt(c *Client, now engine.Time, whole bool) {
	for _, r := range append([]*request(nil), c.requests...) {
		switch {
		case r.session != s || r.method != "session/prompt" || r.phase != requestSent || s.version() == 1:
		case s.placed[r.id] && whole:
			// Its answer may have been lost with the connection.
			r.over(c)
			c.dropped[r.id] = true
			c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: []byte("{}")})
		case r.doubtful != nil && r.conn == nil:
			r.fail(c, now, r.doubtful)
		}
	}
	if whole && s.turn.state == "idle" {
		s.transcript.idle(s.emit(c))
	}
}

// resumed tells the app what became of what was said while nobody read.
func (s *session) resumed(c *Client, outcome string) {
	b := jsonrpc.AppendString([]byte(`{"outcome":`), outcome)
	b = append(b, `,"proven":false,"cuts":`...)
	b = append(appendUint(b, uint64(s.cuts)), '}')
	s.cuts = 0
	c.deliver(s, engine.EventResumed, 0, b)
}
