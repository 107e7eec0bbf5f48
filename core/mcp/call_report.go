package mcp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Why a connection was cut, as the app sees it.
const (
	cutNetwork = "network" // the connection broke
	cutEnd     = "end"     // the server ended the stream without the response
	cutSilent  = "silent"  // nothing came for too long, or after a thaw
	cutRefused = "refused" // the server answered a reconnect with a passing error
	cutReload  = "reload"  // the page that had it is gone
	cutPolicy  = "policy"  // the server closed it as its resume policy lets it

	cutConnections = "connections" // parked, since other calls wait for one of the few that there are
	cutHung        = "hung"        // parked, since those who have all of them show no life
)

// streamReport is what a status event says beside its state.
type streamReport struct {
	why     string
	attempt int
	delay   int64 // ms until the reconnect
	looping bool
	missed  bool // the listen stream is open again, and what was said meanwhile is gone
}

// status tells the app what a call's stream does, or the GET stream where the call is
// nil: {"state":"cut","why":"network","attempt":1,"delay":120}. It has the
// position of the last event before it, since no server sent it.
func (c *Client) status(call *call, state engine.StreamState, r *streamReport) {
	e := engine.Effect{Kind: engine.Deliver, Event: engine.EventStatus, Stream: state}
	if call != nil {
		if call.role != roleApp {
			return
		}
		e.C, e.Position = call.id, call.position
		call.awaits = state == engine.StreamAwaiting
	}
	b := jsonrpc.AppendString([]byte(`{"state":`), state.String())
	if r != nil {
		if r.why != "" {
			b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"why":`), r.why)
		}
		if r.attempt > 0 {
			b = appendUint(jsonrpc.Raw(b, `,"attempt":`), uint64(r.attempt))
		}
		if r.why != "" {
			b = appendUint(jsonrpc.Raw(b, `,"delay":`), uint64(r.delay))
		}
		if r.missed {
			b = jsonrpc.Raw(b, `,"missed":true`)
		}
		if r.looping {
			b = jsonrpc.Raw(b, `,"code":"reconnect_loop"`)
		}
	}
	e.Data = append(b, '}')
	c.effects.Add(e)
}

// resumed tells the app what a resume did. proven is false with event ids,
// which are opaque: nothing shows that no event is missing between two of them.
func (c *Client) resumed(call *call, outcome engine.Resumption) { c.reportResume(call, outcome, false) }

// resumedProven tells the app that a call goes on; proven is true for numbered
// segments, where nothing can be missing without being seen.
func (c *Client) resumedProven(call *call, proven bool) {
	c.reportResume(call, engine.Continued, proven)
}

// resumedGap tells the app which numbered segments are missing, from the first to
// the last, and are not asked for any more: {"outcome":"gap",…,"missing":[2,4]}.
func (c *Client) resumedGap(call *call, first, last uint64) {
	b := describeResume(call, engine.Gapped, true)
	b = appendUint(append(b[:len(b)-1], `,"missing":[`...), first)
	b = append(appendUint(append(b, ','), last), "]}"...)
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventResumed, C: call.id,
		Position: call.position, Data: b})
}

func (c *Client) reportResume(call *call, outcome engine.Resumption, proven bool) {
	if call.role != roleApp {
		return
	}
	b := describeResume(call, outcome, proven)
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventResumed, C: call.id,
		Position: call.position, Data: b})
}

func describeResume(call *call, outcome engine.Resumption, proven bool) []byte {
	b := jsonrpc.AppendString([]byte(`{"outcome":`), string(outcome))
	b = jsonrpc.Raw(strconv.AppendBool(jsonrpc.Raw(b, `,"proven":`), proven), `,"cuts":`)
	return append(appendUint(b, uint64(call.cuts)), '}')
}

// setState moves the client on and tells the app:
// {"state":"open","revision":"2025-11-25","session":true}.
func (c *Client) setState(s clientState) {
	engine.Enter(&clientTransitions, &c.state, s, &c.illegalTransitions)
	c.rescheduleAll()
	b := jsonrpc.AppendString([]byte(`{"state":`), s.String())
	if s == stateOpen {
		c.taskOffer = taskOffered(c.session.result)
		b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"revision":`), c.revision.Name)
		b = strconv.AppendBool(jsonrpc.Raw(b, `,"session":`), c.session.id != "")
		if c.session.restored {
			b = jsonrpc.Raw(b, `,"restored":true`)
		}
		b = append(jsonrpc.Raw(b, `,"initialize":`), c.session.result...)
	}
	if (s == stateOpen || s == stateFailed) && len(c.negotiation.steps) > 0 {
		b = append(jsonrpc.Raw(b, `,"steps":`), c.negotiation.steps...)
	}
	e := engine.Effect{Kind: engine.State}
	switch s {
	case stateOpen:
		e.Position = uint32(c.facts())
	case stateFailed:
		e.Failure = c.failure
	}
	e.Data = append(b, '}')
	c.effects.Add(e)
}

// integrity tells the app that something the server sent was dropped, and why:
// {"what":"duplicate_response"}. The cause's text holds no payload.
func (c *Client) integrity(what string, cause error) {
	switch what {
	case "unreadable_message":
		c.counters.UnreadableMessages++
	case "unknown_response":
		c.counters.UnknownResponses++
	case "duplicate_response":
		c.counters.DuplicateResponses++
	case "foreign_message":
		c.counters.ForeignMessages++
	}
	b := jsonrpc.AppendString([]byte(`{"what":`), what)
	if cause != nil {
		b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"cause":`), cause.Error())
	}
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventIntegrity, Data: append(b, '}')})
}

func appendUint(b []byte, n uint64) []byte { return strconv.AppendUint(b, n, 10) }
