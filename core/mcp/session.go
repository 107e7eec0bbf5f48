package mcp

import (
	"cmp"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// session is what a handshake has agreed on.
type session struct {
	id         string
	ready      bool   // initialize was answered: requests carry the session's headers
	generation uint32 // its number (session_number.go), or one that is no session's
	gone       uint32 // the number that stands for none, once the session before is lost
	heard      uint32 // the latest number that anything in the store has told of
	result     []byte // the raw result of initialize
	begun      bool   // a handshake was made, or an earlier page's taken over
	leaseAsked bool   // the lease was asked for to make this one
	restored   bool   // it is an earlier page's, from the journal
	stored     bool   // the store has a session of this server, or may have
	unstored   bool   // and not this one, or not what is known of its tools: it was away
	unreadable bool   // it has one of a build whose records this one cannot read
	client     []byte // what that page said of itself

	startedAt    engine.Time
	attempt      int         // handshakes since the session was lost
	retryAfter   int64       // ms that the last refusal of initialize asked to wait
	initializeAt engine.Time // when to try the next one; Never while none is due
	notBefore    engine.Time // what that heeds, whoever comes or whatever is back: the server's word, or another tab's turn
}

// Hear takes news: a handshake that waits may be made sooner.
func (s *session) Hear(n *link.News) (moved bool) {
	s.initializeAt, moved = n.Sooner(s.initializeAt, s.notBefore)
	return moved
}

// What this side can do beyond what the app handles: resume requests (SEP-975) and
// take results in every mode (SEP-1905).
const (
	resumableCapability = `"resumableRequests":{},`
	legacyCapabilities  = `"tasks":{"responses":{"modes":["task","immediate","streaming"]}}`
)

// reinitializeEvery is the least time between two handshakes, in ms, after a
// session that the server forgot at once (fault 23: at most one
// per N seconds).
const reinitializeEvery = 1_000

// sendInitialize starts a handshake: no session id, no version header
// (2025-11-25 basic/lifecycle).
func (c *Client) sendInitialize(now engine.Time) {
	c.begins(now)
	c.skipVersionHeader = false // learned again: a passing fault may have taught it
	c.cursorHeader.enter(c, headerUntried)
	c.cursorHeader.failures, c.cursorHeader.proofs = 0, 0
	call := c.newCall(now, "initialize", Timeouts{})
	call.role = roleInitialize
	revision := cmp.Or(c.cfg.Revision, c.negotiation.offered, wire.NewestRevision(false).Name)
	params := jsonrpc.AppendString([]byte(`{"protocolVersion":`), revision)
	capabilities := resumableCapability + legacyCapabilities
	if c.channel.state != channelClosed {
		capabilities = legacyCapabilities // HTTP+SSE: resumePolicy says why
	}
	own := []byte(capabilities)
	if extensions := c.extensions(""); len(extensions) > 0 {
		own = append(append(own, ','), extensions...)
	}
	params = jsonrpc.AppendObject(jsonrpc.Raw(params, `,"capabilities":`), c.cfg.Capabilities, own)
	params = append(jsonrpc.Raw(params, `,"clientInfo":`), c.cfg.ClientInfo...)
	call.params = append(params, '}')
	if c.revision != nil && c.revision.SelfDescribing {
		c.revision = nil // the probe's
	}
	c.sendOpening(now, call)
}

// sendOpening sends a request that opens the client, once there is a token for it.
func (c *Client) sendOpening(now engine.Time, call *call) {
	if !c.token.Asking() {
		call.send(c, now)
	}
}

// adoptSession takes the session id of a successful initialize: visible ASCII
// only (2025-11-25 basic/transports). Anything else could not be sent back as
// it is: fetch trims blanks and refuses control characters.
func (c *Client) adoptSession(id string) {
	for i := 0; i < len(id); i++ {
		if id[i] < 0x21 || id[i] > 0x7e {
			c.failure = &engine.Error{Code: CodeSessionRejected, Op: "initialize",
				Message: "the server's session id holds characters that a header cannot carry"}
			return
		}
	}
	c.session.id = id
}

// initialized takes the outcome of the handshake.
func (c *Client) initialized(now engine.Time, outcome engine.Outcome, data []byte, failure *engine.Error) {
	if c.state != stateConnecting && c.state != stateReconnecting {
		return
	}
	if c.failure != nil { // adoptSession's
		c.fail(now)
		return
	}
	switch outcome {
	case engine.OutcomeRPCError:
		if c.negotiation.offers(c, data) {
			c.sendInitialize(now)
			return
		}
		if c.negotiation.modernOnly(c) {
			c.sendDiscover(now, wire.NewestRevision(true))
			return
		}
		code, _ := jsonrpc.Member(data, "code")
		c.handshakeFailed(now, &engine.Error{Code: engine.CodeProtocol, Op: "initialize",
			Message: "the server refused to initialize with JSON-RPC error " + string(code)})
		return
	case engine.OutcomeFailure:
		c.handshakeFailed(now, failure)
		return
	}
	c.revision = c.agreed(data)
	if c.revision == nil {
		c.failure = &engine.Error{Code: CodeNoRevision, Op: "initialize",
			Message: "the server's answer names no protocol revision that this client speaks"}
		c.fail(now)
		return
	}
	if c.revision.SelfDescribing {
		c.revision = nil // no revision of that kind has an initialize
		c.failure = &engine.Error{Code: CodeNoRevision, Op: "initialize", Message: "the server answered initialize with a revision that has none"}
		c.fail(now)
		return
	}
	c.session.ready = true
	c.session.result = append([]byte(nil), data...)
	c.post(now, postInitialized, jsonrpc.AppendNotification(nil, "notifications/initialized", nil, nil))
}

// agreed returns the revision that a result of initialize names, nil where this
// build does not speak it. A result that names none but says who the server is
// (e2e/peer/seed.go may) is taken as of the oldest that its transport has.
func (c *Client) agreed(result []byte) *wire.Revision {
	version, named := jsonrpc.Member(result, "protocolVersion")
	if named {
		name, _ := jsonrpc.String(version)
		return wire.FindRevision(name)
	}
	if _, ok := jsonrpc.Member(result, "serverInfo"); !ok {
		return nil
	}
	if c.channel.state != channelClosed {
		return wire.FindRevision(wire.ChannelRevision)
	}
	return wire.FindRevision(wire.OldestHTTP)
}

// handshakeFailed gives up the first time, so that a mistyped URL is an error
// at once. For a session that had worked it keeps trying, whatever the server
// says while it is being deployed, unless nobody is let in any more.
func (c *Client) handshakeFailed(now engine.Time, failure *engine.Error) {
	if c.negotiation.mistaken(c, failure) {
		c.sendDiscover(now, wire.NewestRevision(true))
		return
	}
	if c.asksReach(now, failure, false) || c.tryChannel(now, failure) {
		return
	}
	if c.state == stateConnecting || failure.Code == engine.CodeUnauthorized && !c.cfg.HasTokenProvider {
		c.failure = failure
		c.fail(now)
		return
	}
	c.session.id = "" // an answer that failed gives no session (fault 31)
	c.session.initializeAt = now.After(c.cfg.Retry.DelayAfter(c.session.attempt, c.session.retryAfter, &c.random))
	c.session.notBefore = now.After(c.session.retryAfter)
	c.session.attempt++
	c.session.retryAfter = 0 // it was said once, and holds once
}

// opened ends the handshake: the server has taken notifications/initialized.
func (c *Client) opened(now engine.Time) {
	c.session.attempt, c.session.retryAfter = 0, 0
	c.session.restored = false
	c.storeServer()
	c.reopened(now)
}

// reopened opens the client with the session at hand.
func (c *Client) reopened(now engine.Time) {
	c.setState(stateOpen)
	c.forgetBodies()
	c.taskListen.refused, c.taskListen.attempts = false, 0
	switch may := c.mayListen() && c.channel.state == channelClosed && c.listens(); {
	case c.listen.carries(c) && !may:
		c.listen.stop(c)
	case may && !c.listen.carries(c):
		c.listen.open(c, now)
	}
	c.sendQueued(now)
}

// sendQueued sends the calls that wait for the client to be open.
func (c *Client) sendQueued(now engine.Time) {
	if c.token.Asking() {
		return // tokenArrived sends them
	}
	for _, call := range append([]*call(nil), c.calls...) {
		switch {
		case call.opensClient():
		case call.state == callRestored:
			call.carryOn(c, now)
		case call.state == callQueued:
			call.send(c, now)
		case call.waitsForSession(c):
			call.takeUp(now)
		}
	}
}

// sessionLost starts a new session, once, however many requests of the given
// generation find out that theirs is gone. Calls that wait to be resumed
// belonged to the old session and are lost with it, unless they have a token.
func (c *Client) sessionLost(now engine.Time, generation uint32) {
	if c.state != stateOpen || generation != c.session.generation {
		return
	}
	c.counters.SessionsLost++
	c.session.leaseAsked = false
	c.listen.stop(c)
	c.setState(stateReconnecting)
	c.session.ready, c.session.id = false, ""
	c.session.generation = afterRound(generation) // from here on nothing of the old session is resumed in it
	c.session.gone = c.session.generation
	c.session.initializeAt = max(now, c.session.startedAt.After(reinitializeEvery))
	c.session.notBefore = c.session.initializeAt
	if c.session.initializeAt == now {
		c.newSession(now)
	}
	for _, call := range append([]*call(nil), c.calls...) {
		if call.state == callStreaming && call.stream.State() == link.StateWaiting && !call.hasToken() {
			call.answerLost(c, now, engine.Lost, lostError(call.method, 404))
		}
	}
	c.strandCalls()
}

// fail ends the client with c.failure.
func (c *Client) fail(now engine.Time) {
	c.end(now, stateFailed)
}
