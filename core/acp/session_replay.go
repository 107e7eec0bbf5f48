package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// replay is a session's history, which the agent sends once more. The app keeps what it
// has until all of it is there: chunks that come again would be shown twice.
type replay struct {
	state   replayState
	request *request // the client's; over where the replay was cut
	tries   int
	until   engine.Time // however much comes
	updates [][]byte
	had     int    // so many had come when it was cut last
	alone   bool   // nothing can have come before it
	bytes   int    // of the updates; beyond its bound they are dropped
	said    []byte // of them who is at work, as the last says it
}

// replayState says who has asked for a replay, and how it goes. enter alone changes it.
type replayState uint8

const (
	replayComing   replayState = iota // the client has asked for it
	replayBare                        // the same; the agent takes the session up, and has no history
	replayCut                         // its stream broke: it is asked for once more when the agent is heard again
	replayOfApp                       // the app has asked for it, of a session that it has already
	replayOfAppCut                    // and its stream broke: the client asks for it once more behind it
)

// replayTransitions are the states that may follow each.
var replayTransitions = engine.Transitions{
	replayComing:   1<<replayBare | 1<<replayCut,
	replayBare:     1<<replayComing | 1<<replayCut,
	replayCut:      1<<replayComing | 1<<replayBare,
	replayOfApp:    1 << replayOfAppCut,
	replayOfAppCut: 0,
}

// enter has the replay in another state.
func (r *replay) enter(c *Client, next replayState) {
	engine.Enter(&replayTransitions, &r.state, next, &c.illegalTransitions)
}

// replayEnd is how a replay ended.
type replayEnd uint8

const (
	replayWhole   replayEnd = iota // the agent says that this was all
	replayFailed                   // it refused, or was not heard
	replayMissing                  // it has no such session
)

const (
	// replayQuiet is how long nothing may come of a replay, in ms; replayWithin how
	// long it may take altogether.
	replayQuiet  = 60_000
	replayWithin = 600_000
	// replayTries is how often a history is asked for that is cut each time.
	replayTries = 8
)

// askReplay asks the agent for the session's history, if it can send it.
func (s *session) askReplay(c *Client, now engine.Time) {
	if s.replay != nil || !s.known || s.version() == 1 && (s.turn.open() || s.answers(c)) {
		// What a version 1 agent at work makes of session/load nobody says; the
		// answer to the prompt, which ends its turn, is kept for us.
		return
	}
	if method, extra := s.conn.replayMethod(); method == "" || extra == "" && method == "session/resume" && s.history != historyUnbound {
		outcome := engine.Gapped
		if s.history != historyUnbound && s.stream != nil && s.stream.resumes {
			outcome = engine.Continued // what was missed comes on the stream, as far as can be known
		}
		s.enterHistory(c, historyWhole)
		s.resumed(c, outcome)
		s.settleDoubt(c, now, false)
		s.release(c, now)
		return
	}
	s.replay = &replay{}
	s.replay.ask(c, now, s)
}

// tellAgain asks for the history of a session whose log was written again without it; where somebody is at
// work, or more of one may come, once that is over. Where the store has failed as it was given one it would
// fail with the next (fault 702).
func (s *session) tellAgain(c *Client) {
	if s.transcript.Len() == 0 || s.conn == nil || !s.conn.tellsHistory() || !c.writer.Has(s.logged) {
		return
	}
	if s.history == historyWhole {
		s.missed(c)
		s.unlogged = true // the app has missed nothing, and hears of nothing
	}
	if s.reads(c) && !s.turn.open() && s.trailing.by == engine.Never {
		s.askReplay(c, c.effects.Now)
	}
}

// loggedIn takes up the sessions that the agent has refused because nobody was logged in: on a new connection
// it would know none of them (fault 678).
func (c *Client) loggedIn(now engine.Time) {
	for _, s := range c.sessions {
		if s.state != sessionOwned || s.refused == historyWhole {
			continue
		}
		if s.history < s.refused {
			s.enterHistory(c, s.refused)
		}
		if s.refused = historyWhole; s.reads(c) {
			s.askReplay(c, now)
		}
	}
}

// ask asks for the history, or once more.
func (r *replay) ask(c *Client, now engine.Time, s *session) {
	method, extra := s.conn.replayMethod()
	params := append(append([]byte(nil), s.facts[:len(s.facts)-1]...), extra...)
	r.had, r.updates, r.bytes, r.said = len(r.updates), nil, 0, nil
	if method == "session/resume" && extra == "" {
		r.enter(c, replayBare)
	} else {
		r.enter(c, replayComing)
	}
	r.tries++
	r.alone = !s.conn.restored && s.heardOn != s.conn
	r.until = now.After(replayWithin)
	r.request = c.newRequest(now, method, s, s.withServers(append(params, '}')))
	r.request.role = roleReplay
	r.request.by = r.request.answerBy(c, now)
	r.request.send(c, now)
}

// again asks once more for what was cut, within bounds.
func (r *replay) again(c *Client, now engine.Time, s *session) {
	if r.tries >= replayTries {
		s.replayed(c, now, replayFailed, nil)
		return
	}
	r.ask(c, now, s)
}

// cut notes that the stream on which the history comes broke: some of it may be
// missing, its end as well.
func (r *replay) cut(c *Client) {
	switch {
	case r.state >= replayOfApp:
		r.enter(c, replayOfAppCut)
	case r.state != replayCut:
		r.enter(c, replayCut)
		if r.request.state != requestOver { // else its answer came first
			r.request.over(c)
			c.dropped[r.request.id] = true
		}
	}
}

// replays reports whether a request of the app's brings a history.
func replays(method string, params []byte) bool {
	from, _ := jsonrpc.Member(params, "replayFrom")
	return method == "session/load" || jsonrpc.IsObject(from)
}

// replayMethod returns how the agent is asked for a history, "" where it has none.
func (n *connection) replayMethod() (method, extra string) {
	if n.version == 1 {
		agent, _ := jsonrpc.Member(n.result, "agentCapabilities")
		if load, _ := jsonrpc.Member(agent, "loadSession"); string(load) == "true" {
			return "session/load", ""
		}
		session, _ := jsonrpc.Member(agent, "sessionCapabilities")
		if resume, _ := jsonrpc.Member(session, "resume"); jsonrpc.IsObject(resume) {
			return "session/resume", "" // which brings no history
		}
		return "", ""
	}
	capabilities, _ := jsonrpc.Member(n.result, "capabilities")
	if session, _ := jsonrpc.Member(capabilities, "session"); jsonrpc.IsObject(session) {
		return "session/resume", `,"replayFrom":{"type":"start"}`
	}
	return "", ""
}

// tellsHistory reports whether it has one.
func (n *connection) tellsHistory() bool {
	method, extra := n.replayMethod()
	return method == "session/load" || extra != ""
}

// add keeps an update until the history is whole.
func (r *replay) add(c *Client, s *session, now engine.Time, update []byte) {
	if r.request != nil && r.request.by != engine.Never {
		r.request.by = min(now.After(replayQuiet), r.until)
	}
	if isState(update) {
		r.said = bytes.Clone(update) // the last word on it, however much came before
		return
	}
	if r.bytes > c.cfg.Limits.Replay {
		return // its end is a gap
	}
	r.updates = append(r.updates, bytes.Clone(update))
	r.bytes += len(update)
	if r.bytes > c.cfg.Limits.Replay {
		r.updates = nil
		c.integrity(s, "oversized_replay")
	}
}

// replayed takes the end of a replay. What came on the stream before it began is in
// its updates, too: it begins where the first item that is known comes once more.
func (s *session) replayed(c *Client, now engine.Time, end replayEnd, result []byte) {
	r := s.replay
	s.replay = nil
	if r == nil || s.state == sessionDropped {
		return
	}
	updates, unlogged := r.updates, s.unlogged
	s.unlogged = false // a turn that ends with it asks for none
	outcome := engine.Continued
	ok, bare := end == replayWhole && r.bytes <= c.cfg.Limits.Replay, r.state == replayBare
	switch {
	case end == replayMissing:
		outcome, s.had = "lost", false
	case !ok || bare:
		outcome = engine.Gapped
	case s.history == historyUnbound:
		outcome = engine.Restarted
	}
	updates = s.withoutRest(c, r, updates)
	at, begins := s.begin(updates)
	switch {
	case bare && ok:
	case ok, begins && s.covers(c, updates[at:]):
		// A history without an end that has all we had is better than ours.
		updates = fromBeginning(updates, at)
		s.first, s.protocol = nil, s.version()
		s.transcript.SetVersion(s.protocol)
		s.transcript.Reset(s.emit(c))
		s.activities = activities{}
		for _, q := range c.requests {
			if q.session == s && q.state == requestQueued {
				q.stays(c, now) // the log says that it leaves behind the history (fault 705)
			}
		}
		c.rewrite(s)
		if r.said == nil && s.version() == 1 && s.turn.open() {
			c.writeState(s) // no history of version 1 says it
		}
	case begins:
		updates = updates[:at] // the rest would be shown twice
	}
	for _, u := range updates {
		s.reduce(c, now, u)
		c.writeUpdate(s, u)
	}
	if ok {
		s.apply(c, now, sessionValues(result))
	}
	if unlogged {
		s.logged = c.writer.Next()
	}
	if end == replayWhole {
		s.takenUp()
	}
	for _, p := range c.requests {
		if p.session == s && p.method == "session/prompt" && s.placed[p.id] && s.turn.n == p.turn {
			s.turn.expect(c, ok) // its answer is lost, and with it maybe a turn
		}
	}
	if state := r.said; state != nil {
		told := ok || givesReason(state)
		s.snapshot(c, now, state, told && s.hasBegun())
		c.writeUpdate(s, state)
		if ok && s.outran(c) {
			s.turn.expect(c, true)
		}
		if told {
			s.endRead(c, now)
		}
	}
	if s.turn.state == turnCancelling {
		s.markCancelled(c)
	}
	if s.enterHistory(c, historyWhole); r.state == replayOfAppCut {
		s.missed(c)
	}
	s.orphansHeard(now)
	if !unlogged {
		s.resumed(c, outcome)
	}
	s.settleDoubt(c, now, ok && !bare)
	s.comesAgain(c)
	if s.history != historyWhole && s.reads(c) {
		s.askReplay(c, now)
	}
	if s.reads(c) {
		s.release(c, now)
	}
	c.hurry(now)
	if !s.busy(c) {
		c.lend(now)
	}
}

// comesAgain notes that a request of the app's which has left brings the history once more.
func (s *session) comesAgain(c *Client) {
	for _, r := range c.requests {
		if r.session == s && r.role == roleApp && r.state == requestSent {
			r.afresh(c)
		}
	}
}

// outran reports whether a prompt that the agent has held came into the history
// while nobody read: of two turns, the one it was sent in and its own, the app has heard
// of one end at most.
func (s *session) outran(c *Client) bool {
	for _, r := range c.requests {
		if r.session == s && r.method == "session/prompt" && s.placed[r.id] && r.turn == s.turn.n {
			return !s.turn.open()
		}
	}
	return false
}

// settleDoubt ends prompts of which nobody knew whether the agent has them: the
// history has shown it, or nothing will.
func (s *session) settleDoubt(c *Client, now engine.Time, whole bool) {
	for _, r := range c.allRequests() {
		switch {
		case r.session != s || r.method != "session/prompt" || r.state != requestSent || s.version() == 1:
		case s.placed[r.id] && whole:
			// Its answer may have been lost with the connection.
			r.over(c)
			c.dropped[r.id] = true
			r.tellExpected(c)
			r.settle(c, now, []byte("{}"))
		case r.doubtful != nil && r.conn == nil:
			r.fail(c, now, r.doubtful)
		}
	}
	if whole && s.turn.said == "idle" {
		s.transcript.TurnEnded(s.emit(c))
	}
}

// resumed tells the app what became of what was said while nobody read.
func (s *session) resumed(c *Client, outcome engine.Resumption) {
	b := jsonrpc.AppendString([]byte(`{"outcome":`), string(outcome))
	b = jsonrpc.Raw(b, `,"proven":false,"cuts":`)
	b = append(appendUint(b, uint64(s.cuts)), '}')
	s.cuts = 0
	c.deliver(s, engine.EventResumed, 0, b)
}
