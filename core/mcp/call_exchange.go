package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// head takes the head of the response to a call's POST, or to the GET that
// resumes it.
func (t *call) head(c *Client, now engine.Time, head engine.Head) {
	kind := t.exchange.Head(head)
	t.answerBy = engine.Never
	if t.withCursor {
		c.headerPassed()
	}
	if t.exchange.OK() {
		t.refreshed = false // a long call may see many tokens expire
	}
	if t.resumes() {
		t.resumeHead(c, now, kind)
		return
	}
	switch {
	case !t.exchange.OK():
		t.refused(c, now, kind)
	case c.channel.state == channelOpen:
		// Taken; the response comes on the channel, in its own time.
		t.enter(c, callAccepted)
		t.answerBy = in(now, t.timeouts.Answer)
		if kind == link.BodyNone || kind == link.BodyCut {
			c.read(t.x)
		} else {
			c.abort(t.x)
			t.x = 0
		}
	case kind == link.BodyStream:
		if t.role == roleInitialize {
			c.adoptSession(head.Get("mcp-session-id"))
		}
		t.enter(c, callStreaming)
		t.stream.Opened(now)
		c.status(t, engine.StreamOpen, nil)
		t.pull(c)
	case kind == link.BodyJSON:
		if t.role == roleInitialize {
			c.adoptSession(head.Get("mcp-session-id"))
		}
		t.enter(c, callReading)
		t.answerBy = t.bodyBy(now)
		t.pull(c)
	case t.role == roleInitialize && head.Status == 202 && head.Get("mcp-session-id") != "":
		c.adoptSession(head.Get("mcp-session-id"))
		t.enter(c, callAccepted)
		t.answerBy = in(now, t.timeouts.Answer)
		c.read(t.x)
		c.listen.openForHandshake(c, now)
	case kind == link.BodyCut:
		t.enter(c, callReading)
		t.answerBy = t.bodyBy(now)
		t.pull(c)
	default:
		c.abort(t.x)
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeProtocol, Op: t.method, Status: head.Status,
			Message: "the server answered a request with neither JSON nor an event stream"})
	}
}

// resumeHead takes the answer to a GET with Last-Event-ID.
func (t *call) resumeHead(c *Client, now engine.Time, kind link.BodyKind) {
	status := t.exchange.Status()
	if t.exchange.OK() && kind == link.BodyStream {
		t.stream.Opened(now)
		t.cutHeads = 0
		c.resumed(t, engine.Continued)
		t.pull(c)
		return
	}
	if t.policy != nil && kind == link.BodyCut {
		t.enter(c, callReading)
		t.answerBy = t.bodyBy(now)
		t.pull(c)
		return
	}
	if kind == link.BodyCut && t.cutHeads < link.MaxCutHeads {
		c.abort(t.x)
		t.cutHeads++
		t.broken(c, now, engine.EndNetwork, cutNetwork)
		return
	}
	if t.policy != nil && kind == link.BodyJSON && status != 401 {
		// Not a stream: the response itself, or why there is none.
		t.enter(c, callReading)
		t.answerBy = t.bodyBy(now)
		t.pull(c)
		return
	}
	c.abort(t.x)
	t.x = 0
	t.resumeRefused(c, now)
}

// resumeRefused decides by the status on a resume that brought no stream.
func (t *call) resumeRefused(c *Client, now engine.Time) {
	status := t.exchange.Status()
	switch wire.VerdictOnResume(status) {
	case wire.ResumeRetry:
		t.breakStream(c, now, engine.EndNetwork, cutRefused, link.RetryAfter(t.exchange.Header("retry-after")))
	case wire.ResumeAuthorize:
		t.authorize(c, now)
	case wire.ResumeSessionGone:
		t.resumeInNextSession(c, now)
	case wire.ResumeLost:
		t.answerLost(c, now, engine.Lost, lostError(t.method, status))
	case wire.ResumeUnknown:
		t.answerLost(c, now, engine.Unknown, unknownError(t.method, status, "the server does not resume streams"))
	}
}

// refused takes the head of a response that is not 2xx. A JSON body is read
// before anything is decided: a 404 with method-not-found is not a lost
// session (MCP 2026-07-28 "Streamable HTTP", Backward Compatibility).
func (t *call) refused(c *Client, now engine.Time, kind link.BodyKind) {
	if kind == link.BodyJSON && t.exchange.Status() != 401 {
		t.enter(c, callReading)
		t.answerBy = t.bodyBy(now)
		t.pull(c)
		return
	}
	c.abort(t.x)
	t.refusedFinally(c, now, nil)
}

// refusedFinally decides on a response that is not 2xx, with the JSON-RPC error
// of its body where there was one.
func (t *call) refusedFinally(c *Client, now engine.Time, rpc *jsonrpc.Message) {
	t.x = 0
	status := t.exchange.Status()
	if t.opensClient() {
		c.session.retryAfter = link.RetryAfter(t.exchange.Header("retry-after"))
	}
	if t.resumes() && t.policy != nil {
		t.resumeFailed(c, now, rpc)
		return
	}
	switch wire.VerdictOnRefusal(status, c.refusalCode(rpc), t.inSession, t.role == roleApp && wire.BlamesSession(rpc) && t.resends == 0) {
	case wire.RefusalSessionGone:
		if t.role == roleStatus || t.role == rolePing {
			c.settle(now, t, engine.OutcomeFailure, nil, httpError(t.method, status))
			c.sessionLost(now, t.generation)
			return
		}
		// The server did not take the request, so sending it again in the
		// next session cannot run it twice.
		if t.resends++; t.resends > maxResends {
			c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
				Code: CodeSessionRejected, Op: t.method, Status: status, Retryable: true,
				Message: "the server forgets every session it gives"})
			return
		}
		t.enter(c, callQueued)
		t.answerBy = in(now, t.timeouts.Answer)
		c.sessionLost(now, t.generation)
		if c.state == stateOpen {
			t.send(c, now)
		}
	case wire.RefusalAuthorize:
		t.authorize(c, now)
	case wire.RefusalRPCError:
		c.settle(now, t, engine.OutcomeRPCError, rpc.Error, nil)
	case wire.RefusalHeaders:
		outcome := engine.OutcomeRPCError
		if t.role == roleApp {
			outcome = engine.OutcomeHeaderMismatch
			c.tools.mirrors = c.tools.mirrors || t.method == "tools/call"
		}
		c.settle(now, t, outcome, rpc.Error, nil)
	default:
		c.settle(now, t, engine.OutcomeFailure, nil, httpError(t.method, status))
	}
}

// chunk takes bytes of the response.
func (t *call) chunk(c *Client, now engine.Time, p []byte) {
	if t.state == callAccepted {
		c.read(t.x) // "Accepted", which nobody needs
		return
	}
	t.chunks++
	if t.state == callReading {
		if err := t.exchange.Chunk(p); err != nil {
			t.overLimit(c, now, err)
			return
		}
		t.answerBy = t.bodyBy(now)
		if t.exchange.Kind() == link.BodyCut && t.exchange.NoJSON() {
			c.abort(t.x)
			t.x = 0
			t.headCut(c, now)
			return
		}
		t.pull(c)
		return
	}
	if err := c.readEvents(now, t, &t.exchange, &t.stream, p); err != nil {
		t.overLimit(c, now, err)
		return
	}
	if k := t.keeper(); t.state == callStreaming && k.isKept() && k.carrier() == &t.stream && !bytes.Equal(k.record.cursor, t.stream.Cursor.ID) {
		k.record.Await() // an id alone, such as a priming event's, is worth a row
	}
	if p := t.policy; p != nil && t.state == callStreaming && p.maxWait > 0 && now.Since(p.writtenAt) >= p.contactEvery() {
		c.writePolicy(t)
	}
	if c.exchanges.Live(t.x) {
		t.pull(c)
	}
}

// overLimit ends the call: what the stream holds cannot be kept, and reading
// past it would be a silent hole.
func (t *call) overLimit(c *Client, now engine.Time, err error) {
	c.abort(t.x)
	t.x = 0
	c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
		Code: engine.CodeLimit, Op: t.method, Message: "the answer is too large", Cause: err})
	if t.state == callEnding {
		c.finish(t)
	}
}

// end takes the end of an exchange.
func (t *call) end(c *Client, now engine.Time, how engine.Ending, detail string) {
	x := t.x
	t.x = 0
	switch t.state {
	case callSent:
		t.unanswered(c, now, how, detail)
	case callReading:
		t.bodyEnded(c, now, how)
	case callStreaming:
		refused := how == engine.EndNetwork && t.withCursor && !t.exchange.Opened() && c.headerFailed(now, t, x)
		switch {
		case how == engine.EndInvalid && t.policy != nil && t.withCursor:
			t.stream.Cursor.ID = t.stream.Cursor.ID[:0]
			t.resumeWithoutCursor(c, now)
		case how == engine.EndInvalid:
			// It would refuse the same request for ever (fault 43).
			t.answerLost(c, now, engine.Unknown, unknownError(t.method, 0, "the browser cannot send the id that continues the stream"))
		case refused && t.policy != nil:
			t.resumeWithoutCursor(c, now)
		case refused:
			t.answerLost(c, now, engine.Unknown, headerError(t.method))
		case how == engine.EndClean:
			t.broken(c, now, how, cutEnd)
		default:
			t.broken(c, now, how, cutNetwork)
		}
	case callTask:
		t.streamEnded(c, now)
	case callEnding:
		c.finish(t)
	}
}

// unanswered decides on a POST that ended before its head. The browser does
// not tell a refused connection from one that broke after the request had
// arrived, so a request with effects has an unknown outcome (fault 35).
func (t *call) unanswered(c *Client, now engine.Time, how engine.Ending, detail string) {
	switch {
	case how == engine.EndInvalid:
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeBadArgument, Op: t.method, Message: "the browser refused to send the request", Cause: reason(detail)})
	case wire.SafeMethod(t.method):
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeNetwork, Op: t.method, Retryable: true, Message: "the server could not be reached", Cause: reason(detail)})
	default:
		e := unknownError(t.method, 0, "the connection failed before an answer")
		e.Cause = &engine.Error{Code: engine.CodeNetwork, Retryable: true, Message: detail}
		t.answerLost(c, now, engine.Unknown, e)
	}
}

// bodyEnded takes the end of a JSON body.
func (t *call) bodyEnded(c *Client, now engine.Time, how engine.Ending) {
	// Of a head that ended behind its content type the body is empty, and the end
	// looks clean.
	empty := t.exchange.OK() && len(bytes.TrimSpace(t.exchange.Body())) == 0
	switch {
	case t.exchange.Kind() == link.BodyCut && (how != engine.EndClean || !t.answeredBy(c, t.exchange.Body())):
		t.headCut(c, now)
	case how == engine.EndClean && !empty:
		if t.role == roleInitialize && t.exchange.Kind() == link.BodyCut {
			c.adoptSession(t.exchange.Header("mcp-session-id")) // not before: it might be half of one
		}
		c.body(now, t, t.exchange.Body())
	case !t.exchange.OK():
		t.refusedFinally(c, now, nil) // the status is all that is known
	case t.resumes():
		t.resumeCut(c, now, engine.EndNetwork, cutNetwork)
	default:
		t.cutOff(c, now)
	}
}

// answeredBy reports whether a body is the response to this very request.
func (t *call) answeredBy(c *Client, body []byte) bool {
	m, err := jsonrpc.Parse(body, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	return err == nil && (m.Kind == jsonrpc.Response || m.Kind == jsonrpc.ErrorResponse) && c.findByID(m.ID) == t
}

// headCut takes an answer without a content type whose body is no response: the
// connection ended inside the head (fault 129).
func (t *call) headCut(c *Client, now engine.Time) {
	switch {
	case !t.resumes():
		t.cutOff(c, now)
	case t.cutHeads < link.MaxCutHeads:
		t.cutHeads++
		t.resumeCut(c, now, engine.EndNetwork, cutNetwork)
	default:
		t.resumeRefused(c, now)
	}
}

// cutOff ends a call whose answer began and broke off before it could be read: in
// the head (fault 129) or in a body of JSON.
func (t *call) cutOff(c *Client, now engine.Time) {
	if wire.SafeMethod(t.method) {
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeNetwork, Op: t.method, Retryable: true, Message: "the answer was cut off"})
		return
	}
	t.answerLost(c, now, engine.Unknown, unknownError(t.method, t.exchange.Status(), "the answer was cut off"))
}

// broken takes a cut of the stream that carries the call.
func (t *call) broken(c *Client, now engine.Time, how engine.Ending, why string) {
	t.x = 0
	t.breakStream(c, now, how, why, 0)
}

// breakStream lets the stream decide how to go on, no earlier than floor ms
// from now (a Retry-After).
func (t *call) breakStream(c *Client, now engine.Time, how engine.Ending, why string, floor int64) {
	t.cuts++
	b := t.stream.Broken(now, how, c.offline, &c.random)
	switch {
	case b.Resumable && t.policy != nil:
		if why == cutEnd {
			why = cutPolicy // both sides may disconnect at will (SEP-975)
		}
		delay := t.disconnected(c, now, b.Delay, floor)
		c.status(t, engine.StreamCut, &streamReport{why: why, attempt: b.Attempt, delay: delay, looping: b.Looping})
	case b.Resumable && c.revision != nil && c.revision.LastEventID && !c.cursorHeader.refused():
		delay := t.stream.RetryAfter(now, floor, &c.random)
		c.status(t, engine.StreamCut, &streamReport{why: why, attempt: b.Attempt, delay: delay, looping: b.Looping})
	case b.Looping:
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeReconnectLoop, Op: t.method, Retryable: wire.SafeMethod(t.method),
			Message: "the server accepts the stream and closes it without progress, again and again"})
	case wire.SafeMethod(t.method):
		e := &engine.Error{Code: engine.CodeNetwork, Op: t.method, Retryable: true, Message: "the stream ended before the response"}
		if why == cutSilent {
			e.Code, e.Message, e.Cause = engine.CodeTimeout, "nothing came on the stream for too long", errStreamReadTimeout
		}
		c.settle(now, t, engine.OutcomeFailure, nil, e)
	case c.cursorHeader.refused() && b.Resumable:
		t.answerLost(c, now, engine.Unknown, headerError(t.method))
	default:
		e := unknownError(t.method, 0, "the stream ended before the response and cannot be resumed")
		if why == cutSilent {
			e.Cause = errStreamReadTimeout
		}
		t.answerLost(c, now, engine.Unknown, e)
	}
}
