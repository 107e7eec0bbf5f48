package acp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// clientState is where a Client stands as a whole.
type clientState uint8

const (
	stateNew          clientState = iota // Start has not been called
	stateConnecting                      // the first initialize
	stateOpen                            // requests go out
	stateReconnecting                    // the connection is lost; a new one is being made
	stateLeaving                         // its user has logged out: what is under way is read to its end, and nothing else begins
	stateClosing                         // Terminate was called; the DELETE is under way
	stateClosed                          // nothing happens any more
	stateFailed                          // the same, with a reason
)

// clientTransitions are the states that may follow each. What ends a client has its
// connection lost first, so that nothing is made again.
var clientTransitions = engine.Transitions{
	stateNew:          1<<stateConnecting | 1<<stateReconnecting,
	stateConnecting:   1<<stateOpen | 1<<stateReconnecting,
	stateOpen:         1<<stateReconnecting | 1<<stateLeaving,
	stateReconnecting: 1<<stateOpen | 1<<stateLeaving | 1<<stateClosing | 1<<stateClosed | 1<<stateFailed,
	stateLeaving:      1<<stateClosing | 1<<stateClosed,
	stateClosing:      1<<stateClosed | 1<<stateFailed,
	stateClosed:       0,
	stateFailed:       0,
}

var stateNames = [...]string{"new", "connecting", "open", "reconnecting", "leaving", "closing", "closed", "failed"}

// Client is the state machine of one agent. It is an engine.Machine. Its inputs
// are the methods that take now first; none may be called concurrently.
type Client struct {
	link.Waits
	durable.Keeper
	cfg     Config
	effects engine.Queue
	random  engine.Random
	state   clientState
	failure *engine.Error

	illegalTransitions uint32 // see IllegalTransitions

	ids          link.RequestIDs
	lastCall     uint32
	lastQuestion uint32
	used         uint32 // counts the uses of sessions

	home      *connection       // the one that new sessions are made on
	sessions  []*session        // in the order of their handles, which count from 1
	unclaimed []unclaimedUpdate // updates of sessions that are not known yet
	requests  []*request
	posts     posts
	questions []*question
	others    []uint64        // requests of other tabs' that were made for them
	dropped   map[uint64]bool // requests of ours whose answer nobody waits for any more
	exchanges link.Exchanges[owner]
	rotateAt  engine.Time // when streams change hands, Never where all have one
	share     int         // streams of sessions that this page may hold, of all tabs'
	shared    bool        // and it wants to know what they would have
	demand    demand      // that the page knows of
	token     link.Bearer
	idle      bool // behind a logout nothing is under way any more, and the host was told so
	served    bool // the agent's server has let a stream be read
	heads     link.Heads
	heardOne  bool // and a session's

	reach            reach          // of the first initialize
	lifecycleRefused bool           // the agent takes initialize without the offer of a lifecycle alone
	handshake        journal.Server // with the agent, as it is stored
	writer           durable.Writer
	counters         Counters
}

// owner is whatever started an exchange and hears what becomes of it.
type owner interface {
	head(c *Client, now engine.Time, head engine.Head)
	chunk(c *Client, now engine.Time, p []byte)
	end(c *Client, now engine.Time, how engine.Ending, detail string)
}

// New returns a Client that waits for Start.
func New(cfg Config) *Client {
	cfg = cfg.withDefaults()
	c := &Client{
		cfg: cfg, heads: link.Heads{Late: cfg.LateHeads}, random: engine.NewRandom(cfg.Seed), ids: link.RequestIDs{Epoch: cfg.Epoch % link.EpochLimit},
		rotateAt: engine.Never, share: unshared, demand: demand{wanted: -1}, dropped: map[uint64]bool{}, writer: durable.NewWriter(cfg.Journal),
	}
	c.Keeper = durable.NewKeeper(&c.effects, &c.writer, &storeOwner{c}, &restorer{c: c})
	c.Waits = link.NewWaits(&c.effects, link.ProveWithin)
	c.Register(&whatRuns{c})
	c.Register(&c.token)
	c.Register(&c.posts)
	c.Register(&c.writer)
	return c
}

// Start connects, or goes on with the connection that an earlier page had. A
// State effect tells when the client is open or has failed.
func (c *Client) Start(now engine.Time) {
	c.effects.Begin(now)
	if c.state != stateNew {
		return
	}
	c.setState(stateConnecting)
	if c.exchanges.IsShut() {
		return // leave ends it
	}
	if c.cfg.HasTokenProvider {
		c.askToken()
		return
	}
	c.begun(now)
}

func (c *Client) begun(now engine.Time) {
	if c.home == nil {
		c.home = c.newConnection()
	}
	for _, n := range c.connections() { // the home one is the first
		if n.id != "" {
			n.reattach(c, now)
		} else {
			n.initialize(c, now)
		}
	}
}

// Head reports the head of a response.
func (c *Client) Head(now engine.Time, x engine.ExchangeID, head engine.Head) {
	c.effects.Begin(now)
	switch o := c.exchanges.Owner(x); {
	case o == nil:
	case link.CutHead(head.Status):
		c.abort(x)
		o.end(c, now, engine.EndNetwork, "the answer ended inside its status line")
	default:
		o.head(c, now, head)
	}
}

// Chunk reports bytes of a body; p is lent for the call.
func (c *Client) Chunk(now engine.Time, x engine.ExchangeID, p []byte) {
	c.effects.Begin(now)
	if o := c.exchanges.Owner(x); o != nil {
		o.chunk(c, now, p)
	}
}

// End reports that an exchange is over.
func (c *Client) End(now engine.Time, x engine.ExchangeID, how engine.Ending, detail string) {
	c.effects.Begin(now)
	if o := c.exchanges.Owner(x); o != nil {
		c.exchanges.End(x)
		o.end(c, now, how, detail)
	}
}

// Advance does what is due.
func (c *Client) Advance(now engine.Time) {
	c.effects.Begin(now)
	for _, n := range c.connections() {
		n.advance(c, now)
	}
	for _, r := range c.allRequests() {
		r.advance(c, now)
	}
	for _, p := range c.posts.all() {
		p.advance(c, now)
	}
	c.reach.advance(c, now)
	c.advanceToken(now)
	c.disown(now)
	c.endUnbegun(now)
	c.endTrailing(now)
	c.rotate(now)
	for _, s := range c.sessions {
		s.dispatch(c, now) // once it is settled who is read
		s.writeDrafts(now)
	}
	c.WatchStore(now)
}

// allRequests and allQuestions return what there is now, to be walked over:
// what ends is taken out of the client's own list.
func (c *Client) allRequests() []*request { return append([]*request(nil), c.requests...) }

func (c *Client) allQuestions() []*question { return append([]*question(nil), c.questions...) }

// Next takes the oldest effect. What is to be stored comes last: a commit takes
// up all that an input brought.
func (c *Client) Next() (engine.Effect, bool) {
	if e, ok := c.effects.Next(); ok {
		return e, true
	}
	if c.exchanges.IsShut() {
		c.leave(c.effects.Now)
		if e, ok := c.effects.Next(); ok {
			return e, true
		}
	}
	if c.shared {
		if e, ok := c.demanded(); ok {
			return e, true
		}
	}
	if c.writer.ReleaseIdle(c.effects.Now) {
		return c.Next()
	}
	return c.writer.Commit(c.effects.Now)
}

// Deadline returns when Advance is due.
func (c *Client) Deadline() (engine.Time, bool) {
	at := min(c.writer.Deadline(), c.token.Deadline(), c.rotateAt, c.reach.Deadline(), c.posts.deadline())
	for _, n := range c.connections() {
		at = min(at, n.deadline(c))
	}
	for _, r := range c.requests {
		at = min(at, r.by, r.again)
	}
	for _, s := range c.sessions {
		at = min(at, s.turn.grace.lookAt, s.draftsDue())
		if s.state == sessionOwned {
			at = min(at, s.disownAt, s.dispatchAt, s.trailing.by)
		}
	}
	return at, at != engine.Never
}

// connections returns the home connection and those that earlier pages had.
func (c *Client) connections() []*connection {
	var all []*connection
	if c.home != nil {
		all = append(all, c.home)
	}
	for _, s := range c.sessions {
		if s.conn != nil && s.conn != c.home && !contains(all, s.conn) {
			all = append(all, s.conn)
		}
	}
	return all
}

func contains(all []*connection, n *connection) bool {
	for _, other := range all {
		if other == n {
			return true
		}
	}
	return false
}

// fetch starts an exchange for o; 0 where nothing may begin any more.
func (c *Client) fetch(o owner, method string, header []engine.Field, body []byte) engine.ExchangeID {
	if !c.mayBegin(o) {
		return 0 // leave ends what it was for
	}
	header = append(header, c.cfg.Header...)
	header = c.token.AppendField(header)
	x := c.exchanges.Begin(o)
	c.effects.Add(engine.Effect{Kind: engine.Fetch, X: x, Request: &engine.Request{
		Method: method, URL: c.cfg.URL, Header: header, Body: body}})
	return x
}

func (c *Client) read(x engine.ExchangeID) {
	if x != 0 {
		c.effects.Add(engine.Effect{Kind: engine.Read, X: x})
	}
}

// abort ends an exchange from this side; 0 is none.
func (c *Client) abort(x engine.ExchangeID) {
	if x != 0 {
		c.exchanges.End(x)
		c.effects.Add(engine.Effect{Kind: engine.Abort, X: x})
	}
}

// setState tells the app where the client stands.
func (c *Client) setState(s clientState) {
	if c.state == s {
		return
	}
	c.enter(s)
	b := jsonrpc.AppendString([]byte(`{"state":`), stateNames[s])
	if s == stateOpen {
		b = strconv.AppendInt(appendName(b, "version"), int64(c.home.version), 10)
		b = strconv.AppendBool(appendName(b, "restored"), c.home.restored)
		b = jsonrpc.AppendString(appendName(b, "transport"), c.cfg.Transport)
		b = appendMember(b, "initialize", c.home.result)
	}
	c.effects.Add(engine.Effect{Kind: engine.State, Data: append(b, '}'), Failure: c.failure})
}

// enter has the client in another state, without a word to the app.
func (c *Client) enter(s clientState) {
	engine.Enter(&clientTransitions, &c.state, s, &c.illegalTransitions)
}

// IllegalTransitions returns how often a state was entered that may not follow the one
// before. It is 0, or there is a defect.
func (c *Client) IllegalTransitions() uint32 {
	n := c.illegalTransitions + c.reach.IllegalTransitions()
	for _, s := range c.sessions {
		if s.stream != nil {
			n += s.stream.link.IllegalTransitions()
		}
	}
	return n
}

// integrity tells the app that the agent broke a rule.
func (c *Client) integrity(s *session, what string) {
	c.counters.Integrity++
	c.deliver(s, engine.EventIntegrity, 0, append(jsonrpc.AppendString([]byte(`{"what":`), what), '}'))
}

// deliver hands an event to the app: of a session, or of the client where s is
// nil.
func (c *Client) deliver(s *session, kind engine.EventKind, position uint32, data []byte) {
	e := engine.Effect{Kind: engine.Deliver, Event: kind, Position: position, Data: data}
	if s != nil {
		e.C = engine.SubjectID(s.handle)
	}
	c.effects.Add(e)
}

// wall returns what a wall clock shows now, in ms since 1970.
func (c *Client) wall() int64 { return c.cfg.Wall + int64(c.effects.Now) }
