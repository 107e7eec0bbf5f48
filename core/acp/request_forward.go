package acp

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// What is asked of a session in a tab that looks on goes to the tab that carries
// it: as EventForward, whose text that tab's client takes with Serve. A request
// keeps its id on the way, which no two tabs give out (link.RequestIDs): whoever
// carries the session next knows it again in the store, and so whether it may have
// left. No prompt leaves twice.

// maxServed bounds the requests of other tabs that are known again.
const maxServed = 256

// forwardRequest hands a request, or a notification, to the tab that carries s.
func (c *Client) forwardRequest(now engine.Time, s *session, id engine.CallID, method string, params []byte, notify bool) {
	r := c.newRequest(now, method, s, withSession(params, s))
	r.enter(c, requestElsewhere)
	r.call, r.forwarded.notify = id, notify
	r.forward(c)
}

// forward hands the request to whoever carries the session.
func (r *request) forward(c *Client) {
	b := appendUint([]byte(`{"record":`), r.session.record.ID)
	b = appendUint(appendName(b, "request"), r.id)
	b = jsonrpc.AppendString(appendName(b, "method"), r.method)
	b = strconv.AppendBool(appendName(b, "notify"), r.forwarded.notify)
	b = append(appendMember(b, "params", r.params), '}')
	c.deliver(r.session, engine.EventForward, 0, b)
}

// forwardCancel asks the tab that carries the session to take a request back.
func (r *request) forwardCancel(c *Client) {
	r.forwarded.unwanted = true
	b := appendUint([]byte(`{"record":`), r.session.record.ID)
	c.deliver(r.session, engine.EventForward, 0, append(appendUint(appendName(b, "cancel"), r.id), '}'))
}

// forwardForget asks it to forget the session.
func (c *Client) forwardForget(s *session) {
	s.unwanted = true
	c.deliver(s, engine.EventForward, 0, jsonrpc.Raw(appendUint([]byte(`{"record":`), s.record.ID), `,"forget":true}`))
}

// forwardAnswer hands it an answer. The first one there counts.
func (c *Client) forwardAnswer(q *question) {
	b := appendUint([]byte(`{"record":`), q.session.record.ID)
	b = appendMember(b, "id", q.id)
	b = appendUint(appendName(b, "asked"), mark(q.raw))
	b = appendUint(appendName(b, "answer"), q.given.n)
	b = strconv.AppendBool(appendName(b, "ok"), q.given.ok)
	b = append(appendMember(b, "data", q.given.data), '}')
	c.deliver(q.session, engine.EventForward, q.handle, b)
}

// Serve does what another tab asks for, which follows a session of this one's:
// text is of its EventForward. It returns the call that settles with what becomes
// of a request, for the page to pass on (ForwardSettled); 0 where nothing will, or where
// this tab does not carry the session and it is none of its business.
func (c *Client) Serve(now engine.Time, text []byte) engine.CallID {
	c.effects.Begin(now)
	record := uintMember(text, "record")
	s := c.sessionOfRecord(record)
	if c.state >= stateLeaving || c.state == stateNew || s == nil || s.state != sessionOwned {
		return 0
	}
	data, answers := jsonrpc.Member(text, "data")
	_, forget := jsonrpc.Member(text, "forget")
	cancel, cancels := jsonrpc.Member(text, "cancel")
	switch {
	case answers:
		id, _ := jsonrpc.Member(text, "id")
		ok, _ := jsonrpc.Member(text, "ok")
		c.RespondRecord(now, record, id, uintMember(text, "asked"), uintMember(text, "answer"), string(ok) == "true", data)
	case forget:
		c.drop(now, s, engine.StreamClosed)
	case cancels:
		id, _ := jsonrpc.Uint(cancel)
		for _, r := range c.requests {
			if r.id == id {
				c.Cancel(now, r.call)
				break
			}
		}
	default:
		value, _ := jsonrpc.Member(text, "method")
		method, _ := jsonrpc.String(value)
		params, _ := jsonrpc.Member(text, "params")
		notify, _ := jsonrpc.Member(text, "notify")
		return c.serveRequest(now, s, uintMember(text, "request"), method, params, string(notify) == "true")
	}
	return 0
}

// hasPrompt reports whether a prompt of that id has left, or may have: this tab knows it
// from the store, where another page has sent it.
func (s *session) hasPrompt(id uint64) bool { return s.pending[id] || slices.Contains(s.lately, id) }

// knowAgain notes a request that no tab is to have made once more.
func (c *Client) knowAgain(id uint64) {
	c.others = append(c.others, id)
	c.others = c.others[max(0, len(c.others)-maxServed):]
}

// serveRequest makes a request of another tab's, once.
func (c *Client) serveRequest(now engine.Time, s *session, id uint64, method string, params []byte, notify bool) engine.CallID {
	if id == 0 || method == "" || slices.Contains(c.others, id) || c.asks(id) || s.hasPrompt(id) {
		return 0
	}
	c.knowAgain(id)
	switch {
	case notify:
		return c.Notify(now, s.handle, method, params)
	case methods[method].joins:
		return c.submit(now, 0, method, s.withServers(params), id)
	}
	return c.submit(now, s.handle, method, params, id)
}

// ForwardSettled ends a request that another tab made for this one. While that tab
// carries the session, nothing else ends the request. Outcome 0 does not end it: the
// other tab has the request. failure belongs to OutcomeFailure.
func (c *Client) ForwardSettled(now engine.Time, id uint64, outcome engine.Outcome, data []byte, failure *engine.Error) {
	c.effects.Begin(now)
	for _, r := range c.requests {
		if r.id != id || r.state != requestElsewhere {
			continue
		}
		if outcome == 0 {
			r.forwarded.atLeast(c, forwardTaken)
			return
		}
		r.over(c)
		if r.method == "session/prompt" && outcome == engine.OutcomeResult {
			if r.forwarded.state < forwardPlaced {
				r.session.ahead = append(r.session.ahead, id)
			}
			r.expectTurn(c, now)
		}
		e := engine.Effect{Kind: engine.Settle, C: r.call, Outcome: outcome, Failure: failure}
		if failure == nil {
			e.Data = bytes.Clone(data)
		}
		c.effects.Add(e)
		return
	}
}

// TakenOver notes that another tab than before carries the session of that record,
// and that this one has heard all that the last one stored. Its rows have that
// epoch, which may be one that was read before.
func (c *Client) TakenOver(now engine.Time, record uint64, epoch uint32) {
	c.effects.Begin(now)
	s := c.sessionOfRecord(record)
	switch {
	case c.state >= stateClosing || s == nil || s.state == sessionOwned || epoch < s.record.Epoch:
	case epoch == s.record.Epoch:
		c.forwardAgain(s)
	default:
		s.record.Position = durable.Position{Epoch: epoch}
		c.handedOn(now, s)
	}
}

// forwardAgain asks the tab that carries s once more for what it may not have heard: that
// tab has taken s over in the store before it knew so itself, and was asked in between. A
// request has its id, and is made once (serveRequest).
func (c *Client) forwardAgain(s *session) {
	c.forwardRest(s)
	for _, r := range c.requests {
		if r.session == s && r.state == requestElsewhere && r.forwarded.state == forwardUnheard {
			r.forward(c)
		}
	}
}

// forwardRest asks it for what is no request: to pass answers on, and to forget s.
func (c *Client) forwardRest(s *session) {
	for _, q := range c.questions {
		if q.session == s && q.state == questionGiven {
			c.forwardAnswer(q)
		}
	}
	if s.unwanted {
		c.forwardForget(s)
	}
}

// yieldRequests takes the requests of a session that another tab carries from now on:
// what has not left yet must not any more, since that tab may send it (fault 76).
func (c *Client) yieldRequests(s *session) {
	for _, r := range c.allRequests() {
		if r.session != s || r.state == requestElsewhere {
			continue
		}
		if r.post != nil {
			r.post.finish(c)
		}
		if r.role != roleApp {
			r.over(c)
			c.dropped[r.id] = true
			continue
		}
		if r.conn != nil {
			r.conn.answers = without(r.conn.answers, r)
		}
		r.forwarded = forwarded{}
		if r.state == requestSent {
			r.forwarded.enter(c, forwardTaken)
		}
		r.enter(c, requestElsewhere)
		r.conn, r.post, r.doubtful, r.again, r.storing = nil, nil, nil, engine.Never, false
		if r.unwanted {
			r.forwardCancel(c)
		}
	}
}

// followedRow is a stored session that takes a row, beside what this tab waits for in it.
type followedRow struct {
	c *Client
	s *session
}

// Unsealed drops what the row's secret part may have replaced.
func (f *followedRow) Unsealed() { f.s.fold.Unsealed() }

// Fold takes an entry. A prompt of this tab's leaves no earlier than its log has it, and is taken in no later
// than it says so: the turns that were over by then are not its own (fault 609). In what is read once more
// those may be of later prompts. In version 1 one that was taken back is there while its own turn is (fault
// 648), and the answer is the end of that.
func (f *followedRow) Fold(e journal.Entry) {
	f.s.fold.Fold(e)
	leaves := e.Kind == journal.Prompt && !jsonrpc.IsObject(e.Data)
	takenIn := e.Kind == journal.Placed && string(e.Data) == "placed" && !f.s.turn.open()
	if !f.s.reread.follows() || f.s.version() == 1 || !leaves && !takenIn {
		return
	}
	for _, r := range f.c.requests {
		if r.id == e.N[0] && r.state == requestElsewhere {
			r.turn = f.s.turn.n
		}
	}
}

// recognize takes what a stored row says of the prompts that are away. Of one that
// nobody will answer for any more that is the last word.
func (c *Client) recognize(now engine.Time, s *session, plain []byte) {
	row := journal.ReadRow(plain) // what it says of a prompt its log has
	for e, ok := row.Next(); ok && len(s.ahead) > 0; e, ok = row.Next() {
		if e.Kind == journal.Placed {
			s.ahead = withoutID(s.ahead, e.N[0])
		}
	}
	for _, r := range c.allRequests() {
		if r.session != s || r.state != requestElsewhere || r.method != "session/prompt" {
			continue
		}
		unsent := r.forwarded.read(c, plain, r.id)
		switch {
		case r.doubtful == nil:
		case r.forwarded.state >= forwardPlaced:
			c.placedElsewhere(now, r)
		case unsent:
			r.fail(c, now, r.doubtful)
		}
	}
}

// read takes what a row says of the prompt with that id, and reports whether that
// is that the agent does not have it.
func (f *forwarded) read(c *Client, plain []byte, id uint64) (unsent bool) {
	named := append(appendUint([]byte(`"messageId":"prompt-`), id), '"') // as writeLeaving has it for version 1
	row := journal.ReadRow(plain)
	for {
		e, ok := row.Next()
		switch {
		case !ok:
			return unsent
		case e.Kind == journal.Event:
			if f.state < forwardStored && bytes.Contains(e.Data, named) {
				f.enter(c, forwardStored)
			}
			if f.state >= forwardPlaced && e.N[0] == uint64(engine.EventPhase) {
				next := forwardPlaced
				if state, _ := jsonrpc.Member(e.Data, "state"); string(state) == `"idle"` {
					next = forwardIdle
				}
				f.enter(c, next)
			}
		case e.Kind == journal.Prompt && e.N[0] == id:
			f.atLeast(c, forwardStored)
		case e.Kind == journal.Placed && e.N[0] == id:
			if string(e.Data) == "placed" {
				f.atLeast(c, forwardPlaced)
			} else {
				f.enter(c, forwardStored)
			}
			unsent = string(e.Data) == "unsent"
		}
	}
}

// handedOn goes on with what was asked of the tab that has carried s until now:
// another one carries it.
func (c *Client) handedOn(now engine.Time, s *session) {
	c.forwardRest(s)
	c.goOn(now, s, func(r *request) {
		if r.forwarded.state >= forwardStored {
			r.doubtful, r.by = r.unknown(), now.After(doubtFor) // what that tab makes of it is in its log
			return
		}
		r.forward(c)
	})
}

// takenOver goes on with what was asked of the tab that has carried s until now:
// this one does, and its log is read.
func (c *Client) takenOver(now engine.Time, s *session) {
	for _, q := range c.allQuestions() {
		if q.session == s && q.state == questionGiven {
			// What this tab's person has said; the one that died has not passed it on.
			c.answer(now, q, q.given.ok, q.given.data)
		}
	}
	if s.unwanted {
		c.drop(now, s, engine.StreamClosed)
		return
	}
	c.goOn(now, s, func(r *request) {
		c.knowAgain(r.id) // the tab that had the session may have the request, and thaw
		switch {
		case r.forwarded.notify:
			r.over(c)
			c.notify(now, s, r.call, r.method, r.params)
		case r.forwarded.state >= forwardStored && s.conn != nil && s.history != historyUnbound && s.version() != 1:
			// The answer to a request of that id may come yet.
			r.enter(c, requestSent)
			r.conn, r.doubtful, r.by = s.conn, r.unknown(), now.After(doubtFor)
			s.conn.answers = append(s.conn.answers, r)
		case r.forwarded.state >= forwardStored:
			r.enter(c, requestSent)
			r.conn = s.conn
			r.connectionLost(c, now)
		case r.method == "session/prompt":
			r.enter(c, requestQueued)
			s.prompted(c, now, r)
		default:
			r.enter(c, requestQueued)
			if methods[r.method].joins {
				r.params = s.withServers(r.params)
			}
			r.afresh(c)
			r.dispatch(c, now)
		}
	})
}

// goOn decides about the requests of s that are away, now that the tab which had
// them has the session no more; again is for those that nobody needs to doubt.
func (c *Client) goOn(now engine.Time, s *session, again func(r *request)) {
	for _, r := range c.allRequests() {
		if r.session != s || r.state != requestElsewhere {
			continue
		}
		prompt := r.method == "session/prompt"
		switch {
		case r.forwarded.state >= forwardPlaced, prompt && s.placed[r.id] && s.version() != 1:
			c.placedElsewhere(now, r)
		case r.forwarded.state >= forwardStored:
			again(r)
		case r.forwarded.unwanted:
			r.fail(c, now, cancelledByApp(r))
		case r.forwarded.notify, methods[r.method].repeats, prompt && r.forwarded.state == forwardUnheard:
			if r.forwarded.state == forwardTaken {
				c.dropped[r.id] = true
				r.id = c.ids.Next() // an answer to the first may come all the same
			}
			r.forwarded.enter(c, forwardUnheard)
			again(r)
		default:
			r.fail(c, now, r.unknown())
		}
	}
}

// unknown is the failure of a request of which nobody can say whether it was sent.
func (r *request) unknown() *engine.Error {
	return &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method, Message: "the tab that was to send it ended before it said whether it had"}
}

// placedElsewhere settles a prompt that is in the history: its answer is lost.
func (c *Client) placedElsewhere(now engine.Time, r *request) {
	r.over(c)
	c.dropped[r.id] = true
	r.expectTurn(c, now)
	c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: []byte("{}")})
}

// expectTurn expects the turn of a prompt that the agent has, where none has been heard
// of since the prompt was made. The log may have no more of it than its end, and has
// that already or not yet: the answer comes beside it (fault 184).
func (r *request) expectTurn(c *Client, now engine.Time) {
	s := r.session
	defer r.tellExpected(c)
	if s.turn.n != r.turn || s.turn.open() {
		return
	}
	s.turn.grace = noGrace                  // of an earlier one
	another := s.turn.state == turnExpected // and the turn of another prompt is still to come
	switch s.turn.expect(c, true); {
	case r.wasOver() && another:
		s.doubtTurn(now)
	case r.wasOver():
		s.endExpected(c, now)
	case r.forwarded.state == forwardIdle:
		s.endRead(c, now)
	case r.made != r.turn:
		s.doubtTurn(now) // it may have been taken into the turn before, where the agent says late that it has
	}
}

// ending says how a question has ended that is not open in the store any more:
// withdrawnGiven where it was by the answer of this tab's person, as far as can be known.
func (q *question) ending(stored *storedSession) withdrawal {
	for _, id := range stored.Withdrawn {
		if bytes.Equal(id, q.id) {
			return withdrawnConnection // else it was answered, if only with a refusal
		}
	}
	if q.given == nil {
		return withdrawnAnswered
	}
	for _, a := range stored.Answered {
		if bytes.Equal(a.ID, q.id) && a.By != q.given.n {
			return withdrawnAnswered
		}
	}
	for _, reply := range stored.Outbox { // which this tab can read, since it has the session by now
		if !bytes.Equal(reply.ID, q.id) {
			continue
		}
		member := "error"
		if q.given.ok {
			member = "result"
		}
		if data, _ := jsonrpc.Member(reply.Message, member); !bytes.Equal(data, q.given.data) {
			return withdrawnAnswered
		}
	}
	return withdrawnGiven
}

func uintMember(object []byte, name string) uint64 {
	value, _ := jsonrpc.Member(object, name)
	n, _ := jsonrpc.Uint(value)
	return n
}
