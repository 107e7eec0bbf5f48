package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Config is what a Client is made from. Zero fields mean the default.
type Config struct {
	// URL is the server's endpoint, absolute.
	URL string
	// ClientInfo is the JSON object that initialize sends as clientInfo.
	ClientInfo []byte
	// Capabilities is the JSON object that initialize sends; {} by default.
	Capabilities []byte
	// Extensions are those that the app declares: the member extensions of the capabilities,
	// a JSON object by their names. It is no member of Capabilities, and has not the tasks extension, which
	// this side speaks.
	Extensions []byte
	// Revision pins the protocol revision: nothing else is tried. By default
	// server/discover finds out whether the server is a modern one.
	Revision string
	// Assume is the revision that this server spoke last time: a legacy one is
	// tried without asking first, and asked about if it fails.
	Assume string
	// Handles names the methods of server requests that the app answers; others
	// are refused.
	Handles []string
	// Header is sent with every request, after the protocol's own fields.
	Header []engine.Field
	// HasTokenProvider: a bearer token is asked for (effect Token) before the
	// first request and again after a 401.
	HasTokenProvider bool
	// SignIn: where there is no token a person has to sign in, and what a server has refused
	// waits for that, over reloads as well. Goes with HasTokenProvider.
	SignIn bool
	// EventSource: the host has one, for streams that need no header field.
	EventSource bool
	// LateHeads: the host shows the head of an event stream only once the first byte behind
	// it has come (link.Heads).
	LateHeads bool
	// Streams: the host can send a body that is a stream, which no browser sends again by itself: calls that
	// must not run twice leave so where the server takes it (link.Bodies).
	Streams bool
	// NoListen: the GET stream for unasked messages is not opened.
	NoListen bool
	// Journal: the host has a store, and answers effect Store.
	Journal bool
	// Tabs: other pages may share the session, and the host lets one at a time
	// make a new one (effect Handshake).
	Tabs bool
	// Scarce: the host has few connections (HTTP/1.1), and gives them out: a durable
	// call waits for Hold before it is sent, or goes on. Client.Scarce says it later.
	Scarce bool
	// Wall is what a wall clock shows at Time 0, in ms since 1970.
	Wall int64
	// Sound is the latest time that is sure to have come, in ms since 1970: an earlier
	// page has read it from a wall clock that has not been put back since. What is
	// stored is aged by it; 0 for none, then nothing expires.
	Sound int64
	// Epoch goes into every request id, so that two loads of a page never give
	// the same id to two requests. Below link.EpochLimit.
	Epoch uint32
	// Seed seeds jitter. The host draws it from a real source once.
	Seed uint64
	// Retry is how attempts are spaced: link.BuiltIn by default.
	Retry    link.Policy
	Timeouts Timeouts
	Limits   Limits
	// Retention is how long calls that nobody acknowledges are stored.
	Retention Retention
}

// Retention is in milliseconds. A negative value means for ever.
type Retention struct {
	Ended   int64 // a call with its outcome, from its end; default 7 days
	Running int64 // one without, that no page carries on, from its making; default 30 days
}

// The defaults of Retention: no server's task or session is known to live longer.
const (
	defaultEnded   = 7 * 24 * 3_600_000
	defaultRunning = 30 * 24 * 3_600_000
)

func (r Retention) withDefaults() Retention {
	return Retention{Ended: orDefault(r.Ended, defaultEnded), Running: orDefault(r.Running, defaultRunning)}
}

// Timeouts are in milliseconds. A negative value means never.
type Timeouts struct {
	Answer int64 // from a request to the head of its response; default 120,000, which clients in use take
	Idle   int64 // of silence on an open stream; default 180,000 (the same)
	Total  int64 // of a whole call; default never
	// Send is for how long a call may wait for a connection, the network or a token
	// before it leaves for the first time; default 300,000.
	Send int64
}

// Limits bound memory. Bytes unless said otherwise.
type Limits struct {
	Line   int // one line of an event stream; default 64 MiB, as Body: a server may answer either way
	Event  int // the data of one event; default 64 MiB
	Body   int // a JSON body; default 64 MiB
	Depth  int // levels of JSON nesting; default 512
	Calls  int // calls in flight; default 1,024
	Stored int // of all calls of the server in the store; default 64 MiB
}

func (timeouts Timeouts) withDefaults() Timeouts {
	return Timeouts{
		Answer: orDefault(timeouts.Answer, 120_000),
		Idle:   orDefault(timeouts.Idle, link.DefaultIdle),
		Total:  orDefault(timeouts.Total, -1),
		Send:   orDefault(timeouts.Send, 300_000),
	}
}

// or returns timeouts with the fields that are not set taken from base.
func (timeouts Timeouts) or(base Timeouts) Timeouts {
	return Timeouts{
		Answer: orDefault(timeouts.Answer, base.Answer),
		Idle:   orDefault(timeouts.Idle, base.Idle),
		Total:  orDefault(timeouts.Total, base.Total),
		Send:   orDefault(timeouts.Send, base.Send),
	}
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Line:   orDefault(l.Line, 64<<20),
		Event:  orDefault(l.Event, 64<<20),
		Body:   orDefault(l.Body, 64<<20),
		Depth:  orDefault(l.Depth, 512),
		Calls:  orDefault(l.Calls, 1024),
		Stored: orDefault(l.Stored, 64<<20),
	}
}

func orDefault[T int | int64](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}

// in returns the time ms from now, Never for a negative ms.
func in(now engine.Time, ms int64) engine.Time {
	if ms < 0 {
		return engine.Never
	}
	return now.After(ms)
}
