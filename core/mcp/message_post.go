package mcp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// postRole says what a one-way post is for.
type postRole uint8

const (
	postNotification postRole = iota // the app's; settles a call
	postInitialized                  // notifications/initialized: opens the client
	postCancelled                    // notifications/cancelled
	postAnswer                       // a response to a request of the server's
	postDelete                       // the DELETE that ends a session
)

// post is an exchange that expects no message in return: 202, or whatever 2xx
// the server likes (e2e/peer/seed.go answers 200 and 204).
type post struct {
	link.Post
	role       postRole
	call       engine.CallID // postNotification
	answer     answer        // postAnswer
	method     string
	body       []byte
	generation uint32 // the handshake in whose session it was sent
	inSession  bool   // that session had an id
}

// newPost returns a post that is held, among those of the client.
func (c *Client) newPost(role postRole, body []byte) *post {
	p := &post{role: role, body: body}
	p.Begin(&c.illegalTransitions)
	c.posts = append(c.posts, p)
	return p
}

// post sends a message that expects none in return.
func (c *Client) post(now engine.Time, role postRole, body []byte) *post {
	p := c.newPost(role, body)
	p.send(c, now)
	return p
}

// Notify sends a notification of the app's and returns the call that settles,
// with the result null, once the server has taken it.
func (c *Client) Notify(now engine.Time, method string, params []byte, options CallOptions) engine.CallID {
	c.effects.Begin(now)
	id, _ := c.newID()
	if c.state != stateOpen {
		failure := c.closedError(method)
		switch {
		case c.state >= stateClosing:
		case c.exchanges.IsShut():
			failure = durable.Unsent(method)
		default:
			failure = &engine.Error{Code: engine.CodeNetwork, Op: method, Retryable: true, Message: "the client is not connected yet"}
		}
		c.effects.Add(engine.Effect{Kind: engine.Settle, C: id, Outcome: engine.OutcomeFailure, Failure: failure})
		return id
	}
	p := c.post(now, postNotification, jsonrpc.AppendNotification(nil, method, params, options.Meta))
	p.call, p.method = id, method
	return id
}

// sendCancelled tells the server that nobody waits for a request any more.
func (c *Client) sendCancelled(now engine.Time, id requestID, reason string) {
	params := appendUint([]byte(`{"requestId":`), uint64(id))
	params = jsonrpc.AppendString(jsonrpc.Raw(params, `,"reason":`), reason)
	c.post(now, postCancelled, jsonrpc.AppendNotification(nil, "notifications/cancelled", append(params, '}'), nil))
}

// send sends the message, or sends it again; while a token is being asked for
// it waits, without a limit: a person may be signing in. An answer leaves in the session that
// asked, or not at all: in another one its id is another question's (fault 525).
func (p *post) send(c *Client, now engine.Time) {
	if p.role == postAnswer && p.answer.generation != c.session.generation {
		c.posted(now, p, httpError(p.method, 404))
		return
	}
	if c.token.Asking() {
		p.Park()
		return
	}
	method, within := "POST", int64(link.PostWithin)
	if p.role == postDelete {
		method, within = "DELETE", link.DeleteWithin
	}
	p.generation, p.inSession = c.session.generation, c.session.id != ""
	p.Sent(c.fetch(p, method, p.body), c.linkLimits(), c.token.Number(), now.After(within))
}

func (p *post) head(c *Client, now engine.Time, head engine.Head) {
	kind := p.Exchange.Head(head)
	if p.role != postDelete && p.Unauthorized(c.maxRefusals()) {
		c.abort(p.X)
		c.refreshToken(p.Token)
		p.send(c, now)
		return
	}
	switch {
	case kind == link.BodyJSON && p.role != postDelete:
		// Only the body tells: a 404 with method-not-found is no lost session,
		// and the Go SDK answers 200 with a JSON-RPC error to a notification
		// without its session.
		c.read(p.X)
		return
	case (kind == link.BodyNone || kind == link.BodyCut) && p.role != postDelete:
		c.read(p.X) // to its end, so that the connection can be used again
	default:
		// Not left unread: an open body holds one of six connections.
		c.abort(p.X)
	}
	p.answered(c, now, nil)
}

func (p *post) chunk(c *Client, now engine.Time, bytes []byte) {
	if err := p.Exchange.Chunk(bytes); err != nil {
		c.abort(p.X)
		c.posted(now, p, &engine.Error{Code: engine.CodeLimit, Op: p.method, Message: "the answer is too large", Cause: err})
		return
	}
	c.read(p.X)
}

func (p *post) end(c *Client, now engine.Time, how engine.Ending, detail string) {
	p.X = 0
	if p.State == link.PostOver {
		c.posts.remove(p)
		return
	}
	if p.Exchange.Opened() {
		var m *jsonrpc.Message
		if parsed, err := jsonrpc.Parse(p.Exchange.Body(), jsonrpc.Limits{Depth: c.cfg.Limits.Depth}); err == nil {
			m = &parsed
		}
		p.answered(c, now, m)
		return
	}
	p.Failures++
	if p.role == postInitialized && how == engine.EndNetwork && c.sendsVersion() && !c.IsOffline && p.Failures <= 2 {
		// initialize passed and the first request with MCP-Protocol-Version
		// did not, twice: the mark of a server whose CORS rules do not list
		// that header. Servers take its absence for 2025-03-26 (MCP 2025-11-25
		// "Transports", Protocol Version Header).
		c.skipVersionHeader = p.Failures == 2
		p.send(c, now)
		return
	}
	if how == engine.EndUnreadable {
		c.posted(now, p, link.Unreadable(p.method, detail))
		return
	}
	c.posted(now, p, &engine.Error{Code: engine.CodeNetwork, Op: p.method, Retryable: true,
		Message: "the server could not be reached", Cause: link.Cause(detail)})
}

// answered decides on the answer, with the message in its body if there is one.
func (p *post) answered(c *Client, now engine.Time, m *jsonrpc.Message) {
	if p.Exchange.OK() {
		if m == nil || m.Kind != jsonrpc.ErrorResponse {
			c.posted(now, p, nil)
			return
		}
		c.posted(now, p, &engine.Error{Code: engine.CodeProtocol, Op: p.method, Status: p.Exchange.Status(),
			Message: "the server answered a notification with a JSON-RPC error"})
		return
	}
	refusal := wire.VerdictOnRefusal(p.Exchange.Status(), c.refusalCode(m), p.inSession, c.blamesSession(m), false)
	if refusal == wire.RefusalSessionGone && p.role != postDelete {
		c.sessionLost(now, p.generation)
	}
	if p.role == postInitialized {
		c.session.retryAfter = link.RetryAfter(p.Exchange.Header("retry-after"))
	}
	failure := httpError(p.method, p.Exchange.Status())
	if code := wire.ErrorCode(m); code != 0 {
		failure.Message = "the server refused the message with JSON-RPC error " + strconv.FormatInt(code, 10)
	}
	c.posted(now, p, failure)
}

func (p *post) advance(c *Client, now engine.Time) {
	if !p.Due(now) {
		return
	}
	c.abort(p.X)
	p.X = 0
	c.posted(now, p, timeoutError(p.method, "no answer in time"))
}

// posted ends a post, once; failure is nil if the server took it. Its tail may still come.
func (c *Client) posted(now engine.Time, p *post, failure *engine.Error) {
	if !c.exchanges.Live(p.X) {
		p.X = 0
		c.posts.remove(p)
	}
	if p.State == link.PostOver {
		return
	}
	p.Over(now, tailTime)
	switch p.role {
	case postInitialized:
		switch {
		case c.state != stateConnecting && c.state != stateReconnecting:
		case failure != nil:
			failure.Op = "notifications/initialized"
			c.handshakeFailed(now, failure)
		default:
			c.opened(now)
		}
	case postAnswer:
		if r := p.answer.reply; r != nil {
			p.answer.call.replied(c, now, r, failure)
		}
		c.nextAnswer(now)
	case postDelete:
		c.ended()
	case postNotification:
		e := engine.Effect{Kind: engine.Settle, C: p.call, Outcome: engine.OutcomeResult, Data: []byte("null")}
		if failure != nil {
			e = engine.Effect{Kind: engine.Settle, C: p.call, Outcome: engine.OutcomeFailure, Failure: failure}
		}
		c.effects.Add(e)
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
