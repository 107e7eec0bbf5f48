package acp

import (
	"bytes"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/acp/transcript"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// session is one conversation with the agent.
type session struct {
	handle     uint32 // what the page calls it
	id         string
	facts      []byte // {"sessionId","cwd","additionalDirectories"}: what resuming it takes
	servers    []byte // and the MCP servers for the agent to connect to, a JSON array; secret
	hadServers bool   // its head says that there are some
	conn       *connection
	stream     *stream // over HTTP; nil where none is held
	state      sessionState
	known      bool // the agent has said that it has it
	history    historyState
	protocol   int    // the version of its updates, while no connection says
	passing    bool   // of one request only, for a session that the app has not taken up
	cuts       int    // since it was whole
	used       uint32 // when it was last used, counted: the least one lends its stream to others
	wait       waitState
	since      engine.Time // of its stream, or of its being parked
	unseen     bool        // an earlier page left it, and the agent has not been heard since
	activities activities
	silent     bool // the app knows that it is not heard
	awaits     bool // the app knows that it waits until somebody has signed in: it heard of nothing else since
	transcript *transcript.Reducer
	turn       turn
	prefix     logPrefix // what was read of its log, in a tab that looks on
	reread     *reread   // the log that is read once more, while it is
	first      []byte    // names the first item of its history
	replay     *replay
	had        bool         // the agent has it on this connection, as far as it has said
	unlogged   bool         // nothing is missing here: its log alone lacks the history
	logged     uint32       // the commit that had the history which was asked for because of that last
	refused    historyState // in which the agent has said that somebody has to log in first; historyWhole where it has not
	heardOn    *connection  // on which the agent has said something of it, or was asked for its history
	trailing   trailing
	place      place           // of its last stream
	placed     map[uint64]bool // prompts that are in the history
	lately     []uint64        // the last of those, oldest first
	pending    map[uint64]bool // of earlier pages: the app knows of them
	earlier    uint64          // the prompt of an earlier page that an agent of version 1 is at work on; 0 for none
	before     uint32          // which turn there was when the app heard of those
	orphanedBy engine.Time     // until when the agent may at least say that it has one of those
	disownAt   engine.Time     // when it is looked whether it has; Never for none that are open
	dispatchAt engine.Time     // when prompts that were held back may leave; Never for none
	record     *record
	fold       *storedSession // what is stored of it, while another tab carries it
	ahead      []uint64       // prompts of this tab's that the one which carries it says are accepted, ahead of its log
	resend     []*question    // answered by an earlier page, and not taken as far as it knew
	drafts     durable.Drafts // of answers to what the agent asks
	unwanted   bool           // the app has forgotten it, and another tab carries it
}

// session returns the session with that handle, nil for none.
func (c *Client) session(handle uint32) *session {
	if handle == 0 || int(handle) > len(c.sessions) {
		return nil
	}
	if s := c.sessions[handle-1]; s.state != sessionDropped {
		return s
	}
	return nil // dropped
}

// sessionOf returns the session with that id, nil for none.
func (c *Client) sessionOf(id string) *session {
	for _, s := range c.sessions {
		if s.state != sessionDropped && s.id == id {
			return s
		}
	}
	return nil
}

// sessionNamed is sessionOf for an id as it came, raw: each update has one, which
// need not become a string.
func (c *Client) sessionNamed(value []byte) *session {
	for _, s := range c.sessions {
		if s.state != sessionDropped && s.id != "" && jsonrpc.IsString(value, s.id) {
			return s
		}
	}
	return nil
}

// newSession adds a session; facts are the params that made it, or its head.
func (c *Client) newSession(id string, facts []byte) *session {
	b := jsonrpc.AppendString([]byte(`{"sessionId":`), id)
	for _, name := range []string{"cwd", "additionalDirectories"} {
		if value, ok := jsonrpc.Member(facts, name); ok {
			b = appendName(b, name)
			b = append(b, value...)
		}
	}
	s := &session{handle: uint32(len(c.sessions) + 1), id: id, facts: append(b, '}'), conn: c.home, placed: map[uint64]bool{}, pending: map[uint64]bool{}, disownAt: engine.Never, dispatchAt: engine.Never}
	s.turn.said, s.turn.grace, s.trailing = "idle", noGrace, noTrailing
	s.servers = serversOf(facts) // a head says only that there are some
	s.protocol = c.handshakeVersion()
	s.transcript = transcript.New(s.version(), c.cfg.Limits.Item)
	c.sessions = append(c.sessions, s)
	return s
}

func (s *session) version() int {
	if s.conn != nil && s.conn.version != 0 {
		return s.conn.version
	}
	return s.protocol
}

// announce tells the app of the session.
func (s *session) announce(c *Client, restored bool) {
	b := append([]byte(nil), s.facts[:len(s.facts)-1]...)
	b = strconv.AppendBool(appendName(b, "restored"), restored)
	b = strconv.AppendBool(appendName(b, "owned"), s.state == sessionOwned)
	if s.record != nil {
		b = appendUint(appendName(b, "record"), s.record.ID) // what pages call it among themselves
	}
	c.effects.Add(engine.Effect{Kind: engine.Recall, C: engine.SubjectID(s.handle), Data: append(b, '}')})
}

// made takes a session that the agent has made. One that has its id already is over: the agent has forgotten
// it, and counts from the start (fault 677). On the connection on which it has that one it cannot have: it
// goes on with it (fault 706).
func (c *Client) made(now engine.Time, id string, params []byte) *session {
	s := c.sessionOf(id)
	if s != nil && !s.passing && !s.had {
		c.replaced(now, s)
		s = nil
	}
	isNew := s == nil
	if isNew {
		s = c.newSession(id, params)
	}
	s.takenUp()
	c.keep(s)
	if isNew {
		s.announce(c, false)
	}
	c.catchUp(now, s)
	s.attach(c, now)
	return s
}

// join adds a session that the app knows the agent to have: its stream is opened
// before it is asked for, and its history comes on it.
func (c *Client) join(now engine.Time, method string, params []byte) *session {
	id := sessionIn(params)
	s := c.sessionOf(id)
	switch {
	case s == nil:
		s = c.newSession(id, params)
		s.announce(c, false)
		c.catchUp(now, s)
	case s.passing:
		s.passing = false
		s.announce(c, false)
	case replays(method, params) && s.replay == nil:
		s.replay = &replay{state: replayOfApp} // its history comes once more
	}
	if c.home != nil && c.home.state == connOpen {
		s.attach(c, now)
	}
	return s
}

// joined takes the agent's answer to that.
func (s *session) joined(c *Client, now engine.Time, r *request, result []byte) {
	s.takenUp()
	c.keep(s)
	if s.replay != nil && s.replay.state >= replayOfApp {
		s.toldAll(c, now, result)
		return
	}
	if replays(r.method, r.params) {
		s.tellsAll(now)
	}
	s.apply(c, now, sessionValues(result))
	if s.history != historyWhole && s.reads(c) {
		s.askReplay(c, now) // its stream was cut on the way, or its connection lost
	}
}

// takenUp notes that the agent has the session on its connection.
func (s *session) takenUp() { s.known, s.had, s.refused = true, true, historyWhole }

// sessionIn returns the session that params name, "" for none.
func sessionIn(params []byte) string {
	value, _ := jsonrpc.Member(params, "sessionId")
	id, _ := jsonrpc.String(value)
	return id
}

// sessionValues returns what an answer says of a session, as the updates that
// would say the same.
func sessionValues(result []byte) [][]byte {
	var updates [][]byte
	for _, v := range []struct{ member, update string }{
		{"configOptions", "config_option_update"}, {"availableCommands", "available_commands_update"},
	} {
		if value, ok := jsonrpc.Member(result, v.member); ok && len(value) > 0 && value[0] == '[' {
			b := append([]byte(`{"sessionUpdate":"`+v.update+`","`+v.member+`":`), value...)
			updates = append(updates, append(b, '}'))
		}
	}
	if modes, ok := jsonrpc.Member(result, "modes"); ok { // version 1
		if mode, ok := jsonrpc.Member(modes, "currentModeId"); ok {
			b := append([]byte(`{"sessionUpdate":"current_mode_update","currentModeId":`), mode...)
			if all, ok := jsonrpc.Member(modes, "availableModes"); ok {
				b = appendMember(b, "availableModes", all) // which no update of the agent's tells
			}
			updates = append(updates, append(b, '}'))
		}
	}
	return updates
}

func (s *session) apply(c *Client, now engine.Time, updates [][]byte) {
	for _, u := range updates {
		s.update(c, now, u)
	}
}

// attach opens the session's stream, or takes up the session on a socket.
func (s *session) attach(c *Client, now engine.Time) {
	c.touch(s)
	if s.conn == nil || s.conn.state != connOpen || c.exchanges.IsShut() {
		return
	}
	if c.cfg.Transport == TransportWebSocket {
		s.agentHeard(now)
		s.streamUp(c, now)
		return
	}
	if s.stream != nil {
		return
	}
	if !c.makeRoom(now, s) {
		c.park(now, s)
		return
	}
	s.stream = newStream(c, s.conn, s)
	s.stream.resume(c, now)
	s.since = now
	s.enterWait(c, waitNone)
	s.stream.connect(c, now)
}

// want opens the session's stream, before those of others.
func (s *session) want(c *Client, now engine.Time) {
	switch {
	case s.stream != nil || c.cfg.Transport != TransportHTTP:
	case s.wait >= waitParked:
		s.enterWait(c, waitUrgent)
	default:
		s.enterWait(c, waitWanted)
	}
	s.attach(c, now)
}

// detach closes the session's stream.
func (s *session) detach(c *Client) {
	if s.stream != nil {
		s.stream.keepPlace()
		s.stream.close(c)
		s.stream = nil
	}
	s.replay, s.trailing = nil, noTrailing
	s.enterWait(c, waitNone)
}

// ready reports whether what the agent says of the session is being read, as far as
// can be seen: only then a request may leave (RFD streamable-http-websocket-transport).
func (s *session) ready(c *Client, now engine.Time) bool {
	c.touch(s)
	if c.cfg.Transport == TransportHTTP && s.stream == nil {
		s.attach(c, now)
	}
	return s.reads(c)
}

// reads reports whether what the agent says of the session is being read, or would be
// if it said something: not every host shows a head before that.
func (s *session) reads(c *Client) bool {
	return s.heard(c) || s.stream != nil && s.stream.x != 0 && s.stream.unseen
}

// heard reports whether what the agent says of the session is being read now.
func (s *session) heard(c *Client) bool {
	if c.cfg.Transport == TransportWebSocket {
		return s.conn != nil && s.conn.state == connOpen
	}
	return s.stream != nil && s.stream.x != 0 && s.stream.exchange.OK()
}

// agentHeard notes that the agent is heard.
func (s *session) agentHeard(now engine.Time) {
	s.unseen = false
	s.orphansHeard(now)
}

// streamUp does what waits for the agent to be read. What has been done is not done again.
func (s *session) streamUp(c *Client, now engine.Time) {
	if s.replay != nil && s.replay.state == replayCut {
		s.replay.again(c, now, s)
	} else if s.history != historyWhole {
		s.askReplay(c, now)
	}
	for _, q := range s.resend {
		if q.conn != s.conn {
			c.withdraw(now, q, withdrawnConnection)
			continue
		}
		c.reply(now, q, q.answer)
	}
	s.resend = nil
	s.release(c, now)
	c.hurry(now)
}

// cut notes that the session's stream broke.
func (s *session) cut(c *Client, now engine.Time) {
	answered := s.trailing.result != nil
	s.trailing = noTrailing // what was on its way is lost, or comes with what is asked for once more
	s.missed(c)
	s.cuts++
	switch {
	case s.replay == nil:
	case answered && s.replay.state >= replayOfApp:
		s.replay = nil // its request is over: the client asks
	default:
		s.replay.cut(c)
	}
}

// notified takes a notification of the agent's.
func (c *Client) notified(now engine.Time, n *connection, on *session, m jsonrpc.Message) {
	switch string(m.Method) {
	case "session/update":
		named, _ := jsonrpc.Member(m.Params, "sessionId")
		update, _ := jsonrpc.Member(m.Params, "update")
		if s := c.sessionNamed(named); s != nil && jsonrpc.IsObject(update) {
			if s.state == sessionOwned {
				s.update(c, now, update)
			}
			return
		}
		id, _ := jsonrpc.String(named)
		if id == "" || !jsonrpc.IsObject(update) {
			c.integrity(on, "malformed_update")
			return
		}
		if !c.wasDropped(id) {
			c.keepUnclaimed(id, update)
		}
	case "$/cancel_request":
		c.takeBack(now, n, m.Params)
	default:
		c.deliver(on, engine.EventNotification, 0, bytes.Clone(m.Raw))
	}
}

// update takes what the agent says of the session.
func (s *session) update(c *Client, now engine.Time, update []byte) {
	s.trails(now)
	s.heardOn = s.conn
	if s.replay != nil {
		s.replay.add(c, s, now, update)
		return
	}
	if s.conn != nil {
		s.conn.useful = true
	}
	held := s.heldPrompts(c, update)
	s.reduce(c, now, update)
	s.takenIn(held)
	c.writeUpdate(s, update)
}

// reduce applies an update to the session.
func (s *session) reduce(c *Client, now engine.Time, update []byte) {
	if isState(update) {
		s.stateUpdate(c, now, update)
		return
	}
	if s.first == nil {
		s.first = s.nameOf(update)
	}
	s.noteActivity(update)
	if what := s.transcript.Update(update, s.emit(c)); what != "" {
		c.integrity(s, what)
	}
}

// emit hands the operations on the transcript to the app, and notes which prompts
// are in it.
func (s *session) emit(c *Client) func(op []byte) {
	return func(op []byte) {
		if name, id, ok := transcript.ReadPromptOp(op); ok {
			s.placed[id] = name == "placed"
			s.turn.asked = s.turn.asked || s.placed[id]
			if name != "pending" {
				s.lately = noteLately(s.lately, id, name == "placed")
			}
			switch {
			case name == "pending" && s.pending[id] && s.disownAt == engine.Never: // else it is a replay
				s.orphanedBy = c.effects.Now.After(doubtFor)
				s.disownAt = s.orphanedBy
			case name != "pending" && !s.orphaned(c):
				s.disownAt = engine.Never
			}
			c.writePromptOp(s, name, id, op)
		}
		c.deliver(s, engine.EventItem, 0, c.effects.Copy(op))
	}
}

// dropNamed drops the session that params name.
func (c *Client) dropNamed(now engine.Time, s *session, params []byte) {
	if s == nil {
		if s = c.sessionOf(sessionIn(params)); s == nil {
			return
		}
	}
	state := engine.StreamClosed
	if s.passing {
		state = 0
	}
	c.drop(now, s, state)
}

// drop forgets a session; state tells the app, if it is not 0.
func (c *Client) drop(now engine.Time, s *session, state engine.StreamState) {
	if s.state == sessionDropped {
		return
	}
	for _, q := range c.allQuestions() {
		if q.session == s {
			c.withdraw(now, q, withdrawnClosed)
		}
	}
	s.detach(c)
	c.lend(now)
	if state != 0 {
		c.status(s, state, -1)
	}
	c.forgetRecord(s)
	s.enter(c, sessionDropped)
	s.transcript, s.turn.grace = nil, noGrace
	s.conn.closeUnused(c)
	for _, r := range c.allRequests() {
		switch {
		case r.session != s:
		case r.state == requestElsewhere && (r.method == "session/close" || r.method == "session/delete"):
			r.over(c) // as good as done
			c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: []byte("{}")})
		default:
			r.fail(c, now, &engine.Error{Code: engine.CodeClosed, Op: r.method, Message: "the session was closed"})
		}
	}
}

// replaced drops a session that the agent has no more, here and where another tab carries it.
func (c *Client) replaced(now engine.Time, s *session) {
	if s.state != sessionOwned {
		c.forwardForget(s)
		c.letGo(now, s)
		return
	}
	c.drop(now, s, engine.StreamClosed)
}

// Forget drops a session from the store and from the client; the agent does
// not hear of it, and keeps it. For agents that have no session/close.
func (c *Client) Forget(now engine.Time, handle uint32) {
	c.effects.Begin(now)
	switch s := c.session(handle); {
	case s == nil || c.state >= stateClosing:
	case s.state == sessionOwned:
		c.drop(now, s, engine.StreamClosed)
	default:
		c.forwardForget(s)
	}
}
