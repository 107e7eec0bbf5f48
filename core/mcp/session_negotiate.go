package mcp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// negotiation is the way to a revision, and what was learned on it.
type negotiation struct {
	probes  int    // server/discover sent since it began
	offered string // the legacy revision that the server has named, when it refused another one
	steps   []byte // JSON array of what was tried, for people
}

// negotiate begins a connection: by the pinned revision, by the one that the
// server spoke last time, or by asking it
// (MCP 2026-07-28 "Versioning").
func (c *Client) negotiate(now engine.Time) {
	c.negotiation = negotiation{}
	name := c.cfg.Revision
	if name == "" {
		name = c.cfg.Assume
	}
	if name == wire.ChannelRevision || c.channel.tried && c.state == stateReconnecting {
		c.openChannel(now)
		return
	}
	if r := wire.FindRevision(name); r != nil && !r.SelfDescribing {
		c.sendInitialize(now)
		return
	}
	r := wire.NewestRevision(true)
	if pinned := wire.FindRevision(c.cfg.Revision); pinned != nil {
		r = pinned
	}
	c.sendDiscover(now, r)
}

// sendDiscover asks the server which versions it speaks, in the words of r.
func (c *Client) sendDiscover(now engine.Time, r *wire.Revision) {
	c.negotiation.probes++
	c.begins(now)
	c.revision = r
	call := c.newCall(now, "server/discover", Timeouts{})
	call.role = roleDiscover
	c.sendOpening(now, call)
}

// discovered takes the answer to server/discover.
func (c *Client) discovered(now engine.Time, status int, outcome engine.Outcome, data []byte,
	failure *engine.Error) {
	if c.state != stateConnecting && c.state != stateReconnecting {
		return
	}
	a := wire.ProbeAnswer{Status: status, Probes: c.negotiation.probes}
	switch outcome {
	case engine.OutcomeResult:
		a.Result, a.Supported = data, wire.ReadVersions(data, "supportedVersions")
	case engine.OutcomeRPCError:
		code, _ := jsonrpc.Member(data, "code")
		a.Code, _ = jsonrpc.Int(code)
		a.Data, _ = jsonrpc.Member(data, "data")
		a.Supported = wire.ReadVersions(a.Data, "supported")
	default:
		a.Status, a.Timeout = failure.Status, failure.Code == engine.CodeTimeout
	}
	verdict, name := wire.ClassifyProbe(a)
	pinned := c.cfg.Revision != ""
	if pinned && verdict == wire.ProbeLegacy {
		verdict = wire.ProbeUnsupported // a pinned revision is never left
	}
	if verdict == wire.ProbeLegacy && failure != nil && c.asksFirst(now) && c.asksReach(now, failure, true) {
		return
	}
	c.negotiation.note("server/discover", a.Status, a.Code, verdict)
	switch verdict {
	case wire.ProbeModern:
		c.revision = wire.FindRevision(name)
		c.session.ready = true
		c.session.result = append([]byte(nil), data...)
		c.opened(now)
	case wire.ProbeRetry:
		c.sendDiscover(now, wire.FindRevision(name))
	case wire.ProbeLegacy:
		c.sendInitialize(now)
	case wire.ProbeUnsupported:
		if failure != nil && c.asksReach(now, failure, false) {
			return
		}
		if failure == nil || pinned && failure.Code != engine.CodeNetwork {
			failure = &engine.Error{Code: CodeNoRevision, Op: "server/discover", Status: a.Status,
				Message: "the server speaks no protocol revision that this client may use"}
		}
		c.failure = failure
		c.fail(now)
	case wire.ProbeFailed:
		if failure == nil {
			failure = httpError("server/discover", a.Status)
		}
		c.handshakeFailed(now, failure)
	}
}

// modernOnly reports whether a server that spoke a legacy revision last time may
// know only self-describing ones now: it refused initialize with a JSON-RPC
// error. Which one depends on what such a server misses first (a header, the
// method, its version), so any is reason enough to ask, once.
func (n *negotiation) modernOnly(c *Client) bool {
	return n.probes == 0 && c.cfg.Revision == ""
}

// offers takes the refusal of an initialize. It reports whether that names a legacy revision to
// initialize in, once (2025-11-25 basic/lifecycle, Error Handling). A server that names a modern
// one as well is asked for that first.
func (n *negotiation) offers(c *Client, refusal []byte) bool {
	modern, legacy := wire.Common(wire.ReadVersions(jsonrpc.First(refusal, "data"), "supported"))
	if n.offered != "" || legacy == "" || legacy == wire.NewestRevision(false).Name || c.cfg.Revision != "" ||
		modern != "" && n.modernOnly(c) {
		return false
	}
	n.offered = legacy
	return true
}

// mistaken reports whether initialize failed although the server spoke a legacy
// revision last time, in a way that a modern server would: ask it once.
func (n *negotiation) mistaken(c *Client, failure *engine.Error) bool {
	return c.cfg.Revision == "" && n.probes == 0 && wire.RefusesHandshake(failure.Status)
}

// note adds a step, for the app to show.
func (n *negotiation) note(method string, status int, code int64, v wire.ProbeVerdict) {
	if len(n.steps) == 0 {
		n.steps = append(n.steps, '[')
	} else {
		n.steps[len(n.steps)-1] = ','
	}
	n.steps = jsonrpc.AppendString(jsonrpc.Raw(n.steps, `{"method":`), method)
	n.steps = appendUint(jsonrpc.Raw(n.steps, `,"status":`), uint64(status))
	if code != 0 {
		n.steps = strconv.AppendInt(jsonrpc.Raw(n.steps, `,"code":`), code, 10)
	}
	n.steps = jsonrpc.AppendString(jsonrpc.Raw(n.steps, `,"then":`), v.String())
	n.steps = jsonrpc.Raw(n.steps, "}]")
}

// blamesSession reports whether a refusal blames the session, or the revision that was agreed on.
func (c *Client) blamesSession(m *jsonrpc.Message) bool {
	return wire.BlamesSession(m) || c.cfg.Revision == "" && c.revision != nil &&
		wire.BlamesRevision(m, c.revision.Name)
}

// refusalCode returns the code of the JSON-RPC error that refuses a request, by
// the numbers of 2026-07-28; 0 where there is none. Of the release candidate's
// only the one for header fields is translated, and only for a server that has
// shown in its discovery that it speaks the candidate: many others say -32001 for
// anything.
func (c *Client) refusalCode(m *jsonrpc.Message) int64 {
	code := wire.ErrorCode(m)
	if code == wire.HeaderMismatchRC && c.revision != nil && c.revision.SelfDescribing &&
		wire.SpeaksCandidate(c.session.result) {
		return wire.HeaderMismatch
	}
	return code
}
