package mcp

import (
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// resumePolicy is SEP-975's promise that a request may be resumed: by POST, with
// its own id and a token, on whatever connection.
type resumePolicy struct {
	token     []byte      // JSON string, as sent
	minWait   int64       // ms to wait after a disconnection
	maxWait   int64       // ms that the server keeps the request after one; 0: it promises nothing
	since     engine.Time // of the disconnection, or of the last contact
	writtenAt engine.Time // when the journal last learned that there was contact
	storing   bool        // a resume waits for what it may make the server forget
	fresh     bool        // the resume under way has brought no message yet
	gone      bool        // a resume was told that its session is gone, and none has brought a message since
	failed    bool        // getStatus has said that the response is an error
	peek      *call       // requests/getStatus for the app, under way
}

const (
	// maxResumeToken bounds a token, in bytes: it is stored and sent back.
	maxResumeToken = 8 << 10
	// maxMaxWait bounds maxWait, in ms: a month. What lies beyond is no promise.
	maxMaxWait = 30 * 24 * 3_600_000
	// resumeGrace is how long after maxWait a request is still asked for, in ms:
	// the server's timers started when it saw the cut, which is later than now.
	resumeGrace = 5_000
	// leastMaxWait bounds from below what a maxWait makes us hurry, in ms: a
	// server that promises a millisecond must not be asked every millisecond.
	leastMaxWait = 2_000
	// leastContact is how often the journal learns of contact at most, in ms.
	leastContact = 60_000
)

// carries reports whether the policy is worth anything after a reload.
func (p *resumePolicy) carries() bool { return len(p.token) > 0 }

// resumePolicy takes notifications/requests/resumePolicy on the call's stream. The last
// one wins; one for another request is ignored, as is one after the response, and
// one where the capability is not declared: a client of 2026-07-28 has none, and
// on HTTP+SSE a policy is worth nothing. HTTP+SSE has one stream for all answers, and no
// way to resume it; and servers of 2024-11-05 are older than SEP-975.
func (c *Client) resumePolicy(call *call, params []byte) {
	value, _ := jsonrpc.Member(params, "requestId")
	n, ok := jsonrpc.Uint(value)
	named := c.byID[requestID(n)]
	token, _ := jsonrpc.Member(params, "resumeToken")
	text, isText := jsonrpc.String(token)
	if !ok || named == nil || named.role != roleApp || named.state < callSent || named.state >= callEnding || call != nil && call != named ||
		c.revision == nil || c.revision.SelfDescribing || c.channel.state != channelClosed ||
		!isText || text == "" || len(token) > maxResumeToken {
		c.counters.IgnoredPolicies++
		return
	}
	c.reschedule(named)
	p := named.policy
	if p == nil {
		p = &resumePolicy{}
		named.policy = p
	}
	p.token = append(p.token[:0], token...)
	p.minWait = seconds(params, "minWait", link.RetryCap)
	p.maxWait = seconds(params, "maxWait", maxMaxWait)
	p.since = c.effects.Now
	named.stream.Reopen = true // to cut it costs nothing
	c.writePolicy(named)
}

// seconds reads a number of seconds as ms, between 0 and limit; 0 for what is
// missing or no number.
func seconds(params []byte, name string, limit int64) int64 {
	value, _ := jsonrpc.Member(params, name)
	f, ok := jsonrpc.Float(value)
	if !ok || f <= 0 {
		return 0
	}
	if f >= float64(limit)/1000 {
		return limit
	}
	return int64(f * 1000)
}

// writePolicy writes the policy, and with it that there is contact now: on that
// a page that finds it counts how long the server will have kept the request.
func (c *Client) writePolicy(call *call) {
	p := call.policy
	p.writtenAt = c.effects.Now
	c.write(call, journal.Entry{Kind: journal.Policy, N: [3]uint64{uint64(p.minWait), uint64(p.maxWait), uint64(max(c.wall(), 0))}})
	c.writeSecret(call, journal.Entry{Kind: journal.Token, Data: p.token})
}

// contact notes that the server has the request and knows of us: its timers
// start again (SEP-975).
func (call *call) contact(c *Client, now engine.Time) {
	call.policy.since = now
	if call.policy.maxWait > 0 {
		c.writePolicy(call)
	}
}

// contactEvery is how old the journal's knowledge of contact may get, in ms.
func (p *resumePolicy) contactEvery() int64 { return max(p.maxWait/4, leastContact) }

// wait returns how long the server wants to be left alone after a disconnection,
// in ms: not beyond the time for which it keeps the request.
func (p *resumePolicy) wait() int64 {
	if p.maxWait > 0 {
		return min(p.minWait, p.maxWait*3/4)
	}
	return p.minWait
}

// latest returns when the next attempt should be made at the latest: in time
// before the server may drop the request, and once more before that is certain.
func (p *resumePolicy) latest(now engine.Time) engine.Time {
	if p.maxWait == 0 {
		return engine.Never
	}
	if soon := p.since.After(max(p.maxWait*3/4, leastMaxWait)); now < soon {
		return soon
	}
	if last := p.since.After(max(p.maxWait, leastMaxWait) + resumeGrace); now < last {
		return last
	}
	return engine.Never
}

// expired reports whether the server is free to have forgotten the request.
func (p *resumePolicy) expired(now engine.Time) bool { return now >= p.expiry() }

// expiry returns from when on it is; Never where it promises nothing.
func (p *resumePolicy) expiry() engine.Time {
	if p.maxWait == 0 {
		return engine.Never
	}
	return p.since.After(max(p.maxWait, leastMaxWait) + resumeGrace + 1)
}

// disconnected puts the next attempt of a resumable request where its policy
// wants it, delay ms from now where that says nothing, and no sooner than floor
// ms. It returns how long that is.
func (call *call) disconnected(c *Client, now engine.Time, delay, floor int64) int64 {
	p := call.policy
	if call.exchange.OK() { // else the server may have heard nothing of us
		call.contact(c, now)
	}
	if latest := p.latest(now); latest != engine.Never {
		delay = min(delay, latest.Since(now))
	}
	floor = max(floor, p.since.After(p.wait()).Since(now))
	delay = max(delay, floor)
	call.stream.Due(now.After(delay))
	call.stream.NotBefore(now.After(floor))
	return delay
}

// resumeRequest sends requests/resume. The server may delete what it delivered
// before, so all of that is on disk first. Whatever else wants to
// resume meanwhile finds that it is under way: one is enough.
func (call *call) resumeRequest(c *Client, now engine.Time) {
	p := call.policy
	if p.expired(now) {
		call.answerLost(c, now, engine.Lost, &engine.Error{Code: engine.CodeLost, Op: call.method,
			Message: "the server kept the request for as long as it had promised, and that is over"})
		return
	}
	call.stream.Park()
	if p.storing {
		return
	}
	p.storing = true
	c.write(call, journal.Entry{Kind: journal.Resuming})
	c.whenStored(now, call, true, p)
}

// goOn resumes the request, once all that the server may forget by it is on disk.
func (p *resumePolicy) goOn(c *Client, call *call, now engine.Time) {
	p.storing = false
	if call.state != callStreaming || call.policy != p || call.parked != 0 || call.stream.State() != link.StateWaiting {
		return
	}
	if c.state != stateOpen || c.token.Asking() || call.generation != c.session.generation {
		call.stream.Unpark(now)
		return
	}
	call.postResume(c, now)
}

func (call *call) postResume(c *Client, now engine.Time) {
	p := call.policy
	call.begin(c, attemptToken)
	p.fresh = true
	call.stream.Reconnecting(now, call.timeouts.Answer)
	params := append(append([]byte(`{"resumeToken":`), p.token...), '}')
	body := jsonrpc.AppendRequest(nil, uint64(call.request), "requests/resume", params, traceContext(call.meta))
	var extra []engine.Field
	// So that the server can drop what is confirmed (SEP-975, HTTP).
	if call.withCursor = call.stream.Cursor.Resumable() && !c.cursorHeader.refused(); call.withCursor {
		extra = append(extra, call.stream.Cursor.Header())
	} else {
		call.keeper().progress = howFar{} // the server may count from the beginning
	}
	call.x = c.fetch(call, "POST", body, extra...)
	c.status(call, engine.StreamReconnecting, &streamReport{attempt: call.stream.Attempts()})
}

// restorePolicy goes on with a resumable request after a reload.
func (call *call) restorePolicy(c *Client, now engine.Time, r *recorded.Call) {
	call.enter(c, callStreaming)
	call.answerBy = engine.Never
	p := &resumePolicy{token: r.Policy.Token, minWait: r.Policy.MinWait, maxWait: r.Policy.MaxWait, since: now}
	call.policy = p
	// When the connection ended nobody saw. It was alive when the journal last
	// learned of contact, and not for longer than that takes with one that is
	// silent. By the wall clock, the only one that outlives a page: a jump back
	// makes the server's word decide.
	away := c.wall() - r.Policy.ReceivedAt
	p.writtenAt = now - engine.Time(max(away, 0))
	if unseen := p.contactEvery() + call.timeouts.Idle; call.timeouts.Idle > 0 && away > unseen {
		p.since = now - engine.Time(away-unseen)
	}
	call.stream = call.newStream(c)
	call.stream.Reopen = true
	call.stream.Restored(now, r.Cursor, r.Seen, r.Retry)
	floor := p.wait() - max(away, 0)
	call.stream.NotBefore(now.After(max(floor, 0)))
	call.record.cursor, call.record.retry = append(call.record.cursor[:0], r.Cursor...), r.Retry
	c.status(call, engine.StreamCut, &streamReport{why: cutReload, delay: max(floor, 0)})
	if call.generation == c.session.generation {
		call.handAsked(c, now, r)
	} // else what a session that is gone has asked, this one asks under ids of its own
}

// resumeCut takes the end of a resume whose answer was a JSON body that did not
// come whole: the token is as good as before.
func (call *call) resumeCut(c *Client, now engine.Time, how engine.Ending, why string) {
	call.enter(c, callStreaming)
	call.answerBy = engine.Never
	call.broken(c, now, how, why)
}

// refusesResume reports whether a JSON-RPC error that answers requests/resume is
// a refusal: wrong token, expired, unknown (SEP-975 names no code). It has the
// request's own id, so with status 200 it may as well be the response that was
// waiting. That it is where getStatus has said so; else what came first and
// speaks of the request, not of the tool, is a refusal.
func (call *call) refusesResume(m *jsonrpc.Message) bool {
	if !call.resumes() || call.policy == nil || !call.policy.fresh || call.policy.failed {
		return false
	}
	code := wire.ErrorCode(m)
	if code <= -32600 && code >= -32603 {
		return true
	}
	value, _ := jsonrpc.Member(m.Error, "message")
	text, _ := jsonrpc.String(value)
	return strings.Contains(engine.Lower(text), "resum")
}

// resumeFailed decides on an answer to requests/resume that is not 2xx, with the
// JSON-RPC error of its body where there was one.
func (call *call) resumeFailed(c *Client, now engine.Time, rpc *jsonrpc.Message) {
	call.enter(c, callStreaming)
	status, code := call.exchange.Status(), wire.ErrorCode(rpc)
	switch {
	case status == 401, code == 0:
		call.resumeRefused(c, now)
	case call.inSession && wire.BlamesSession(rpc) && (status == 400 || status == 404 || status == 410):
		call.resumeInNextSession(c, now)
	case wire.Transient(status) && (code > -32600 || code < -32602):
		call.resumeRefused(c, now)
	default:
		call.answerLost(c, now, engine.Lost, refusedResumeError(call.method, status, code))
	}
}

// refusedResumeError says that the server does not resume the request. The text
// of its error is left out: it might repeat the token.
func refusedResumeError(method string, status int, code int64) *engine.Error {
	e := lostError(method, status)
	e.Cause = &engine.Error{Code: engine.CodeProtocol, Message: "the server refused requests/resume with JSON-RPC error " + strconv.FormatInt(code, 10)}
	return e
}

// resumeWithoutCursor sends requests/resume again at once, without the field
// that was in its way: the server needs no more than the token.
func (call *call) resumeWithoutCursor(c *Client, now engine.Time) {
	call.stream.Broken(now, engine.EndNetwork, false, &c.random)
	call.stream.Due(now)
	call.resume(c, now)
}
