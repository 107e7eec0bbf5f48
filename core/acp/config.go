package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// The transports of a Config.
const (
	TransportHTTP      = "http"      // Streamable HTTP (RFD streamable-http-websocket-transport)
	TransportWebSocket = "websocket" // one socket for all sessions
)

// Config is what a Client is made from. Zero fields mean the default.
type Config struct {
	// URL is the agent's endpoint, absolute: http(s) or ws(s), as Transport says.
	URL       string
	Transport string
	// Info is the JSON object that initialize sends as info.
	Info []byte
	// Capabilities is the JSON object that initialize sends; {} by default.
	Capabilities []byte
	// Version pins the protocol version, 1 or 2; 0 asks for 2 and takes what the
	// agent answers.
	Version int
	// NoLifecycle: an agent of version 1 is not offered the lifecycle of version 2.
	NoLifecycle bool
	// Header is sent with every request, after the protocol's own fields.
	Header []engine.Field
	// HasTokenProvider: a bearer token is asked for (effect Token) before the
	// first request and again after a 401.
	HasTokenProvider bool
	// SignIn: where there is no token a person has to sign in, and what a server has refused
	// waits for that, over reloads as well. Goes with HasTokenProvider.
	SignIn bool
	// LateHeads: the host shows the head of an event stream only once the first byte behind
	// it has come (link.Heads).
	LateHeads bool
	// Journal: the host has a store, and answers effect Store.
	Journal bool
	// Tabs: other tabs can be reached (EventForward).
	Tabs bool
	// Wall is what a wall clock shows at Time 0, in ms since 1970.
	Wall int64
	// Epoch goes into every request id, so that two loads of a page never give
	// the same id to two requests. Below link.EpochLimit.
	Epoch uint32
	// Seed seeds jitter. The host draws it from a real source once.
	Seed uint64
	// Retry is how attempts are spaced: link.BuiltIn by default.
	Retry    link.Policy
	Timeouts Timeouts
	Limits   Limits
}

// Timeouts are in milliseconds. A negative value means never.
type Timeouts struct {
	Answer int64 // from a request to its response; default 120,000. A prompt and a replay have none
	Idle   int64 // of silence on an open stream; default 180,000, less where keep-alives were seen
}

// Limits bound memory. Bytes unless said otherwise.
type Limits struct {
	Line     int // one line of an event stream; default 16 MiB
	Event    int // the data of one event or frame; default 16 MiB
	Body     int // a JSON body; default 16 MiB
	Depth    int // levels of JSON nesting; default 512
	Item     int // one item of a transcript, a terminal's output included; default 4 MiB
	Replay   int // a history that is being replayed, and updates of sessions not known yet; default 64 MiB
	Requests int // requests under way; default 1,024
	// event streams at once, which sessions lend to each other; default 4, of the 6 connections that browsers
	// open to an origin over HTTP/1.1. Client.Streams may leave fewer
	Streams int
	Stored  int // of all sessions of the agent in the store; default 64 MiB
}

func (c Config) withDefaults() Config {
	c.Retry = c.Retry.OrBuiltIn()
	c.Timeouts.Answer = orDefault(c.Timeouts.Answer, 120_000)
	c.Timeouts.Idle = orDefault(c.Timeouts.Idle, link.DefaultIdle)
	l := &c.Limits
	l.Line, l.Event, l.Body = orDefault(l.Line, 16<<20), orDefault(l.Event, 16<<20), orDefault(l.Body, 16<<20)
	l.Depth, l.Item, l.Replay = orDefault(l.Depth, 512), orDefault(l.Item, 4<<20), orDefault(l.Replay, 64<<20)
	l.Requests, l.Streams, l.Stored = orDefault(l.Requests, 1024), orDefault(l.Streams, 4),
		orDefault(l.Stored, 64<<20)
	if len(c.Info) == 0 {
		c.Info = []byte(`{"name":"holdfast","version":"0"}`)
	}
	if len(c.Capabilities) == 0 {
		c.Capabilities = []byte("{}")
	}
	if c.Transport == "" {
		c.Transport = TransportHTTP
	}
	return c
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
