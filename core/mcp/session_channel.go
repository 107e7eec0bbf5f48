package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
	"github.com/holdfast-mcp/holdfast/core/sse"
)

// channelState is where an HTTP+SSE connection stands.
type channelState uint8

const (
	channelClosed  channelState = iota // Streamable HTTP, or nothing
	channelParked                      // waits for a token to send the GET once more
	channelOpening                     // the GET is under way; its endpoint event is due
	channelOpen                        // messages are POSTed to the endpoint and come back on the stream
)

// channel is the transport of 2024-11-05: one event stream for everything that
// the server says, and an endpoint, named on it, for everything that the client
// says. Nothing of it can be resumed: with the stream the session is gone.
type channel struct {
	state    channelState
	tried    bool // in this negotiation
	x        engine.ExchangeID
	exchange link.Exchange
	stream   link.Stream
	endpoint string
	by       engine.Time   // the endpoint event is due
	first    *engine.Error // why Streamable HTTP failed: told if this fails too

	token    int   // number of the token that the GET carried
	refusals uint8 // for want of authorization
}

// endpointTimeout is how long the endpoint event may take, in ms. It is the
// first thing on the stream.
const endpointTimeout = 30_000

// tryChannel opens an HTTP+SSE stream where Streamable HTTP was refused in the
// way that MCP 2025-11-25 "Transports", Backwards Compatibility names. Reports whether it did.
func (c *Client) tryChannel(now engine.Time, failure *engine.Error) bool {
	if c.channel.tried || c.state != stateConnecting ||
		!wire.RefusesHandshake(failure.Status) && failure.Code != engine.CodeNetwork ||
		c.cfg.Revision != "" && c.cfg.Revision != wire.ChannelRevision {
		return false
	}
	c.openChannel(now)
	c.channel.first = failure
	return true
}

func (c *Client) openChannel(now engine.Time) {
	c.abort(c.channel.x)
	c.begins(now)
	c.revision = nil
	c.channel = channel{tried: true}
	c.channel.open(c, now)
}

// open sends the GET, or sends it again with another token.
func (h *channel) open(c *Client, now engine.Time) {
	h.state, h.by, h.token = channelOpening, now.After(endpointTimeout), c.token.Number()
	h.stream, h.exchange = link.NewStream(0, &c.cfg.Retry), link.NewExchange(c.linkLimits())
	h.stream.Once = true
	if c.usesEventSource() {
		h.x = c.source(h)
	} else {
		h.x = c.fetch(h, "GET", nil)
	}
}

// authorize has the GET, which got a 401, wait for another token.
func (h *channel) authorize(c *Client, now engine.Time) {
	c.abort(h.x)
	h.x, h.by, h.state = 0, engine.Never, channelParked
	h.refusals++
	if !c.refreshToken(h.token) {
		h.open(c, now)
	}
}

func (h *channel) head(c *Client, now engine.Time, head engine.Head) {
	if head.Status == 401 && h.refusals < c.maxRefusals() {
		h.authorize(c, now)
		return
	}
	kind := h.exchange.Head(head)
	if kind == link.BodyCut {
		h.failed(c, now, channelEnded(""))
		return
	}
	if !h.exchange.OK() || kind != link.BodyStream {
		h.failed(c, now, httpError("initialize", head.Status))
		return
	}
	h.stream.Opened(now)
	c.read(h.x)
}

func (h *channel) chunk(c *Client, now engine.Time, p []byte) {
	x := h.x
	if err := c.readEvents(now, nil, &h.exchange, &h.stream, p); err != nil {
		h.failed(c, now, &engine.Error{Code: engine.CodeLimit, Op: "initialize",
			Message: "the event stream is over a limit", Cause: err})
		return
	}
	if c.exchanges.Live(x) {
		c.read(x)
	}
}

func (h *channel) end(c *Client, now engine.Time, _ engine.Ending, detail string) {
	h.x = 0
	h.failed(c, now, channelEnded(detail))
}

func channelEnded(detail string) *engine.Error {
	return &engine.Error{Code: engine.CodeNetwork, Op: "initialize", Retryable: true,
		Message: "the server's event stream ended", Cause: link.Cause(detail)}
}

// named takes the endpoint event. A second one is ignored: the first has the
// session.
func (h *channel) named(c *Client, now engine.Time, e *sse.Event) {
	if h.state != channelOpening {
		c.counters.IgnoredEvents++
		return
	}
	h.endpoint = wire.ResolveEndpoint(c.cfg.URL, string(e.Data))
	if h.endpoint == "" {
		h.failed(c, now, &engine.Error{Code: engine.CodeProtocol, Op: "initialize",
			Message: "the server names an endpoint of another origin, or none"})
		return
	}
	h.state, h.by = channelOpen, engine.Never
	c.sendInitialize(now)
}

// failed takes the end of the stream. Before the connection is open that is the
// end of connecting, for the reason that Streamable HTTP gave; afterwards every
// call is of unknown outcome, and a new stream is opened.
func (h *channel) failed(c *Client, now engine.Time, failure *engine.Error) {
	c.abort(h.x)
	h.x, h.by = 0, engine.Never
	h.state = channelClosed
	if c.state == stateConnecting {
		if h.first != nil {
			failure = h.first
		} else if !h.exchange.Opened() && c.asksReach(now, failure, false) {
			return
		}
		c.failure = failure
		c.fail(now)
		return
	}
	if c.state == stateOpen {
		c.counters.SessionsLost++
		c.setState(stateReconnecting)
	}
	for _, call := range append([]*call(nil), c.calls...) {
		if call.state < callSent || call.state >= callEnding {
			continue
		}
		c.abort(call.x)
		call.x = 0
		if call.role != roleApp {
			c.finish(call)
		} else if wire.SafeMethod(call.method) {
			c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
				Code: engine.CodeNetwork, Op: call.method, Retryable: true,
				Message: "the stream ended before the response"})
		} else {
			call.answerLost(c, now, engine.Unknown,
				unknownError(call.method, 0, "the stream ended before the response and cannot be resumed"))
		}
	}
	c.session.initializeAt = now.After(c.cfg.Retry.Delay(c.session.attempt, h.stream.RetryValue(), &c.random))
	c.session.notBefore = now.After(max(h.stream.RetryValue(), 0))
	c.session.attempt++
}

// advance ends a wait for the endpoint event that never came.
func (h *channel) advance(c *Client, now engine.Time) {
	if h.state == channelOpening && now >= h.by {
		h.failed(c, now, timeoutError("initialize", "the server named no endpoint in time"))
	}
}

func (h *channel) deadline() engine.Time {
	if h.state != channelOpening {
		return engine.Never
	}
	return h.by
}

// postURL returns where messages are POSTed.
func (c *Client) postURL() string {
	if c.channel.state == channelOpen {
		return c.channel.endpoint
	}
	return c.cfg.URL
}
