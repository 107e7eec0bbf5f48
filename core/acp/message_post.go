package acp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// post is one message to the agent over HTTP: its server answers 202, and what the
// agent answers comes on a stream.
type post struct {
	link.Post
	conn     *connection
	session  *session // nil: of the connection's scope
	body     []byte   // nil: the DELETE that ends the connection
	request  *request // that it carries, if it does
	question *question
	call     engine.CallID // of a notification of the app's
	op       string
	again    bool    // it may be sent twice: the agent knows it by an id, or it changes nothing
	after    []*post // what it must not overtake
}

// send posts the message, or puts it on the socket.
func (c *Client) send(now engine.Time, p *post) {
	if p.Begin(&c.illegalTransitions); p.request != nil {
		p.Refusals = p.request.refusals
	}
	if p.body != nil && c.state >= stateClosing {
		return
	}
	if !c.mayBegin(p) {
		return // leave ends what it was for; an answer nobody gives any more
	}
	if p.conn == nil || p.conn.state == connGone {
		p.lost(c, now)
		return
	}
	if c.cfg.Transport == TransportWebSocket {
		c.effects.Add(engine.Effect{Kind: engine.Frame, X: p.conn.socket, Data: p.body})
		p.taken(c, now)
		return
	}
	c.posts = append(c.posts, p)
	if !p.held(c) {
		p.post(c, now)
	}
}

// held reports whether something that it must not overtake is under way: the
// browser may give the two requests different connections.
func (p *post) held(c *Client) bool {
	return slices.ContainsFunc(p.after, func(first *post) bool { return slices.Contains(c.posts, first) })
}

// post makes the request, once there is an answer about the token. The DELETE goes
// without: nothing waits for it for long.
func (p *post) post(c *Client, now engine.Time) {
	if c.token.Asking() && p.body != nil {
		p.Park()
		c.tellAwaiting(p.session)
		return
	}
	method, within := "POST", int64(link.PostWithin)
	header := []engine.Field{{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json"}}
	if p.body == nil {
		method, within, header = "DELETE", link.DeleteWithin, nil
	}
	if p.conn.id != "" {
		header = append(header, engine.Field{Name: "Acp-Connection-Id", Value: p.conn.id})
	}
	if p.session != nil {
		header = append(header, engine.Field{Name: "Acp-Session-Id", Value: p.session.id})
	}
	if p.request != nil && p.request.role == roleInitialize {
		within = c.cfg.Timeouts.Answer
	}
	limits := link.Limits{Line: c.cfg.Limits.Line, Event: c.cfg.Limits.Event, Body: c.cfg.Limits.Body}
	p.Sent(c.fetch(p, method, header, p.body), limits, c.token.Number(), in(now, within))
}

func (p *post) head(c *Client, now engine.Time, head engine.Head) {
	kind := p.Exchange.Head(head)
	switch status := head.Status; {
	case p.Exchange.OK():
		if kind != link.BodyJSON && (kind != link.BodyCut || p.request == nil) {
			p.finish(c)
			p.taken(c, now)
			p.unanswered(c, now)
			return
		}
		c.read(p.X) // initialize, or a server that answers at once
	case p.Unauthorized(c.maxRefusals()):
		c.abort(p.X)
		p.leave(c)
		p.Park()
		if p.takeBack(c, now) {
			if !c.refreshToken(p.Token) {
				p.request.dispatch(c, now)
				return
			}
			c.tellAwaiting(p.session)
			return
		}
		c.posts = append(c.posts, p)
		if !c.refreshToken(p.Token) {
			p.post(c, now)
			return
		}
		c.tellAwaiting(p.session)
	case (status == 404 || status == 410) && p.conn.id != "":
		p.finish(c)
		if r := p.request; r != nil && r.state == requestSent {
			r.unsend(c, now) // its server has just said that it did not take it
		}
		p.conn.gone(c, now)
		p.lost(c, now)
	case (status == 429 || status >= 502) && p.again:
		p.retry(c, now, head)
	case status == 502 || status == 504:
		p.finish(c)
		p.unsure(c, now, httpError(p.op, status, p.again)) // a proxy speaks, and the agent's server may have it
	case p.mayBeCopy():
		c.read(p.X) // it may say that it has the message already
	default:
		p.finish(c)
		p.refused(c, now, httpError(p.op, status, p.again))
	}
}

func (p *post) chunk(c *Client, now engine.Time, b []byte) {
	if err := p.Exchange.Chunk(b); err != nil {
		p.finish(c)
		p.refused(c, now, &engine.Error{Code: engine.CodeLimit, Op: p.op, Message: "the answer is over the limit of bytes", Cause: err})
		return
	}
	c.read(p.X)
}

func (p *post) end(c *Client, now engine.Time, how engine.Ending, detail string) {
	p.X = 0
	switch {
	case p.Exchange.Opened() && p.Exchange.OK() && how == engine.EndClean:
		p.finish(c)
		p.taken(c, now)
		if p.request != nil && p.request.role == roleInitialize {
			p.request.connection = p.Exchange.Header("acp-connection-id")
		}
		if p.Exchange.Kind() != link.BodyCut || jsonrpc.Valid(p.Exchange.Body(), c.cfg.Limits.Depth) == nil {
			p.conn.heard(c, now, p.session, p.Exchange.Body()) // else it was cut inside its head
		}
		p.unanswered(c, now)
	case p.Exchange.Opened() && p.Exchange.OK():
		p.finish(c)
		p.taken(c, now) // the server has it; what it said is lost
		p.unanswered(c, now)
	case p.Exchange.Opened():
		p.finish(c)
		p.copied(c, now)
	case how == engine.EndInvalid:
		p.finish(c)
		p.refused(c, now, &engine.Error{Code: engine.CodeBadArgument, Op: p.op, Message: "the browser cannot send the request", Cause: link.Cause(detail)})
	case how == engine.EndUnreadable:
		p.finish(c)
		p.unsure(c, now, link.Unreadable(p.op, detail))
	case p.again:
		p.retry(c, now, engine.Head{})
	default:
		p.finish(c)
		p.unsure(c, now, &engine.Error{Code: engine.CodeNetwork, Op: p.op, Retryable: true, Message: "the connection failed", Cause: link.Cause(detail)})
	}
}

func (p *post) advance(c *Client, now engine.Time) {
	switch {
	case !p.Due(now) || p.State == link.PostHeld && p.held(c):
		return
	case p.X == 0:
		p.post(c, now)
		return
	case p.again && p.body != nil:
		p.retry(c, now, engine.Head{})
		return
	}
	p.finish(c)
	p.unsure(c, now, &engine.Error{Code: engine.CodeTimeout, Op: p.op, Retryable: true, Message: "the agent's server did not answer in time"})
}

// retry sends the message again, later.
func (p *post) retry(c *Client, now engine.Time, head engine.Head) {
	c.abort(p.X)
	p.Retry(now, link.RetryAfter(head.Get("retry-after")), &c.cfg.Retry, &c.random)
}

// finish ends the post.
func (p *post) finish(c *Client) {
	c.abort(p.X)
	p.X = 0
	p.Over(c.effects.Now, 0)
	p.leave(c)
}

// leave takes the post out of what is under way: what it has held back may go.
func (p *post) leave(c *Client) {
	c.posts.remove(p)
	if slices.ContainsFunc(c.requests, p.holdsBack) {
		p.session.dispatchAt = c.effects.Now // Advance looks whether it may leave
	}
	for _, other := range c.posts {
		if slices.Contains(other.after, p) {
			other.Wake(c.effects.Now) // Advance looks whether it may leave
		}
	}
}

// taken notes that the agent's server has the message.
func (p *post) taken(c *Client, now engine.Time) {
	switch {
	case p.body == nil:
		c.terminated(now)
	case p.question != nil:
		c.answerTaken(p.question)
	case p.call != 0:
		c.effects.Add(engine.Effect{Kind: engine.Settle, C: p.call, Outcome: engine.OutcomeResult, Data: []byte("null")})
	}
}

// refused takes a refusal: the agent never had the message.
func (p *post) refused(c *Client, now engine.Time, failure *engine.Error) {
	switch {
	case p.body == nil:
		c.terminated(now)
	case p.request != nil:
		p.request.fail(c, now, failure)
	case p.question != nil:
		c.answerRefused(now, p.question)
	case p.call != 0:
		c.settleFailure(p.call, failure)
	}
}

// mayBeCopy reports whether the refused request may be a copy that the browser has made. Then the words of
// the refusal count.
func (p *post) mayBeCopy() bool {
	status := p.Exchange.Status()
	isInitialize := p.request != nil && p.request.role == roleInitialize
	return (status == 400 || status == 409) && p.Exchange.Kind() == link.BodyJSON && !isInitialize
}

// copied takes such a refusal, with its words. Where the server has the message already, it may answer the
// first copy.
func (p *post) copied(c *Client, now engine.Time) {
	status := p.Exchange.Status()
	failure := httpError(p.op, status, p.again)
	m, err := jsonrpc.Parse(p.Exchange.Body(), jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	switch {
	case err != nil || !link.Taken(status, &m):
		p.refused(c, now, failure)
	case p.request != nil:
		p.unsure(c, now, failure)
	default:
		p.taken(c, now)
	}
}

// unsure takes a failure after which nobody knows whether the agent has the
// message. If it has, its answer comes on a stream.
func (p *post) unsure(c *Client, now engine.Time, failure *engine.Error) {
	if p.request != nil && p.request.role == roleApp {
		p.request.doubt(now, "the connection failed before the agent's server said that it has the request", failure)
		p.request.doubtful.Hint = failure.Hint
		return
	}
	p.refused(c, now, failure)
}

// unanswered ends an initialize whose answer, which comes with its head and
// nowhere else, was none.
func (p *post) unanswered(c *Client, now engine.Time) {
	if r := p.request; r != nil && r.role == roleInitialize && r.state != requestOver {
		r.fail(c, now, &engine.Error{Code: engine.CodeProtocol, Op: p.op, Retryable: true, Message: "what answered is no agent's server"})
	}
}

// lost takes a message whose connection is gone.
func (p *post) lost(c *Client, now engine.Time) {
	if p.request != nil {
		return // connection.gone has seen to it
	}
	if p.question != nil {
		c.withdraw(now, p.question, withdrawnConnection)
		return
	}
	p.refused(c, now, &engine.Error{Code: engine.CodeLost, Op: p.op, Retryable: true, Message: "the agent no longer has the connection"})
}

func httpError(op string, status int, safe bool) *engine.Error {
	return link.HTTPError(op, "the agent's server", status, safe)
}

func (c *Client) settleFailure(id engine.CallID, failure *engine.Error) {
	if id != 0 {
		c.effects.Add(engine.Effect{Kind: engine.Settle, C: id, Outcome: engine.OutcomeFailure, Failure: failure})
	}
}

// posts are the posts of a client whose end is not known, or whose tail has not come.
type posts []*post

// all returns the posts that there are now, to be walked over: what ends meanwhile leaves the list.
func (list *posts) all() posts { return append(posts(nil), *list...) }

// remove takes a post out of the list; false if it was not there.
func (list *posts) remove(p *post) bool {
	for i, other := range *list {
		if other == p {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return true
		}
	}
	return false
}

// deadline returns when one of them is due.
func (list *posts) deadline() engine.Time {
	at := engine.Never
	for _, p := range *list {
		at = min(at, p.At)
	}
	return at
}

// Hear hands news to all.
func (list *posts) Hear(n *link.News) (moved bool) {
	for _, p := range *list {
		moved = p.Hear(n) || moved
	}
	return moved
}
