package acp

import (
	"bytes"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// connState is where a connection stands.
type connState uint8

const (
	connNew     connState = iota // nothing was sent
	connSocket                   // the socket is being opened
	connAsking                   // initialize is under way
	connWaiting                  // and will be made again
	connOpen                     // the agent knows it
	connGone                     // not any more, or never
)

// connTransitions are the states that may follow each.
var connTransitions = engine.Transitions{
	connNew:     1<<connSocket | 1<<connAsking | 1<<connWaiting | 1<<connOpen | 1<<connGone,
	connSocket:  1<<connAsking | 1<<connWaiting | 1<<connGone,
	connAsking:  1<<connSocket | 1<<connWaiting | 1<<connOpen | 1<<connGone,
	connWaiting: 1<<connSocket | 1<<connAsking | 1<<connGone,
	connOpen:    1<<connNew | 1<<connGone,
	connGone:    0,
}

// enter has the connection in another state.
func (n *connection) enter(c *Client, next connState) {
	engine.Enter(&connTransitions, &n.state, next, &c.illegalTransitions)
}

// connection is what initialize makes: over HTTP an id that outlives streams
// and pages, over a WebSocket the socket itself.
type connection struct {
	id        string // Acp-Connection-Id; "" over a socket. Secret
	state     connState
	version   int    // 1 or 2, as the agent has answered
	result    []byte // of initialize, raw
	restored  bool   // an earlier page made it
	found     bool   // the agent has answered on it since it was restored
	stream    *stream
	socket    engine.ExchangeID
	at        engine.Time // connWaiting: when to initialize again; connSocket: until when the socket has to open
	openBy    engine.Time // until when the app waits for its stream, Never where it does not
	since     engine.Time // when initialize was sent; connOpen: since when it is
	useful    bool        // it has brought what the app asked for, or news
	attempt   int
	severed   bool       // the one before it was accepted, and was cut before it was of use
	answers   []*request // sent on it and not answered yet, in order
	answered  []answered // requests of the agent's, the last ones
	takenBack [][]byte   // ids of those that it took back before they came
}

func (c *Client) newConnection() *connection {
	return &connection{at: engine.Never, openBy: engine.Never}
}

// initialize makes the connection at the agent (ACP "Initialization"). A version 1
// agent takes the members of its own and ignores the others.
func (n *connection) initialize(c *Client, now engine.Time) {
	if c.cfg.Transport == TransportWebSocket && n.socket == 0 {
		n.openSocket(c, now)
		return
	}
	n.enter(c, connAsking)
	n.since = now
	version := c.cfg.Version
	if version == 0 {
		version = 2
	}
	b := strconv.AppendInt([]byte(`{"protocolVersion":`), int64(version), 10)
	b = appendMember(b, "info", c.cfg.Info)
	b = appendMember(b, "capabilities", c.cfg.Capabilities)
	b = appendMember(b, "clientInfo", c.cfg.Info)
	b = jsonrpc.Raw(b, `,"clientCapabilities":{`)
	if value, ok := jsonrpc.Member(c.cfg.Capabilities, "elicitation"); ok {
		b = append(append(jsonrpc.Raw(b, `"elicitation":`), value...), ',')
	}
	if c.offersLifecycle() {
		// By a name of our own: the RFD v2/prompt speaks of a flag in _meta, and names none.
		b = jsonrpc.Raw(b, `"_meta":{"promptLifecycle":true}},"_meta":{"promptLifecycle":true}}`)
	} else {
		b = append(bytes.TrimSuffix(b, []byte(",")), "}}"...)
	}
	r := c.newRequest(now, "initialize", nil, b)
	r.conn, r.role = n, roleInitialize
	r.send(c, now)
}

// offersLifecycle reports whether initialize offers an agent of version 1 the lifecycle of version 2: not to
// one that has refused that, and not where version 2 is asked for alone.
func (c *Client) offersLifecycle() bool {
	return !c.cfg.NoLifecycle && !c.lifecycleRefused && c.cfg.Version != 2
}

// withoutLifecycle makes initialize once more, without the flags, of an agent that does not take it as it
// was; false where there were none.
func (n *connection) withoutLifecycle(c *Client, now engine.Time) bool {
	if !c.offersLifecycle() {
		return false
	}
	c.lifecycleRefused = true
	n.initialize(c, now)
	return true
}

// initialized takes the answer to initialize.
func (n *connection) initialized(c *Client, now engine.Time, id string, result []byte) {
	value, _ := jsonrpc.Member(result, "protocolVersion")
	version, _ := jsonrpc.Int(value)
	if version != 1 && version != 2 || c.cfg.Version != 0 && int64(c.cfg.Version) != version {
		n.failed(c, now, &engine.Error{Code: CodeNoVersion, Op: "initialize",
			Message: "the agent speaks protocol version " + strconv.FormatInt(version, 10) + " only"})
		return
	}
	if c.cfg.Transport == TransportHTTP && id == "" {
		n.failed(c, now, &engine.Error{Code: engine.CodeProtocol, Op: "initialize", Lacks: "Acp-Connection-Id",
			Message: "the answer has no Acp-Connection-Id, or CORS does not expose it"})
		return
	}
	n.id, n.version, n.result = id, int(version), append([]byte(nil), result...)
	n.enter(c, connOpen)
	n.since, n.found = now, true
	c.storeHandshake(n)
	n.opened(c, now)
}

// reattach goes on with a connection that an earlier page made: the agent has
// kept it, and what it said since, as the official SDK's server does.
func (n *connection) reattach(c *Client, now engine.Time) {
	n.enter(c, connOpen)
	n.since, n.restored = now, true
	n.opened(c, now)
}

// closeUnused closes the stream of a connection that an earlier page made, once this
// page carries none of its sessions: whoever does wants to read it, and an agent lets
// one page read.
func (n *connection) closeUnused(c *Client) {
	if n == nil || n == c.home || n.state != connOpen {
		return
	}
	for _, s := range c.sessions {
		if s.conn == n && s.state == sessionOwned {
			return
		}
	}
	n.enter(c, connNew)
	if n.stream != nil {
		n.stream.close(c)
		n.stream = nil
	}
}

// opened lets through what waited for the connection.
func (n *connection) opened(c *Client, now engine.Time) {
	if c.cfg.Transport == TransportHTTP && n.stream == nil {
		n.stream = newStream(c, n, nil)
		n.stream.connect(c, now)
	}
	switch {
	case n != c.home:
	case c.state == stateConnecting && c.cfg.Transport == TransportHTTP && !n.restored:
		n.openBy = now.After(c.heads.Unseen()) // servers exist that give no answer before they have something to say
	default:
		c.setState(stateOpen)
	}
	for _, busy := range []bool{true, false} { // who is at work comes first
		for _, s := range c.sessions {
			if s.conn == n && s.state == sessionOwned && s.stream == nil && s.busy(c) == busy {
				s.attach(c, now)
			}
		}
	}
	n.release(c, now)
}

// release lets through the requests that wait for the connection, or for its stream.
func (n *connection) release(c *Client, now engine.Time) {
	if n != c.home {
		return
	}
	for _, r := range c.allRequests() {
		if r.state == requestQueued && r.session == nil {
			r.dispatch(c, now)
		}
	}
}

// streamAnswered notes that a stream can be had, or that the app has waited for
// long enough.
func (n *connection) streamAnswered(c *Client) {
	if n.openBy != engine.Never {
		n.openBy = engine.Never
		c.setState(stateOpen)
	}
}

// unreachable takes the failure of the first stream's second GET: what initialize
// may send CORS can deny to a GET with the connection's id, and all that is asked
// would be without an answer.
func (n *connection) unreachable(c *Client, now engine.Time, detail string) {
	if n.openBy != engine.Never && n.stream.link.Attempts() > 1 {
		c.fail(now, &engine.Error{Code: engine.CodeNetwork, Op: "GET", Retryable: true,
			Message: "the agent answers, but its event stream cannot be opened", Cause: link.Cause(detail)})
	}
}

// patience is how often a page that was loaded again connects before the app is
// hears of a failure, over some 8 s: its sessions have work that goes on, and the
// network that broke may be why it was loaded again.
const patience = 5

// failed takes the failure of initialize: of the first it is the client's. Later
// it is made again, for as long as the app has not closed the client: while a
// server is deployed again it answers 404, 401 or with another's pages.
func (n *connection) failed(c *Client, now engine.Time, failure *engine.Error) {
	n.closeSocket(c)
	first := c.state == stateConnecting
	if first && failure.Code == engine.CodeNetwork && len(c.sessions) > 0 && n.attempt < patience {
		n.again(c, now)
		return
	}
	if first && c.asksReach(now, n, failure) {
		return
	}
	if first || failure.Code == engine.CodeBadArgument || failure.Code == CodeNoVersion {
		n.enter(c, connGone)
		c.fail(now, failure)
		return
	}
	n.again(c, now)
}

// gone notes that the agent knows the connection no more. Its sessions go on by
// another one; what was asked on it nobody answers.
func (n *connection) gone(c *Client, now engine.Time) {
	if n.state == connGone || c.state >= stateClosing {
		return
	}
	n.enter(c, connGone)
	n.openBy = engine.Never
	n.closeSocket(c)
	if n.stream != nil {
		n.stream.close(c)
		n.stream = nil
	}
	if c.exchanges.IsShut() {
		return // leave ends what was on it
	}
	for _, q := range c.allQuestions() {
		if q.conn == n {
			c.withdraw(now, q, withdrawnConnection)
		}
	}
	for _, p := range c.posts.all() {
		if p.conn == n && p.request == nil {
			p.finish(c)
			p.lost(c, now)
		}
	}
	for _, s := range c.sessions {
		if s.conn == n && s.state != sessionDropped {
			s.detach(c)
			s.enterHistory(c, historyUnbound)
			s.broken(c, now)
		}
	}
	if n != c.home {
		c.adoptStrays(now)
	} else {
		c.home = c.newConnection()
		switch { // else a server that forgets at once would be asked at once, for ever
		case now.Since(n.since) >= stableAfter:
		case n.useful:
			c.home.attempt = min(n.attempt, 1)
		default:
			c.home.attempt, c.home.severed = n.attempt, true
		}
		c.setState(stateReconnecting)
		for _, s := range c.sessions {
			if s.history == historyUnbound {
				s.conn = c.home
			}
		}
	}
	for _, r := range append([]*request(nil), n.answers...) {
		r.connectionLost(c, now)
	}
	n.answers = nil
	if c.home.state == connNew {
		c.home.again(c, now)
	}
}

// stableAfter is how long a connection has to last for its loss to be a first
// one, in ms. One that was of use and lasted less waits for the ladder's second
// step each time: its server may have sent a whole history before it went.
const stableAfter = 10_000

// again makes a connection in place of one that was lost: at once, unless that
// one was lost before it was of any use.
func (n *connection) again(c *Client, now engine.Time) {
	if n.attempt == 0 && !c.IsOffline {
		n.attempt++
		n.initialize(c, now)
		return
	}
	n.enter(c, connWaiting)
	n.at = now.After(c.cfg.Retry.DelayAfterCut(n.attempt, n.severed, -1, &c.random))
	n.attempt++
	n.severed = false
}

// whatRuns are the connections of a client (link.Listener).
type whatRuns struct{ c *Client }

// Hear hands news to all of them.
func (w *whatRuns) Hear(n *link.News) (moved bool) {
	c := w.c
	for _, conn := range c.connections() {
		moved = conn.hear(c, n) || moved
	}
	return moved
}

// hear takes news: a connection that waits may be made sooner, streams and the socket have to prove that they
// live.
func (n *connection) hear(c *Client, news *link.News) (moved bool) {
	if n.state == connWaiting {
		n.at, moved = news.Sooner(n.at, 0)
	}
	for _, es := range n.streams(c) {
		moved = es.link.Hear(news) || moved
	}
	if news.Kind != link.NewsVisit {
		n.probe(c, news.Now)
	}
	return moved
}

// adoptStrays moves sessions whose connection is gone to the home connection.
func (c *Client) adoptStrays(now engine.Time) {
	for _, s := range c.sessions {
		if s.history == historyUnbound {
			s.conn = c.home
			if c.home.state == connOpen {
				s.attach(c, now)
			}
		}
	}
}

// advance does what is due.
func (n *connection) advance(c *Client, now engine.Time) {
	switch {
	case now < n.at:
	case n.state == connSocket:
		n.neverOpened(c, now)
	case n.state == connWaiting:
		n.at = engine.Never
		n.initialize(c, now)
	}
	if now >= n.openBy {
		n.streamAnswered(c)
	}
	for _, s := range n.streams(c) {
		s.advance(c, now)
	}
}

func (n *connection) deadline(c *Client) engine.Time {
	at := min(n.openBy, n.at)
	for _, s := range n.streams(c) {
		at = min(at, s.deadline())
	}
	return at
}

// streams returns the connection's stream and those of its sessions.
func (n *connection) streams(c *Client) []*stream {
	var all []*stream
	if n.stream != nil {
		all = append(all, n.stream)
	}
	for _, s := range c.sessions {
		if s.conn == n && s.stream != nil {
			all = append(all, s.stream)
		}
	}
	return all
}

// late takes the answer to a request that an earlier page made; false where it is
// none. Of a prompt's it is news.
func (c *Client) late(now engine.Time, s *session, m jsonrpc.Message, id uint64) bool {
	if id == 0 || c.ids.Own(id) {
		return false
	}
	if s == nil || s.state == sessionDropped {
		return true
	}
	if m.Kind == jsonrpc.ErrorResponse {
		if s.version() == 1 || s.pending[id] {
			if id == s.earlier {
				s.earlier = 0
			}
			s.transcript.Unsent(id, s.emit(c))
			s.broken(c, now)
		}
		return true
	}
	if s.pending[id] {
		s.turn.expect(c, s.turn.state == turnExpected || s.turn.n == s.before)
	}
	s.promptAccepted(c, id, m.Result)
	s.ends(c, now, m.Result)
	return true
}

// heard takes a message of the agent's that came on the connection, on the stream
// of session s, nil for the connection's own.
func (n *connection) heard(c *Client, now engine.Time, s *session, text []byte) {
	m, err := jsonrpc.Parse(text, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	if err != nil {
		c.counters.Malformed++
		c.integrity(s, "malformed_message")
		return
	}
	n.found = true
	switch m.Kind {
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		id, ok := m.ID.Uint()
		for _, r := range n.answers {
			if ok && r.id == id {
				r.answered(c, now, m)
				return
			}
		}
		if c.dropped[id] || ok && c.late(now, s, m, id) {
			delete(c.dropped, id)
			return
		}
		c.counters.UnknownResponses++
		c.integrity(s, "unknown_response")
	case jsonrpc.Request:
		c.receiveQuestion(now, n, s, m)
	case jsonrpc.Notification:
		c.notified(now, n, s, m)
	}
}
