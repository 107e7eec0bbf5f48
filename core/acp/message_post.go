package acp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// postTimeout is how long the agent's server may take to say that it has a message,
// in ms; for a DELETE, how long Terminate waits at most.
const (
	postTimeout   = 30_000
	deleteTimeout = 2_000
)

// post is one message to the agent over HTTP: its server answers 202, and what the
// agent answers comes on a stream.
type post struct {
	conn     *connection
	session  *session // nil: of the connection's scope
	body     []byte   // nil: the DELETE that ends the connection
	request  *request // that it carries, if it does
	question *question
	call     engine.CallID // of a notification of the app's
	op       string
	again    bool    // it may be sent twice: the agent knows it by an id, or it changes nothing
	after    []*post // what it must not overtake

	x        engine.ExchangeID
	exchange link.Exchange
	at       engine.Time // until when to wait, or when to send it again
	waiting  bool        // to be sent again
	floor    engine.Time // of that: its server allows it no earlier
	failures int
	token    int
	refusals uint8 // for want of authorization
	done     bool  // taken; only its body is still read
}

// send posts the message, or puts it on the socket.
func (c *Client) send(now engine.Time, p *post) {
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
	if p.held(c) {
		p.at = engine.Never
		return
	}
	p.post(c, now)
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
		p.waiting, p.at = true, engine.Never
		c.tellAwaiting(p.session)
		return
	}
	method, within := "POST", int64(postTimeout)
	header := []engine.Field{{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json"}}
	if p.body == nil {
		method, within, header = "DELETE", deleteTimeout, nil
	}
	if p.conn.id != "" {
		header = append(header, engine.Field{Name: "Acp-Connection-Id", Value: p.conn.id})
	}
	if p.session != nil {
		header = append(header, engine.Field{Name: "Acp-Session-Id", Value: p.session.id})
	}
	p.exchange = link.NewExchange(link.Limits{Line: c.cfg.Limits.Line, Event: c.cfg.Limits.Event, Body: c.cfg.Limits.Body})
	p.waiting, p.token = false, c.token.Number()
	if p.request != nil && p.request.role == roleInitialize {
		within = c.cfg.Timeouts.Answer
	}
	p.at = in(now, within)
	p.x = c.fetch(p, method, header, p.body)
}

func (p *post) head(c *Client, now engine.Time, head engine.Head) {
	kind := p.exchange.Head(head)
	switch status := head.Status; {
	case p.exchange.OK():
		if kind != link.BodyJSON && (kind != link.BodyCut || p.request == nil) {
			p.finish(c)
			p.taken(c, now)
			p.unanswered(c, now)
			return
		}
		c.read(p.x) // initialize, or a server that answers at once
	case status == 401 && p.refusals < c.maxRefusals():
		p.finish(c)
		if p.takeBack(c, now) {
			if !c.refreshToken(p.token) {
				p.request.dispatch(c, now)
				return
			}
			c.tellAwaiting(p.session)
			return
		}
		c.posts = append(c.posts, p)
		p.refusals++
		p.waiting, p.at = true, engine.Never
		if !c.refreshToken(p.token) {
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
		c.read(p.x) // it may say that it has the message already
	default:
		p.finish(c)
		p.refused(c, now, httpError(p.op, status, p.again))
	}
}

func (p *post) chunk(c *Client, now engine.Time, b []byte) {
	if err := p.exchange.Chunk(b); err != nil {
		p.finish(c)
		p.refused(c, now, &engine.Error{Code: engine.CodeLimit, Op: p.op, Message: "the answer is over the limit of bytes", Cause: err})
		return
	}
	c.read(p.x)
}

func (p *post) end(c *Client, now engine.Time, how engine.Ending, detail string) {
	p.x = 0
	switch {
	case p.exchange.Opened() && p.exchange.OK() && how == engine.EndClean:
		p.finish(c)
		p.taken(c, now)
		if p.request != nil && p.request.role == roleInitialize {
			p.request.connection = p.exchange.Header("acp-connection-id")
		}
		if p.exchange.Kind() != link.BodyCut || jsonrpc.Valid(p.exchange.Body(), c.cfg.Limits.Depth) == nil {
			p.conn.heard(c, now, p.session, p.exchange.Body()) // else it was cut inside its head
		}
		p.unanswered(c, now)
	case p.exchange.Opened() && p.exchange.OK():
		p.finish(c)
		p.taken(c, now) // the server has it; what it said is lost
		p.unanswered(c, now)
	case p.exchange.Opened():
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
	if now < p.at {
		return
	}
	if p.x == 0 && !p.waiting && p.held(c) {
		p.at = engine.Never
		return
	}
	if p.waiting || p.x == 0 {
		p.post(c, now)
		return
	}
	if p.again && p.body != nil {
		p.retry(c, now, engine.Head{})
		return
	}
	p.finish(c)
	p.unsure(c, now, &engine.Error{Code: engine.CodeTimeout, Op: p.op, Retryable: true, Message: "the agent's server did not answer in time"})
}

// retry sends the message again, later.
func (p *post) retry(c *Client, now engine.Time, head engine.Head) {
	c.abort(p.x)
	p.x = 0
	asked := link.RetryAfter(head.Get("retry-after"))
	delay := c.cfg.Retry.DelayAfter(p.failures, asked, &c.random)
	p.failures++
	p.waiting, p.at, p.floor = true, now.After(delay), now.After(asked)
}

// finish takes the post out of what is under way.
func (p *post) finish(c *Client) {
	c.abort(p.x)
	p.x, p.at = 0, engine.Never
	for i, other := range c.posts {
		if other == p {
			c.posts = append(c.posts[:i], c.posts[i+1:]...)
			break
		}
	}
	if slices.ContainsFunc(c.requests, p.holdsBack) {
		p.session.dispatchAt = c.now // Advance looks whether it may leave
	}
	for _, other := range c.posts {
		if other.x == 0 && !other.waiting && slices.Contains(other.after, p) {
			other.at = c.now // Advance looks whether it may leave
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

// mayBeCopy reports whether the refused request may be a copy that the browser has made. Then the words of the
// refusal count.
func (p *post) mayBeCopy() bool {
	status := p.exchange.Status()
	isInitialize := p.request != nil && p.request.role == roleInitialize
	return (status == 400 || status == 409) && p.exchange.Kind() == link.BodyJSON && !isInitialize
}

// copied takes such a refusal, with its words. Where the server has the message already, it may answer the first
// copy.
func (p *post) copied(c *Client, now engine.Time) {
	status := p.exchange.Status()
	failure := httpError(p.op, status, p.again)
	m, err := jsonrpc.Parse(p.exchange.Body(), jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
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
