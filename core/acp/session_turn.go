package acp

import (
	"bytes"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// turn is who is at work in a session. It follows what the agent says, never the
// answer to a prompt, which says only that it is accepted (fault 119).
type turn struct {
	said  string // the agent's word for it: running, idle, requires_action, or what a later draft has
	n     uint32 // counts the turns, from 1
	state turnState
	last  []byte // the snapshot, raw
	asked bool   // a prompt of some tab's has come into the history since the last turn ended: it is for that
	grace grace
}

// grace is the time that an agent has to begin a turn of which only a history is known.
// Both are Never where it has none.
type grace struct {
	until  engine.Time // until when it may begin
	lookAt engine.Time // when it is looked whether it has
}

var noGrace = grace{engine.Never, engine.Never}

// turnState says whether a turn is under way, as far as anybody has said. enter alone
// changes it.
type turnState uint8

const (
	turnNone       turnState = iota // nothing is expected of the agent
	turnExpected                    // a prompt was accepted, and no turn has been seen for it
	turnOpen                        // one is under way
	turnCancelling                  // one is, and the app has cancelled it
)

// turnTransitions are the states that may follow each.
var turnTransitions = engine.Transitions{
	turnNone:       1<<turnExpected | 1<<turnOpen,
	turnExpected:   1<<turnNone | 1<<turnOpen,
	turnOpen:       1<<turnNone | 1<<turnCancelling,
	turnCancelling: 1 << turnNone,
}

// enter has the turn in another state.
func (tn *turn) enter(c *Client, next turnState) {
	if next != tn.state {
		tn.grace = noGrace
	}
	engine.Enter(&turnTransitions, &tn.state, next, &c.illegalTransitions)
}

// open reports whether a turn is under way.
func (tn *turn) open() bool { return tn.state >= turnOpen }

// expect notes that a turn is expected, or is not, unless one is under way.
func (tn *turn) expect(c *Client, expected bool) {
	switch {
	case tn.open():
	case expected:
		tn.enter(c, turnExpected)
	default:
		tn.enter(c, turnNone)
	}
}

// isState reports whether an update says who is at work: state_update, or
// state_change as the first text of RFD v2/prompt has it.
func isState(update []byte) bool {
	value, _ := jsonrpc.Member(update, "sessionUpdate")
	return jsonrpc.IsString(value, "state_update") || jsonrpc.IsString(value, "state_change")
}

// stateUpdate takes a snapshot. One that repeats the last is no news: agents send
// them again, and the app hears of the end of a turn once.
func (s *session) stateUpdate(c *Client, now engine.Time, update []byte) {
	s.snapshot(c, now, update, givesReason(update))
}

// givesReason reports whether a snapshot says why a turn has ended.
func givesReason(update []byte) bool {
	stop, _ := jsonrpc.Member(update, "stopReason")
	_, ok := jsonrpc.String(stop)
	return ok
}

// snapshot is the same; over says whether a turn that is expected is over where nobody
// is at work.
func (s *session) snapshot(c *Client, now engine.Time, update []byte, over bool) {
	t := &s.turn
	value, ok := jsonrpc.Member(update, "state")
	state, isText := jsonrpc.String(value)
	if !ok || !isText || state == "" {
		c.integrity(s, "unknown_state")
		return
	}
	ended := state == "idle" && (t.open() || t.state == turnExpected && over)
	if !ended && bytes.Equal(update, t.last) {
		return
	}
	t.last = append(t.last[:0], update...)
	if !t.open() && (state == "running" || state == "requires_action") {
		t.enter(c, turnOpen)
		t.n++
	} else if ended && !t.open() {
		t.n++ // a turn so short that only its end was heard
	}
	t.said = state
	if ended {
		t.enter(c, turnNone)
	}
	s.tellTurn(c, ended, false)
	if !ended {
		return
	}
	stop, _ := jsonrpc.Member(update, "stopReason")
	s.settleMarks(c, stop)
	s.endPlaced(c)
	s.endOthers(c)
	s.orphansWait(now)
	s.doubtsWait(c, now)
	s.transcript.TurnEnded(s.emit(c))
	c.lend(now) // its stream is another's now
	if (s.version() == 1 || s.unlogged) && s.history != historyWhole && s.reads(c) {
		s.askReplay(c, now) // it was put off
	}
}

// tellTurn tells the app what the last snapshot says.
func (s *session) tellTurn(c *Client, ended, expected bool) {
	b := jsonrpc.AppendString([]byte(`{"state":`), s.turn.said)
	for _, name := range []string{"stopReason", "error", "background", "usage", "_meta"} {
		if value, ok := jsonrpc.Member(s.turn.last, name); ok {
			b = appendMember(b, name, value)
		}
	}
	b = strconv.AppendUint(appendName(b, "turn"), uint64(s.turn.n), 10)
	b = strconv.AppendBool(appendName(b, "ended"), ended)
	if expected {
		b = strconv.AppendBool(appendName(b, "expected"), true)
	}
	c.deliver(s, engine.EventPhase, 0, append(b, '}'))
}

// tellExpected tells the app that the turn of a prompt, which is about to settle, is still to come.
// Turns may have ended since the app made the prompt, and were over when it left: the app
// would take it for one of theirs. In a worker nobody knows of which of them the page had heard by then.
func (r *request) tellExpected(c *Client) {
	if r.session.turn.state == turnExpected {
		r.session.tellTurn(c, false, true)
	}
}

// endExpected ends a turn that is expected, as far as anybody has said, with the
// snapshot that was the last: nobody is at work any more. To a prompt that has left by now, and was in no
// turn that has ended, this is one that was over before (fault 615).
func (s *session) endExpected(c *Client, now engine.Time) {
	n := s.turn.n
	var waiting []*request
	for _, r := range c.requests {
		if r.session == s && r.turn == n && r.overIn != n {
			waiting = append(waiting, r)
		}
	}
	switch {
	case s.turn.said != "idle":
		return
	case len(s.turn.last) == 0: // its log has been written again without one
		s.snapshot(c, now, []byte(`{"sessionUpdate":"state_update","state":"idle"}`), true)
	default:
		s.snapshot(c, now, bytes.Clone(s.turn.last), true)
	}
	for _, r := range waiting {
		r.turn, r.overIn = s.turn.n, 0
	}
}

// hasBegun reports whether the agent has begun the turn of the last prompt in the
// history, as far as that shows: it has said something since, and no prompt that it has
// taken is still to come there. In version 1 the answer to the prompt ends its turn.
func (s *session) hasBegun() bool {
	return s.version() == 1 || len(s.ahead) == 0 && !s.transcript.EndsWithUser() && !s.transcript.AwaitsEcho()
}

// endRead is endExpected where only the history says that nobody is at work. Between a
// prompt and the beginning of its turn nobody is either: the agent has doubtFor to begin
// it (fault 369), however often the history is read meanwhile.
func (s *session) endRead(c *Client, now engine.Time) {
	t := &s.turn
	switch {
	case t.state != turnExpected || t.said != "idle":
	case s.hasBegun():
		s.endExpected(c, now)
	default:
		s.doubtTurn(now)
	}
}

// doubtTurn gives the agent doubtFor to begin the turn that is expected.
func (s *session) doubtTurn(now engine.Time) {
	t := &s.turn
	t.grace.until = min(t.grace.until, now.After(doubtFor))
	t.grace.lookAt = max(t.grace.until, now.After(quietFor))
}

// endUnbegun ends the turns that no agent has begun in time.
func (c *Client) endUnbegun(now engine.Time) {
	for _, s := range c.sessions {
		switch {
		case now < s.turn.grace.lookAt:
		case s.state == sessionOwned && (s.replay != nil || !s.heard(c)):
			s.turn.grace.lookAt = now.After(doubtFor) // it cannot be heard that it begins
		default:
			s.turn.grace = noGrace
			s.endExpected(c, now)
		}
	}
}

// prompted takes a prompt of the app's. It is stored before it leaves, so that a
// later page knows that it may have: no prompt is sent twice by itself.
func (s *session) prompted(c *Client, now engine.Time, r *request) {
	c.touch(s)
	content, _ := jsonrpc.Member(r.params, "prompt")
	if s.trailing.by != engine.Never {
		s.transcript.Waits(r.id, content, s.emit(c)) // behind what is on its way
	} else {
		s.transcript.Sent(r.id, content, s.emit(c))
	}
	if r.leaves = false; s.version() == 1 && s.conn != nil && s.conn.state == connOpen && s.reads(c) &&
		s.takes(c, r) {
		c.writeLeaving(r) // in one commit with the rest
	}
	r.stored(c, now)
}

// stored sends a prompt once what is written of it is stored.
func (r *request) stored(c *Client, now engine.Time) {
	r.storing = true
	w := &promptSending{c: c, s: r.session, r: r}
	if w.s.record != nil {
		w.epoch = w.s.record.Epoch
	}
	c.writer.WhenStored(now, false, w)
}

// promptSending sends a prompt that is stored (durable.Waiter).
type promptSending struct {
	c     *Client
	s     *session
	r     *request
	epoch uint32 // under which it was written; 0 for none
}

// Stored sends it, unless the session has changed hands since: where this tab has it again,
// it was written again.
func (w *promptSending) Stored(now engine.Time) {
	if record := w.s.record; w.epoch != 0 && record != nil && record.Epoch != w.epoch {
		return
	}
	w.r.storing = false
	if w.r.state != requestQueued {
		return
	}
	w.r.dispatch(w.c, now)
	if r := w.r; r.leaves && !r.storing && r.state == requestQueued {
		r.stays(w.c, now) // it is held back after all
	}
}

// accepted takes the answer to a prompt. In version 1 it ends the turn; an agent
// of version 1 that has opted in to the new lifecycle answers without a reason.
func (s *session) accepted(c *Client, now engine.Time, r *request, result []byte) {
	inHistory := s.placed[r.id]
	s.promptAccepted(c, r.id, result)
	if s.ends(c, now, result) {
		return
	}
	s.turn.grace = noGrace                  // the agent is there, and says when it begins
	another := s.turn.state == turnExpected // the turn of another prompt is still to come
	// One that began since may be over already (fault 119).
	s.turn.expect(c, another || s.turn.n == r.turn)
	switch {
	case r.wasOver() && another:
		s.doubtTurn(now)
	case r.wasOver():
		s.endExpected(c, now)
	case s.placed[r.id] && s.hasBegun():
		s.endRead(c, now) // nobody has heard its turn, which is in the history
	case r.outlasted && !inHistory:
		s.doubtTurn(now)
	}
	r.tellExpected(c)
}

// heldPrompts returns the prompts of this page that the agent may take in with an update: it has them, and
// they are not in the history.
func (s *session) heldPrompts(c *Client, update []byte) (held []*request) {
	value, _ := jsonrpc.Member(update, "sessionUpdate")
	if !jsonrpc.IsString(value, "user_message") && !jsonrpc.IsString(value, "user_message_chunk") {
		return nil
	}
	for _, r := range c.requests {
		if r.session == s && r.method == "session/prompt" && r.state == requestSent && !s.placed[r.id] {
			held = append(held, r)
		}
	}
	return held
}

// takenIn notes those that are in the history now: where nobody is at work, what was over by then is not
// their turn.
func (s *session) takenIn(held []*request) {
	for _, r := range held {
		if s.placed[r.id] && !s.turn.open() {
			r.turn = s.turn.n
		}
	}
}

// promptAccepted takes the answer to a prompt, of this page or of an earlier one.
func (s *session) promptAccepted(c *Client, id uint64, result []byte) {
	s.transcript.Accepted(id, messageIn(result), s.emit(c))
	for _, p := range s.transcript.Prompts() {
		if p.ID == id && !s.placed[id] && s.version() != 1 {
			c.writeAccepted(s, p)
		}
	}
}

// messageIn returns which message the answer to a prompt names, "" for none.
func messageIn(result []byte) string {
	value, _ := jsonrpc.Member(result, "messageId")
	message, _ := jsonrpc.String(value)
	return message
}

// wasOver reports whether the turn that the prompt was inserted into has ended before its
// answer came, and no other has begun (fault 180).
func (r *request) wasOver() bool {
	return r.overIn != 0 && r.overIn == r.session.turn.n && r.overIn == r.turn
}

// endPlaced notes the prompts that are in the history as the turn ends: it was theirs,
// also where their answer comes later. Of a prompt that another tab has sent the log says it.
func (s *session) endPlaced(c *Client) {
	for _, r := range c.requests {
		if r.session == s && r.method == "session/prompt" &&
			(s.placed[r.id] || r.forwarded.state >= forwardPlaced) {
			r.overIn = s.turn.n
		}
	}
}

// endOthers notes the prompts that are not in the history as a turn ends before which another one came there:
// it was for that, and theirs is still to come, as far as can be known (fault 674). Words that no prompt has
// may be a prompt in the agent's words (fault 704).
func (s *session) endOthers(c *Client) {
	for _, r := range c.requests {
		if s.turn.asked && r.session == s && r.method == "session/prompt" && r.state != requestQueued &&
			r.turn < s.turn.n && !s.placed[r.id] && r.forwarded.state < forwardPlaced {
			r.turn, r.outlasted = s.turn.n, true
		}
	}
	s.turn.asked = false
}

// ends takes the end of a turn that an answer of version 1 tells; false for none.
func (s *session) ends(c *Client, now engine.Time, result []byte) bool {
	stop, ok := jsonrpc.Member(result, "stopReason")
	if s.version() != 1 || !ok {
		return false
	}
	s.earlier = 0 // an agent answers one after another: that of an earlier page may have been lost
	s.turn.expect(c, true)
	end := `{"sessionUpdate":"state_update","state":"idle","stopReason":` + string(stop)
	if usage, ok := jsonrpc.Member(result, "usage"); ok {
		end += `,"usage":` + string(usage)
	}
	s.say(c, now, end+"}")
	s.works(c, now)
	return true
}

// say puts into words of version 2 what version 1 has none for.
func (s *session) say(c *Client, now engine.Time, update string) {
	s.stateUpdate(c, now, []byte(update))
	c.writeUpdate(s, []byte(update))
}

// unsent takes back a prompt that is not in the history and will not be.
func (s *session) unsent(c *Client, now engine.Time, r *request) {
	if s.state == sessionDropped {
		return
	}
	s.transcript.Unsent(r.id, s.emit(c))
	if s.version() == 1 { // which has shown it, and says nothing
		c.write(s, journal.Entry{Kind: journal.Placed, N: [3]uint64{r.id}, Data: []byte("unsent")})
	}
	s.broken(c, now)
}

// works says that an agent of version 1 is at work, where it has a prompt that it has not answered:
// it has no word for that.
func (s *session) works(c *Client, now engine.Time) {
	if s.version() == 1 && s.answers(c) {
		s.say(c, now, `{"sessionUpdate":"state_update","state":"running"}`)
	}
}

// answers reports whether a prompt has left that is not answered.
func (s *session) answers(c *Client) bool {
	if s.earlier != 0 {
		return true
	}
	for _, r := range c.requests {
		if r.session == s && r.method == "session/prompt" && r.state == requestSent {
			return true
		}
	}
	return false
}

// broken ends a turn of version 1 whose answer will not come.
func (s *session) broken(c *Client, now engine.Time) {
	if s.version() == 1 && s.turn.open() && !s.answers(c) {
		s.say(c, now, `{"sessionUpdate":"state_update","state":"idle","stopReason":"error"}`)
	}
}

// cancelled answers what the agent asks in a turn that the app has cancelled, but
// for what goes on in the background (ACP "Prompt Turn", Cancellation).
func (s *session) cancelled(c *Client, now engine.Time) {
	if s.turn.open() {
		s.turn.enter(c, turnCancelling)
		s.markCancelled(c)
	}
	for _, q := range c.allQuestions() {
		if q.session == s && q.state != questionAnswered && q.cancelledWith(s) {
			c.withdraw(now, q, withdrawnCancelled)
		}
	}
}
