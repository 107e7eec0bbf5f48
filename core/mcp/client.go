package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// clientState is where a Client stands as a whole.
type clientState uint8

const (
	stateNew          clientState = iota // Start has not been called
	stateConnecting                      // the first handshake
	stateOpen                            // calls go out
	stateReconnecting                    // the session is lost; a new handshake is under way or due
	stateLeaving                         // its user has logged out: what is under way is read to its end, and nothing else begins
	stateClosing                         // Close was called; the DELETE is under way
	stateClosed                          // nothing happens any more
	stateFailed                          // the same, with a reason
)

// clientTransitions are the states that may follow each.
var clientTransitions = engine.Transitions{
	stateNew:          1<<stateConnecting | 1<<stateClosing,
	stateConnecting:   1<<stateOpen | 1<<stateClosing | 1<<stateFailed,
	stateOpen:         1<<stateReconnecting | 1<<stateLeaving | 1<<stateClosing | 1<<stateFailed,
	stateReconnecting: 1<<stateOpen | 1<<stateLeaving | 1<<stateClosing | 1<<stateFailed,
	stateLeaving:      1 << stateClosing,
	stateClosing:      1 << stateClosed,
	stateClosed:       0,
	stateFailed:       0,
}

var stateNames = [...]string{"new", "connecting", "open", "reconnecting", "leaving", "closing", "closed", "failed"}

func (s clientState) String() string { return stateNames[s] }

// Client is the state machine of one connection to one MCP server. It is an
// engine.Machine. Its inputs are the methods that take now first; none of them
// may be called concurrently.
type Client struct {
	link.Waits
	durable.Keeper
	cfg      Config
	effects  engine.Queue
	random   engine.Random
	marks    link.SpareMarks
	heads    link.Heads
	seen     []byte // marks of the events in the row that is written
	state    clientState
	revision *wire.Revision // of the current or last session; nil before the first
	failure  *engine.Error

	ids      link.RequestIDs
	lastCall uint32

	openQuestions []openQuestion
	lastAsked     uint32
	resources     []byte // JSON array of the resources that the app watches

	writer      durable.Writer
	withheld    bool                    // a Read may be withheld from a call
	elements    [][]byte                // of the array that is looked at: one list for all
	kept        map[engine.CallID]*call // settled, and not acknowledged yet
	evicted     []*call                 // to make room for a commit that found none: their deletion is under way
	evictedIn   uint32                  // the ticket of both
	manualIn    uint32                  // the ticket of the last commit for which one that waits for the app's ack went
	series      jsonrpc.Series          // the messages that no call's stream brings
	messageFrom *link.Exchange          // that has brought the message which is being taken; nil for none
	calls       []*call                 // in order of their making: iteration must not depend on a map
	byID        map[requestID]*call
	byCall      map[engine.CallID]*call
	byRecord    map[uint64]*call
	exchanges   link.Exchanges[owner]
	posts       posts
	answers     answers
	listen      *listen
	taskListen  taskListen
	withdrawn   withdrawals
	claims      claims
	scarce      bool // see Scarce
	alone       bool // no other tab is known of, and this one is awake
	deferrals   deferrals
	memory      memory
	ahead       bool  // the next commit has of calls that wait that they leave
	latest      int64 // the latest time that anything in the store tells, ms since 1970

	session     session
	negotiation negotiation
	channel     channel
	token       link.Bearer
	idle        bool // behind a logout nothing is under way any more, and the host was told so

	bodies       link.Bodies
	lead         lead
	reach        reach // of the first handshake
	reachability reachability
	schedule     schedule

	continues support // of tasks/continue (SEP-2339), once that has been tried
	tools     toolFacts
	taskOffer taskOffer // of the current or last session
	inlined   bool      // it has no tasks/result either: the outcome comes with tasks/get

	// skipVersionHeader: the server's CORS rules refuse MCP-Protocol-Version,
	// as learned from the first request that carried it.
	skipVersionHeader bool
	cursorHeader      cursorHeader

	counters           Counters
	illegalTransitions uint32 // see IllegalTransitions
}

// owner is whatever started an exchange and is told what becomes of it.
type owner interface {
	head(c *Client, now engine.Time, head engine.Head)
	chunk(c *Client, now engine.Time, p []byte)
	end(c *Client, now engine.Time, how engine.Ending, detail string)
}

// New returns a Client that waits for Start.
func New(cfg Config) *Client {
	cfg.Timeouts = cfg.Timeouts.withDefaults()
	cfg.Limits = cfg.Limits.withDefaults()
	cfg.Retry = cfg.Retry.OrBuiltIn()
	cfg.Retention = cfg.Retention.withDefaults()
	if len(cfg.Capabilities) == 0 {
		cfg.Capabilities = []byte("{}")
	}
	c := &Client{
		cfg:      cfg,
		scarce:   cfg.Scarce,
		heads:    link.Heads{Late: cfg.LateHeads},
		random:   engine.NewRandom(cfg.Seed),
		ids:      link.RequestIDs{Epoch: cfg.Epoch % link.EpochLimit},
		byID:     map[requestID]*call{},
		byCall:   map[engine.CallID]*call{},
		byRecord: map[uint64]*call{},
		kept:     map[engine.CallID]*call{},
		listen:   &listen{},
		series:   jsonrpc.Series{Param: progressToken},
		writer:   durable.NewWriter(cfg.Journal),
	}
	c.taskListen.at, c.deferrals.by = engine.Never, engine.Never
	c.session.initializeAt = engine.Never
	c.Keeper = durable.NewKeeper(&c.effects, &c.writer, &storeOwner{c}, &restorer{c})
	c.Waits = link.NewWaits(&c.effects, link.ProveShown)
	c.Register(&whatRuns{c})
	c.Register(&c.session)
	c.Register(&c.bodies)
	c.Register(&c.token)
	c.Register(&c.posts)
	c.Register(&c.writer)
	return c
}

// Start connects: it asks for a token where there is a provider, then finds out
// which revision the server speaks. A State effect tells when the client is open or has failed.
func (c *Client) Start(now engine.Time) {
	c.effects.Begin(now)
	if c.state != stateNew {
		return
	}
	c.dropStaleHandshake()
	c.fitStored()
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

// begun goes on with an earlier page's handshake, or makes one.
func (c *Client) begun(now engine.Time) {
	c.session.begun = true
	if c.session.restored {
		c.session.startedAt = now
		c.reopened(now)
		return
	}
	c.negotiate(now)
}

// Head reports the head of a response.
func (c *Client) Head(now engine.Time, x engine.ExchangeID, head engine.Head) {
	o := c.exchanges.Owner(x)
	call, _ := o.(*call)
	c.effects.Begin(now)
	if o == nil {
		return
	}
	c.reschedule(call)
	if link.CutHead(head.Status) {
		c.abort(x)
		c.over(now, o, engine.EndNetwork, "the answer ended inside its status line")
		return
	}
	c.noteReachability(true)
	c.bodies.Heard(now)
	o.head(c, now, head)
}

// Chunk reports bytes of a body; p is lent for the call.
func (c *Client) Chunk(now engine.Time, x engine.ExchangeID, p []byte) {
	o := c.exchanges.Owner(x)
	call, _ := o.(*call)
	c.effects.Begin(now)
	if o == nil {
		return
	}
	c.reschedule(call)
	c.bodies.Heard(now)
	o.chunk(c, now, p)
}

// End reports that an exchange is over.
func (c *Client) End(now engine.Time, x engine.ExchangeID, how engine.Ending, detail string) {
	o := c.exchanges.Owner(x)
	c.effects.Begin(now)
	if o == nil {
		return
	}
	c.exchanges.End(x)
	c.over(now, o, how, detail)
}

// over tells the owner of an exchange that it is over.
func (c *Client) over(now engine.Time, o owner, how engine.Ending, detail string) {
	if how == engine.EndNetwork {
		c.noteReachability(false)
	}
	if call, ok := o.(*call); ok {
		c.reschedule(call)
	}
	o.end(c, now, how, detail)
}

// Advance does what is due.
func (c *Client) Advance(now engine.Time) {
	c.effects.Begin(now)
	if now >= c.session.initializeAt {
		c.session.initializeAt = engine.Never
		if c.session.leaseAsked {
			c.negotiate(now)
		} else {
			c.newSession(now)
		}
	}
	c.advanceCalls(now)
	if c.bodies.Due(now) && c.state == stateOpen {
		c.sendQueued(now)
	}
	if now >= c.answersDue() {
		c.postAnswers(now)
	}
	for _, p := range c.posts.all() {
		p.advance(c, now)
	}
	c.listen.advance(c, now)
	c.taskListen.advance(c, now)
	c.channel.advance(c, now)
	c.reach.advance(c, now)
	c.advanceToken(now)
	c.WatchStore(now)
	c.withdrawn.advance(c, now)
	c.claims.advance(c, now)
	c.deferrals.advance(c, now)
}

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
	if c.ahead && c.writer.Idle() {
		c.writeLeaving()
	}
	if c.writer.ReleaseIdle(c.effects.Now) {
		return c.Next()
	}
	return c.writer.Commit(c.effects.Now)
}

// Deadline returns when Advance is due.
func (c *Client) Deadline() (engine.Time, bool) {
	at := min(c.session.initializeAt, c.listen.deadline(), c.taskListen.deadline(), c.channel.deadline(), c.reach.Deadline(), c.bodies.Deadline(), c.token.Deadline(), c.writer.Deadline(), c.withdrawn.deadline(), c.claims.trial.deadline(), c.deferrals.by, c.callsDue(), c.answersDue(),
		c.posts.deadline())
	return at, at != engine.Never
}

func (c *Client) linkLimits() link.Limits {
	return link.Limits{Line: c.cfg.Limits.Line, Event: c.cfg.Limits.Event, Body: c.cfg.Limits.Body}
}
