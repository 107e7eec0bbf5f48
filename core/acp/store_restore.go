package acp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// restorer is the client, to what is read (durable.Restorer). The app has sessions at once, with their
// transcripts.
type restorer struct {
	c         *Client
	forgotten []*session // whose records are deleted, unless they are written again
}

// Restore takes the handshake, a session, or a row of one that another tab carries.
func (r *restorer) Restore(item durable.Item) {
	c, now := r.c, r.c.effects.Now
	s := c.sessionOfRecord(item.Op.Call)
	switch {
	case item.Op.Kind == journal.OpServer:
		c.restoreHandshake(item.Op)
	case item.Op.Kind == journal.OpCall:
		s = c.restoreSession(now, item.Op, item.Log)
		rewritten := func(other *session) bool { return other == s }
		r.forgotten = slices.DeleteFunc(r.forgotten, rewritten)
	case s == nil || s.state == sessionOwned:
	case item.Op.Kind == journal.OpLog:
		c.follow(now, s, item.Op)
	case item.Op.Kind == journal.OpForget:
		r.forgotten = append(r.forgotten, s)
	}
}

// Restored ends what was read.
func (r *restorer) Restored(failure error) {
	c, now := r.c, r.c.effects.Now
	for _, s := range r.forgotten {
		s.record.Disown()
		s.record = nil
		c.drop(now, s, engine.StreamClosed)
	}
	if r.forgotten = nil; failure != nil {
		c.quarantined()
	}
	if c.state == stateNew {
		c.joinConnections(now)
	} else {
		c.fitStored() // where this tab has the session that takes most
	}
}

func (c *Client) sessionOfRecord(id uint64) *session {
	for _, s := range c.sessions {
		if s.state != sessionDropped && s.record != nil && s.record.ID == id {
			return s
		}
	}
	return nil
}

func (c *Client) restoreHandshake(op journal.Op) {
	server, err := journal.ParseServer(op.Plain, op.Secret)
	if err != nil {
		c.quarantined()
		return
	}
	c.handshake = server
}

// restoreSession takes a session as it is stored; nil where that is no news, or cannot
// be read.
func (c *Client) restoreSession(now engine.Time, op journal.Op, log []journal.Op) *session {
	head, err := readable(op, log)
	if err != nil {
		c.unreadable(now, op.Call)
		return nil
	}
	s, passed := c.restoreHead(now, op, head)
	if s == nil {
		return nil
	}
	s.reread.begin(log)
	for _, row := range log {
		c.foldRow(now, s, row) // readable has looked at it
	}
	s.rereadDone(c, now)
	c.restored(now, s, passed)
	return s
}

// restoreHead takes the head of a session: one that is new here, or one that has
// changed hands.
func (c *Client) restoreHead(now engine.Time, op journal.Op, head journal.Head) (*session, handover) {
	owned := op.Flags&journal.OpOwned != 0
	s := c.sessionOfRecord(op.Call)
	if s == nil {
		id := sessionIn(head.Params)
		if head.Method != sessionMethod {
			return nil, handedNowhere
		}
		if known := c.sessionOf(id); known != nil {
			if owned && known.record != nil { // two tabs have loaded it at once: one record is enough, and forgetting it has to be the end of it
				c.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: op.Call})
			}
			return nil, handedNowhere
		}
		s = c.newSession(id, bytes.Clone(head.Params))
		s.conn, s.known = nil, true
		if !owned {
			s.enter(c, sessionFollowed)
		}
		_, s.hadServers = jsonrpc.Member(head.Params, "servers")
		s.record = c.newRecord(s, op.Call, op.Epoch, head.CreatedAt)
		s.fold = newStoredSession(head, len(op.Plain))
		s.announce(c, true)
		return s, handedNowhere
	}
	if s.state == sessionOwned && !owned && op.Epoch == s.record.Epoch {
		return nil, handedNowhere // our own, which this tab has stored
	}
	// It has changed hands: its log is read from the start.
	was := s.state == sessionOwned
	if was {
		c.yieldRequests(s)
	}
	passed := handedNowhere
	switch {
	case was || owned:
		passed = handedHere
	case op.Epoch != s.record.Epoch:
		passed = handedOthers
	}
	s.detach(c)
	if owned {
		s.enter(c, sessionOwned)
	} else {
		s.enter(c, sessionFollowed)
	}
	s.reread = &reread{prefix: s.prefix, carried: was, epoch: s.record.Epoch}
	s.prefix = logPrefix{}
	s.record.restart(op.Epoch)
	s.record.Memory = !c.writer.Open() // else nobody writes it again once the store works
	for _, q := range c.allQuestions() {
		switch {
		case q.session != s:
		case q.state == questionAnswered:
			c.unask(q)
		default:
			q.restored, q.conn = true, nil // asked on; mirror knows whether anybody still waits
		}
	}
	s.pending, s.disownAt = map[uint64]bool{}, engine.Never
	s.transcript.ForgetPrompts() // mirror brings those that are open
	s.transcript.Reset(s.emit(c))
	s.activities = activities{}
	s.first, s.turn.last = nil, nil
	s.fold = newStoredSession(journal.Head{Method: sessionMethod}, len(op.Plain))
	switch {
	case owned:
		c.status(s, engine.StreamOwned, -1)
	case was:
		s.conn.closeUnused(c)
		c.status(s, engine.StreamFollowed, -1)
	}
	return s, passed
}

// foldRow takes a stored row that can be read: updates go to the app, the rest is kept until the last.
func (c *Client) foldRow(now engine.Time, s *session, op journal.Op) {
	s.reread.next()
	s.fold.Reapply(&followedRow{c, s}, op.Plain, op.Secret, func(_ engine.EventKind, _ uint32, data []byte) {
		s.record.history += len(data)
		if isState(data) {
			s.fold.Back, s.fold.Leaves = false, 0
			s.stateRead(c, now, data)
			return
		}
		s.reduce(c, now, data)
		s.ownRead(data)
	})
	c.recognize(now, s, op.Plain)
	s.record.Loaded(op)
	if s.state != sessionOwned {
		s.prefix.add(op)
	}
}

// restored goes on with a session of which all is read: this page's, or another
// tab's that it looks on.
func (c *Client) restored(now engine.Time, s *session, passed handover) {
	if s.state == sessionOwned {
		s.fold.AskAgain()
		c.restoreServers(s)
		s.record.conn = s.fold.Connection
		s.conn = c.connectionOf(s.fold.Connection)
		s.had = s.conn != nil
		s.place = place{conn: s.conn, id: s.fold.Cursor, seen: s.fold.Seen}
		s.record.cursor = s.fold.Cursor
		s.unseen = true
		s.missed(c)
	}
	c.mirror(s, passed)
	if s.state != sessionOwned {
		if passed != handedNowhere {
			c.handedOn(now, s)
		}
		return
	}
	for _, id := range s.ahead {
		s.transcript.Accepted(id, "", s.emit(c))
	}
	s.lately, s.ahead = s.fold.Placed, nil
	back, leaves := s.fold.Back, s.fold.Leaves != 0
	if n := len(s.lately); n > 0 && !back && s.version() == 1 && (s.turn.open() || leaves) && passed == handedNowhere {
		s.earlier = s.lately[n-1]
	}
	s.before = s.turn.n
	for _, reply := range s.fold.Outbox {
		q := &question{id: reply.ID, answer: reply.Message, state: questionAnswered, conn: s.conn, session: s, restored: true}
		if m, err := jsonrpc.Parse(reply.Asked, jsonrpc.Limits{Depth: c.cfg.Limits.Depth}); err == nil {
			q.raw, q.method, q.params = reply.Asked, string(m.Method), bytes.Clone(m.Params)
		}
		s.resend = append(s.resend, q)
		c.questions = append(c.questions, q)
	}
	for _, id := range s.fold.Taken {
		if s.conn != nil {
			s.conn.answered = noteAnswered(s.conn.answered, answered{s, id, markOf(s.fold.Marks, id)})
		}
	}
	switch s.fold = nil; {
	case back:
		s.broken(c, now) // the agent was to be at work on it; who looks on reads that it is not (fault 651)
	case leaves:
		s.works(c, now) // its page ended in the moment in which it left (fault 673)
	}
	if c.home == nil || c.state == stateNew || c.state >= stateClosing {
		return
	}
	c.settleConnection(now, s)
	c.takenOver(now, s)
	if s.state == sessionDropped || c.home.state == connNew {
		return // forgotten, or begun attaches it with the others
	}
	if s.conn.state == connNew {
		s.conn.reattach(c, now)
	} else {
		s.attach(c, now)
	}
}

// mirror tells the app what is open in a session, as it is stored: prompts that
// are not in the history, and what the agent asks.
func (c *Client) mirror(s *session, passed handover) {
	for _, p := range s.fold.Prompts {
		if !s.pending[p.ID] {
			s.pending[p.ID] = true
			s.transcript.Left(p.ID, p.Content, s.emit(c))
		}
		if p.Answer != nil {
			s.transcript.Accepted(p.ID, messageIn(p.Answer), s.emit(c))
		}
	}
	for _, q := range c.allQuestions() {
		if q.session == s && q.restored && !isQuestion(s.fold, q) {
			c.withdrawn(q, q.ending(s.fold))
			c.unask(q)
		}
	}
	for _, asked := range s.fold.Asked {
		if q := c.questionOf(s, asked.ID); q != nil && bytes.Equal(q.raw, asked.Message) {
			q.conn = s.conn
			if passed == handedHere && q.state == questionOpen {
				c.restoreDraft(q)
				c.ask(q)
			}
			continue
		}
		m, err := jsonrpc.Parse(asked.Message, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
		if err != nil {
			c.quarantined()
			continue
		}
		q := &question{id: asked.ID, raw: asked.Message, method: string(m.Method), params: bytes.Clone(m.Params), conn: s.conn, session: s, restored: true}
		c.questions = append(c.questions, q)
		c.restoreDraft(q)
		c.ask(q)
	}
}

// isQuestion reports whether a question is open in the store: that one, and not another under its id.
func isQuestion(r *storedSession, q *question) bool {
	return slices.ContainsFunc(r.Asked, func(a durable.Question) bool { return bytes.Equal(a.ID, q.id) && bytes.Equal(a.Message, q.raw) })
}

// markOf returns the mark of the last request that was answered under an id, 0 for an unknown one.
func markOf(all []answered, id []byte) uint64 {
	for i := len(all) - 1; i >= 0; i-- {
		if bytes.Equal(all[i].id, id) {
			return all[i].mark
		}
	}
	return 0
}

func (c *Client) questionOf(s *session, id []byte) *question {
	for _, q := range c.questions {
		if q.session == s && bytes.Equal(q.id, id) {
			return q
		}
	}
	return nil
}

// connectionOf returns the connection with that id, a new one where the client
// has none; nil for an id that could not be read.
func (c *Client) connectionOf(id string) *connection {
	if id == "" {
		return nil
	}
	for _, n := range c.connections() {
		if n.id == id {
			return n
		}
	}
	n := c.newConnection()
	n.id = id
	n.adopt(c)
	if c.home == nil {
		c.home = n // the page before this one had it, and this one goes on with it
	}
	return n
}

// adopt gives a connection of an earlier page what its handshake has said.
func (n *connection) adopt(c *Client) {
	n.restored, n.result, n.version = true, c.handshake.Result, c.handshakeVersion()
}

// joinConnections gives the sessions that have no connection the home one, where
// their history is replayed.
func (c *Client) joinConnections(now engine.Time) {
	if c.home != nil && len(c.home.result) == 0 {
		// Without the handshake nothing is known of the agent.
		c.home = nil
	}
	if c.home == nil {
		c.home = c.newConnection()
	}
	for _, s := range c.sessions {
		if s.state == sessionOwned {
			c.settleConnection(now, s)
		}
	}
}

// settleConnection gives a session that has no connection the home one. What was
// asked on the one it had nobody can answer any more.
func (c *Client) settleConnection(now engine.Time, s *session) {
	if s.conn == nil || len(s.conn.result) == 0 {
		s.conn = c.home
		s.enterHistory(c, historyUnbound)
		s.broken(c, now)
	}
	for _, q := range c.allQuestions() {
		if q.session == s && q.conn != s.conn {
			c.withdraw(now, q, withdrawnConnection)
		}
	}
}

// follow takes a row that the tab which carries s has stored. That another tab has it
// TakenOver says first.
func (c *Client) follow(now engine.Time, s *session, op journal.Op) {
	if s.fold == nil || op.Epoch != s.record.Epoch || !s.record.IsNext(op) {
		return
	}
	before := append([]storedPrompt(nil), s.fold.Prompts...)
	s.fold.Unsent = nil
	if s.fold.Check(op.Plain, op.Secret) != nil {
		c.unreadable(now, s.record.ID)
		return
	}
	c.foldRow(now, s, op)
	for _, p := range before {
		switch {
		case hasPrompt(s.fold, p.ID):
		case slices.Contains(s.fold.Unsent, p.ID):
			s.transcript.Unsent(p.ID, s.emit(c))
		default:
			s.transcript.Placed(p.ID, s.emit(c))
		}
	}
	c.mirror(s, handedNowhere)
}

func hasPrompt(r *storedSession, id uint64) bool {
	for _, p := range r.Prompts {
		if p.ID == id {
			return true
		}
	}
	return false
}
