package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// callRole says what settling a call means: most belong to the app, but the
// handshake is a request like any other and travels the same road.
type callRole uint8

const (
	roleApp callRole = iota
	roleInitialize
	roleDiscover
	roleStatus // requests/getStatus of a parked call
	roleTask   // a request about the task that carries a call
	rolePing   // finds out whether the server can be reached
	roleLead   // goes before a call that must not be sent twice
)

// maxResends bounds how often a request is sent again because the server had
// forgotten its session: a server that forgets every session is broken.
const maxResends = 3

// call is one request of ours, over as many exchanges as it takes. state says what carries
// it. Each part below state counts in the states that stand beside it, and is out of date
// in the others.
type call struct {
	id       engine.CallID
	request  requestID
	method   string
	params   []byte         // raw JSON object without _meta, nil for none
	meta     []byte         // the app's members of _meta, nil for none
	header   []engine.Field // what repeats arguments: Mcp-Param-*
	role     callRole
	timeouts Timeouts
	flags    journal.Flags
	parent   *call   // roleStatus, roleTask: the call that it is about
	record   *record // what of it is stored; nil where nothing is
	position uint32
	totalBy  engine.Time
	awaits   bool // its app knows that it waits until somebody has signed in: it heard of nothing else since

	state      callState
	queued            // until callSent: when it may leave
	attempt           // from callSent to callStreaming: its exchange
	callStream        // callStreaming, callEnding: its stream, over exchanges
	inputRound        // callAsking: what it has asked for
	task       *task  // callTask
	recalled          // callRestored, callFollowed: what is known of it
	progress   howFar // callStreaming, callTask: of the run under way
	inquiries         // what the server asks on its stream, in whatever state it is
	scheduled
}

// CallOptions are what an app may say of one request.
type CallOptions struct {
	// Meta is a JSON object whose members go into params._meta, nil for none.
	Meta []byte
	// Wish says whether a call of a tool is to become a task, and Task what the app says of that: a JSON
	// object of ttl and responseModes, nil for nothing.
	Wish TaskWish
	Task []byte
	// Refused are header fields that the host cannot send, in small letters, with a blank behind each: a tool's
	// arguments are not repeated there.
	Refused []byte
	// Timeouts replaces those of the Config where a field is not zero.
	Timeouts Timeouts
	// Durable: the call is written to the journal, where there is one.
	Durable bool
	// Connected: the host has a connection for a durable call from the beginning,
	// so that its head and that it leaves are one commit.
	Connected bool
	// Key is the app's own name for a durable call.
	Key string
	// Made is when the app made the call, in ms since 1970, by the clock of its page; 0 for now. The
	// record has it, so that every page says the same of the call (Client.madeAt).
	Made int64
	// Flags are what is known of the request: a copy of its tool's annotations.
	Flags journal.Flags
}

// Call makes a request and returns its id. params is a JSON object without a
// _meta member, or nil. Progress is always asked for. The call ends with one
// Settle effect, whatever happens.
func (c *Client) Call(now engine.Time, method string, params []byte, options CallOptions) engine.CallID {
	c.effects.Begin(now)
	call := c.newCall(now, method, options.Timeouts)
	// Copies: what the app lent may be needed again, in another session or in
	// another round, and is encoded by the revision in force then.
	facts := c.factsFor(method, params)
	call.params = append([]byte(nil), c.withTask(params, facts, options.Wish, options.Task)...)
	call.meta = append([]byte(nil), options.Meta...)
	call.header = c.mirrored(facts, params, options.Refused)
	call.flags = options.Flags | c.hints(facts)
	call.sendBy = in(now, call.timeouts.Send)
	switch {
	case c.state >= stateClosing:
		c.settle(now, call, engine.OutcomeFailure, nil, c.closedError(method))
	case c.exchanges.IsShut(): // leave ends it
	case len(c.calls) > c.cfg.Limits.Calls:
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeLimit, Op: method, Retryable: true, Message: "too many calls in flight"})
	default:
		if options.Durable {
			c.keep(call, &options)
			if !options.Connected {
				call.awaitConnection(c)
			}
		}
		if c.state == stateOpen && !c.token.Asking() {
			call.send(c, now)
		}
		if call.state == callQueued {
			call.tellQueuedAt = now.After(waitsQuietly)
			call.tellAwaiting(c)
		}
	}
	return call.id
}

// opensClient reports whether the call is a handshake, which leaves before the
// client is open.
func (call *call) opensClient() bool { return call.role == roleInitialize || call.role == roleDiscover }

// newCall books a call; it is queued until send.
func (c *Client) newCall(now engine.Time, method string, timeouts Timeouts) *call {
	id, request := c.newID()
	call := &call{id: id, request: request, method: method, timeouts: timeouts.or(c.cfg.Timeouts)}
	call.series.Param = progressToken
	call.tellQueuedAt, call.sendBy = engine.Never, engine.Never
	call.answerBy = in(now, call.timeouts.Answer)
	call.totalBy = in(now, call.timeouts.Total)
	c.calls = append(c.calls, call)
	c.byID[request], c.byCall[id] = call, call
	c.reschedule(call)
	return call
}

// send sends the request, for the first time or again where the server is known
// not to have taken it (a session it had lost, a token it refused), once it is
// stored that it may have left. A request that changes nothing need not wait,
// unless another page may have made the same call.
func (call *call) send(c *Client, now engine.Time) {
	call.enter(c, callQueued)
	if call.parked != 0 || !c.mayBegin(call) {
		return // Hold lets it go, or leave ends it
	}
	if now >= call.sendDue(c) {
		call.unsent(c, now, waitedTooLong)
		return
	}
	if call.waitsForLead(c, now) {
		return
	}
	if call.record == nil {
		call.transmit(c, now)
		return
	}
	if call.undecided(c) {
		c.claims.wait(now)
		return
	}
	call.denied = false
	if call.record.deferred == deferredUnsent && call.leavesAhead(c, now) {
		return
	}
	if call.record.deferred == deferredAll && call.flags.Harmless() {
		c.deferUntil(call, deferredAll, now.After(deferCall))
		call.transmit(c, now)
		return
	}
	c.writeDeferred(call)
	call.record.cursor, call.record.retry = call.record.cursor[:0], -1 // a new stream: its own are stored when they come
	c.write(call, journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(call.request), uint64(c.session.generation)}})
	call.record.sentIn = min(call.record.sentIn, c.writer.Next())
	// Its head is in the same commit: nobody else knows of the call, and a power cut
	// takes both or neither. Else this is on disk before it leaves, and by the hand
	// of who carries the call: another page may have taken it over (fault 128).
	alone := call.record.headIn == c.writer.Next()
	if alone && call.flags.Harmless() && !call.claimsKey(c) {
		call.transmit(c, now)
		return
	}
	call.enter(c, callStoring)
	c.tellGuarantee(call)
	c.ahead = c.ahead || alone
	c.whenStored(now, call, !alone, &transmission{c.session.generation})
}

// transmission posts a request of which it is stored that it may have left, in the
// session of that generation.
type transmission struct{ generation uint32 }

func (s *transmission) goOn(c *Client, call *call, now engine.Time) {
	if call.state != callStoring {
		return
	}
	call.enter(c, callQueued)
	switch {
	case call.undecided(c):
		c.claims.wait(now)
	case call.looksUnsent(c) && !(call.left && call.flags.Repeatable()):
		// Sent from here, it would be sent once more from there.
		call.unsent(c, now, "the store has failed, and could not note that the request leaves")
	case c.state != stateOpen || c.token.Asking() || call.waitsForLead(c, now): // whoever opens the client sends it
		call.noteRefusal() // it is stored that it has left, and it has not
		call.tellAwaiting(c)
	case s.generation != c.session.generation:
		call.send(c, now)
	default:
		call.transmit(c, now)
	}
}

// transmit posts the request.
func (call *call) transmit(c *Client, now engine.Time) {
	call.left = true
	call.enter(c, callSent)
	call.begin(c, attemptRequest)
	call.once = call.leavesOnce(c)
	call.generation, call.inSession = c.session.generation, c.session.id != ""
	if call.role == roleTask {
		call.parent.joinsFor(c, call)
	}
	call.keeper().progress = howFar{}
	call.answerBy = call.headBy(c, now)
	call.policy, call.parked, call.again = nil, 0, nil // an earlier request's
	call.stream = call.newStream(c)
	call.stream.Hold(now, call.paused)
	// On a legacy connection the caller has them only for a server that asked.
	extra := call.header
	if c.revision != nil && c.revision.SelfDescribing {
		extra = append(wire.MirroredHeader(call.method, call.params), call.header...)
		call.stream.Once = true
	}
	call.x = c.fetch(call, "POST", c.encodeRequest(call), extra...)
}
