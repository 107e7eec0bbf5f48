package acp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// question is a request of the agent's. It is answered once: by the app, or with
// what its withdrawal calls for.
type question struct {
	handle   uint32
	id       []byte // JSON-RPC id, raw
	method   string
	raw      []byte // the whole message
	params   []byte
	conn     *connection
	session  *session // nil: of the connection's scope
	state    questionState
	answer   []byte  // questionAnswered: the message
	by       uint64  // the number under which another tab has given it; 0 for none
	restored bool    // an earlier page was asked, or another tab
	refusals int     // of its answer, by the agent's server
	given    *answer // while another tab carries the session: what the person has said here
	draft    []byte  // questionAnswered: what the person had begun, for when the answer is refused
}

// questionState is where a question stands. enter alone changes it.
type questionState uint8

const (
	questionUnasked  questionState = iota // the app does not hear of it: the client answers
	questionOpen                          // the app has been asked
	questionGiven                         // it has answered, and the tab that carries the session is to pass that on
	questionAnswered                      // this tab answers: the answer is stored, then sent until the agent has it
)

// questionTransitions are the states that may follow each.
var questionTransitions = engine.Transitions{
	questionUnasked:  1 << questionOpen,
	questionOpen:     1<<questionGiven | 1<<questionAnswered,
	questionGiven:    1 << questionAnswered,
	questionAnswered: 1 << questionOpen,
}

// enter has the question in another state.
func (q *question) enter(c *Client, next questionState) {
	engine.Enter(&questionTransitions, &q.state, next, &c.illegalTransitions)
}

// answer is what the app gives to a question: a result, or a JSON-RPC error object.
type answer struct {
	ok   bool
	data []byte
	n    uint64 // its number, by which the tab that gave it knows it again in the store
}

// maxRefusals is how often an answer is asked for again that the agent's server has
// refused.
const maxRefusals = 3

// The agent's requests that wait: how many, and bytes of them.
const (
	maxQuestions     = 256
	maxQuestionBytes = 16 << 20
)

// takesQuestion reports whether there is room for one more.
func (c *Client) takesQuestion(raw []byte) bool {
	size := len(raw)
	for _, q := range c.questions {
		size += len(q.raw)
	}
	return len(c.questions) < maxQuestions && size <= maxQuestionBytes
}

// receiveQuestion takes a request of the agent's.
func (c *Client) receiveQuestion(now engine.Time, n *connection, on *session, m jsonrpc.Message) {
	if c.exchanges.IsShut() {
		return // no answer may leave
	}
	id := rawID(m.ID)
	for _, q := range c.questions {
		if q.conn == n && bytes.Equal(q.id, id) {
			if q.raw != nil && !bytes.Equal(q.raw, m.Raw) { // agents ask again when a session is resumed
				c.integrity(on, "repeated_request")
			}
			return
		}
	}
	if n.hasAnswered(id, m.Raw) {
		return // from a replay that began before the agent had the answer
	}
	method := string(m.Method)
	s := on
	if value, ok := jsonrpc.Member(m.Params, "sessionId"); ok {
		name, _ := jsonrpc.String(value)
		switch named := c.sessionOf(name); {
		case named != nil:
			s = named
		case c.wasDropped(name):
			return // the app has forgotten it, and the agent has not
		}
	}
	if s != nil && s.state != sessionOwned {
		return // it asks the tab that carries the session as well
	}
	q := &question{id: id, method: method, raw: bytes.Clone(m.Raw), params: bytes.Clone(m.Params), conn: n, session: s}
	switch {
	case method != "session/request_permission" && method != "elicitation/create":
		// Client MUST 7. Files and terminals of the client's are version 1's, and
		// were not offered.
		c.reply(now, q, jsonrpc.AppendError(nil, m.ID, methodNotFound, "the client has no such method"))
		return
	case !c.takesQuestion(m.Raw):
		c.integrity(s, "too_many_requests")
		c.reply(now, q, jsonrpc.AppendError(nil, m.ID, -32603, "too many requests wait for an answer"))
		return
	}
	if s != nil {
		// The tool call that a permission is for comes with it.
		if call := subjectOf(q.params); call != nil {
			s.update(c, now, jsonrpc.AppendObject(nil, call, []byte(`"sessionUpdate":"tool_call_update"`)))
		}
	}
	c.questions = append(c.questions, q)
	if s != nil {
		c.write(s, journal.AskedEntry(q.id, m.Raw))
	}
	if n.tookBack(id) || q.crossesCancel() { // the word came on another stream, which was faster; or ours is on its way
		q.enter(c, questionOpen)
		c.answer(now, q, true, q.refusal())
		return
	}
	c.ask(q)
}

// ask hands a question to the app.
func (c *Client) ask(q *question) {
	c.lastQuestion++
	q.handle = c.lastQuestion
	q.enter(c, questionOpen)
	c.tellDraft(q)
	b := jsonrpc.AppendString([]byte(`{"method":`), q.method)
	if q.restored {
		b = jsonrpc.Raw(b, `,"restored":true`)
	}
	params := q.params
	if params == nil {
		params = []byte("{}")
	}
	b = append(appendMember(b, "params", params), '}')
	c.deliver(q.session, engine.EventQuestion, q.handle, b)
}

// subjectOf returns the tool call that a permission is for: of version 2's
// subject, or of version 1; nil for none.
func subjectOf(params []byte) []byte {
	subject, ok := jsonrpc.Member(params, "subject")
	if !ok {
		subject = params
	}
	call, ok := jsonrpc.Member(subject, "toolCall")
	if !ok || !jsonrpc.IsObject(call) {
		return nil
	}
	return call
}

// concerns reports whether the question is of something in a list of background
// work.
func (q *question) concerns(background []byte) bool {
	call, _ := jsonrpc.Member(subjectOf(q.params), "toolCallId")
	return lists(background, call)
}

// crossesCancel reports whether the agent may have asked before it has heard that its turn is cancelled: what
// waits for a permission then is to be told so (ACP "Prompt Turn", Cancellation).
func (q *question) crossesCancel() bool {
	s := q.session
	return s != nil && s.turn.state == turnCancelling && q.cancelledWith(s)
}

// cancelledWith reports whether the question is a permission that is cancelled with the turn under way: it
// does not go on in the background.
func (q *question) cancelledWith(s *session) bool {
	background, _ := jsonrpc.Member(s.turn.last, "background")
	return q.method == "session/request_permission" && !q.concerns(background)
}

// lists reports whether a list of background work has a tool call.
func lists(background, call []byte) bool {
	if len(call) == 0 || len(background) == 0 || background[0] != '[' {
		return false
	}
	for _, work := range jsonrpc.Elements(background) {
		if id, ok := jsonrpc.Member(work, "toolCallId"); ok && bytes.Equal(id, call) {
			return true
		}
	}
	return false
}

// Respond answers a request of the agent's; data is a result, or a JSON-RPC error
// object. One that is not open any more is left alone: another tab was first, or
// the agent has taken it back.
func (c *Client) Respond(now engine.Time, handle uint32, ok bool, data []byte) {
	c.effects.Begin(now)
	if c.state >= stateLeaving {
		return
	}
	for _, q := range c.questions {
		switch {
		case q.handle != handle || q.state == questionUnasked || q.state == questionAnswered:
		case q.session == nil || q.session.state == sessionOwned:
			c.answer(now, q, ok, data)
			return
		case q.state == questionOpen:
			q.enter(c, questionGiven)
			q.given = &answer{ok, bytes.Clone(data), c.ids.Next()}
			c.forwardAnswer(q)
			return
		}
	}
}

// RespondRecord answers a request of the agent's in the session of a record, for
// another tab: id is the request's, raw, as EventForward had it, and by the number
// of the answer. What was asked there has that mark: an agent may ask something else under an id
// that it has used; 0 from a build that does not say.
func (c *Client) RespondRecord(now engine.Time, record uint64, id []byte, asked, by uint64, ok bool, data []byte) {
	c.effects.Begin(now)
	s := c.sessionOfRecord(record)
	if c.state >= stateLeaving || s == nil || s.state != sessionOwned {
		return
	}
	if q := c.questionOf(s, id); q != nil && (q.state == questionOpen || q.state == questionGiven) && (asked == 0 || asked == mark(q.raw)) {
		q.by = by
		c.answer(now, q, ok, data)
		c.withdrawn(q, withdrawnAnswered)
	}
}

// answer sends an answer, once it is on disk: after a crash it goes out again,
// and the person is not asked again.
func (c *Client) answer(now engine.Time, q *question, ok bool, data []byte) {
	m, err := jsonrpc.Parse(jsonrpc.Raw(append([]byte(`{"jsonrpc":"2.0","id":`), q.id...), `,"result":null}`), jsonrpc.Limits{})
	if err != nil {
		return
	}
	if q.session != nil && q.session.wait >= waitParked {
		q.session.want(c, now) // what comes of it
	}
	if q.session != nil {
		q.draft = q.session.drafts.Of(q.id)
		q.session.drafts.Drop(q.id)
	}
	if q.enter(c, questionAnswered); ok {
		q.answer = jsonrpc.AppendResult(nil, m.ID, data)
	} else {
		q.answer = jsonrpc.AppendErrorObject(nil, m.ID, data)
	}
	if q.session == nil {
		c.reply(now, q, q.answer)
		return
	}
	c.writeAnswer(q)
	c.writer.WhenStored(now, true, &answerSending{c, q})
}

// answerSending sends an answer that is stored (durable.Waiter).
type answerSending struct {
	c *Client
	q *question
}

// Stored sends it.
func (w *answerSending) Stored(now engine.Time) {
	if slices.Contains(w.c.questions, w.q) { // else its connection has gone meanwhile
		w.c.reply(now, w.q, w.q.answer)
	}
}

func (c *Client) reply(now engine.Time, q *question, message []byte) {
	c.send(now, &post{conn: q.conn, session: q.session, question: q, op: q.method, again: true, body: message})
}

// answerTaken notes that the agent's server has the answer.
func (c *Client) answerTaken(q *question) {
	if q.state != questionUnasked {
		c.haveAnswered(q.conn, answered{q.session, q.id, mark(q.raw)})
	}
	c.unask(q)
}

// answered is a request of the agent's that has been answered. It may be asked
// once more: a history that was on its way has it, too.
type answered struct {
	session *session
	id      []byte
	mark    uint64 // of the whole message; 0 where an earlier page has answered, and nobody knows it
}

// haveAnswered notes that a request on a connection is answered, and writes it.
func (c *Client) haveAnswered(n *connection, a answered) {
	n.answered = noteAnswered(n.answered, a)
	c.writeTaken(a)
}

// noteAnswered returns the last requests that were answered, after one more.
func noteAnswered(all []answered, a answered) []answered {
	all = append(all, a)
	return all[max(0, len(all)-maxQuestions):]
}

// writeTaken writes that a request is answered.
func (c *Client) writeTaken(a answered) {
	if a.session == nil {
		return
	}
	c.write(a.session, journal.Entry{Kind: journal.Taken, Data: a.id})
	if a.mark != 0 {
		c.write(a.session, journal.Entry{Kind: journal.TakenMark, N: [3]uint64{a.mark}, Data: a.id})
	}
}

func (n *connection) hasAnswered(id, raw []byte) bool {
	return slices.ContainsFunc(n.answered, func(a answered) bool {
		return bytes.Equal(a.id, id) && (a.mark == 0 || a.mark == mark(raw))
	})
}

// mark stands for a message, to know it again: 53 bits of FNV-1a, which a number of JavaScript's
// holds, and the journal; 0 for none.
func mark(raw []byte) uint64 {
	if raw == nil {
		return 0
	}
	h := uint64(14695981039346656037)
	for _, b := range raw {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h&(1<<53-1) | 1
}

func (c *Client) unask(q *question) {
	for i, other := range c.questions {
		if other == q {
			c.questions = slices.Delete(c.questions, i, i+1)
			if q.session != nil {
				q.session.drafts.Drop(q.id)
			}
			return
		}
	}
}

// answerRefused takes the refusal of an answer by the agent's server: the agent
// still waits for one, so the app is asked again.
func (c *Client) answerRefused(now engine.Time, q *question) {
	c.integrity(q.session, "answer_refused")
	if !slices.Contains(c.questions, q) {
		return // what the client has answered itself
	}
	result, _ := jsonrpc.Member(q.answer, "result")
	if bytes.Equal(result, q.refusal()) {
		c.answerTaken(q) // nobody waits for an answer, or the person has given none
		return
	}
	if q.refusals++; q.refusals >= maxRefusals || q.raw == nil {
		c.withdraw(now, q, withdrawnRefused)
		return
	}
	if q.handle != 0 { // else an earlier page was asked
		c.withdrawn(q, withdrawnRefused)
	}
	q.answer, q.by = nil, 0
	if q.session != nil {
		q.session.drafts.Save(q.id, q.draft, c.cfg.Limits.Depth, true)
		c.write(q.session, journal.AskedEntry(q.id, q.raw)) // else the next page sends that answer, and asks nobody
	}
	c.ask(q)
}

// withdrawn tells the app that nobody waits for its answer.
func (c *Client) withdrawn(q *question, why withdrawal) {
	c.deliver(q.session, engine.EventWithdrawn, q.handle, append(jsonrpc.AppendString([]byte(`{"reason":`), string(why)), '}'))
}

// withdraw ends a question that nobody needs an answer to, and tells the app. The
// agent is answered where it still waits.
func (c *Client) withdraw(now engine.Time, q *question, why withdrawal) {
	if q.handle != 0 && (q.state != questionAnswered || why == withdrawnRefused) {
		c.withdrawn(q, why)
	}
	if q.state != questionAnswered && (why == withdrawnByAgent || why == withdrawnCancelled) {
		c.answer(now, q, true, q.refusal())
		return
	}
	if q.session != nil && q.state != questionUnasked {
		c.write(q.session, journal.Entry{Kind: journal.Taken, Data: q.id})
	}
	c.unask(q)
}

// refusal is the result that says that there is no answer.
func (q *question) refusal() []byte {
	if q.method == "session/request_permission" {
		return []byte(`{"outcome":{"outcome":"cancelled"}}`)
	}
	return []byte(`{"action":"cancel"}`)
}

// takeBack takes $/cancel_request: the agent does not need an answer any more.
// One that is unknown or answered is ignored (client MUST 6).
func (c *Client) takeBack(now engine.Time, n *connection, params []byte) {
	id, _ := jsonrpc.Member(params, "requestId")
	known := slices.ContainsFunc(n.answered, func(a answered) bool { return bytes.Equal(a.id, id) })
	for _, q := range c.allQuestions() {
		if q.conn != n || !bytes.Equal(q.id, id) {
			continue
		}
		known = true
		if q.state != questionAnswered {
			c.withdraw(now, q, withdrawnByAgent)
		}
	}
	if !known && len(id) > 0 {
		n.takenBack = append(n.takenBack, bytes.Clone(id))
		n.takenBack = n.takenBack[max(0, len(n.takenBack)-maxTakenBack):]
	}
}

// maxTakenBack bounds the requests that an agent has taken back and that have not come yet: one that
// comes on a session's stream may be behind the word on the connection's.
const maxTakenBack = 64

// tookBack reports whether the agent has taken a request back before it came.
func (n *connection) tookBack(id []byte) bool {
	before := len(n.takenBack)
	n.takenBack = slices.DeleteFunc(n.takenBack, func(other []byte) bool { return bytes.Equal(other, id) })
	return len(n.takenBack) < before
}

// rawID returns an id as it was sent.
func rawID(id jsonrpc.ID) []byte {
	m := jsonrpc.AppendResult(nil, id, []byte("null"))
	raw, _ := jsonrpc.Member(m, "id")
	return bytes.Clone(raw)
}
