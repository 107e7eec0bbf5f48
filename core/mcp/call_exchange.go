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
func (call *call) head(c *Client, now engine.Time, head engine.Head) {
	kind := call.exchange.Head(head)
	call.answerBy = engine.Never
	if call.withCursor {
		c.headerPassed()
	}
	if call.exchange.OK() {
		call.refusals = 0 // a long call may see many tokens expire
		c.listen.admitted(c, now)
	}
	if call.resumes() {
		call.resumeHead(c, now, kind)
		return
	}
	switch {
	case !call.exchange.OK():
		call.refused(c, now, kind)
	case c.channel.state == channelOpen:
		// Taken; the response comes on the channel, in its own time.
		call.enter(c, callAccepted)
		call.answerBy = in(now, call.timeouts.Answer)
		if kind == link.BodyNone || kind == link.BodyCut {
			c.read(call.x)
		} else {
			c.abort(call.x)
			call.x = 0
		}
	case kind == link.BodyStream:
		if call.role == roleInitialize {
			c.adoptSession(head.Get("mcp-session-id"))
		}
		call.enter(c, callStreaming)
		call.stream.Opened(now)
		c.status(call, engine.StreamOpen, nil)
		call.pull(c)
	case kind == link.BodyJSON:
		if call.role == roleInitialize {
			c.adoptSession(head.Get("mcp-session-id"))
		}
		call.enter(c, callReading)
		call.answerBy = call.bodyBy(now)
		call.pull(c)
	case call.role == roleInitialize && head.Status == 202 && head.Get("mcp-session-id") != "":
		c.adoptSession(head.Get("mcp-session-id"))
		call.enter(c, callAccepted)
		call.answerBy = in(now, call.timeouts.Answer)
		c.read(call.x)
		c.listen.openForHandshake(c, now)
	case kind == link.BodyCut:
		call.enter(c, callReading)
		call.answerBy = call.bodyBy(now)
		call.pull(c)
	default:
		c.abort(call.x)
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeProtocol, Op: call.method, Status: head.Status,
			Message: "the server answered a request with neither JSON nor an event stream"})
	}
}

// resumeHead takes the answer to a GET with Last-Event-ID.
func (call *call) resumeHead(c *Client, now engine.Time, kind link.BodyKind) {
	status := call.exchange.Status()
	if call.exchange.OK() && kind == link.BodyStream {
		call.stream.Opened(now)
		call.cutHeads = 0
		c.resumed(call, engine.Continued)
		call.pull(c)
		return
	}
	if call.policy != nil && kind == link.BodyCut {
		call.enter(c, callReading)
		call.answerBy = call.bodyBy(now)
		call.pull(c)
		return
	}
	if kind == link.BodyCut && call.cutHeads < link.MaxCutHeads {
		c.abort(call.x)
		call.cutHeads++
		call.broken(c, now, engine.EndNetwork, cutNetwork)
		return
	}
	if call.policy != nil && kind == link.BodyJSON && status != 401 {
		// Not a stream: the response itself, or why there is none.
		call.enter(c, callReading)
		call.answerBy = call.bodyBy(now)
		call.pull(c)
		return
	}
	c.abort(call.x)
	call.x = 0
	call.resumeRefused(c, now)
}

// resumeRefused decides by the status on a resume that brought no stream.
func (call *call) resumeRefused(c *Client, now engine.Time) {
	status := call.exchange.Status()
	switch wire.VerdictOnResume(status) {
	case wire.ResumeRetry:
		floor := link.RetryAfter(call.exchange.Header("retry-after"))
		if status == 409 {
			floor = max(floor, call.stream.Held(now))
		}
		call.breakStream(c, now, engine.EndNetwork, cutRefused, floor)
	case wire.ResumeAuthorize:
		call.authorize(c, now)
	case wire.ResumeSessionGone:
		call.resumeInNextSession(c, now)
	case wire.ResumeLost:
		call.answerLost(c, now, engine.Lost, lostError(call.method, status))
	case wire.ResumeUnknown:
		call.answerLost(c, now, engine.Unknown, unknownError(call.method, status, "the server does not resume streams"))
	}
}

// refused takes the head of a response that is not 2xx. A JSON body is read
// before anything is decided: a 404 with method-not-found is not a lost
// session (MCP 2026-07-28 "Streamable HTTP", Backward Compatibility).
func (call *call) refused(c *Client, now engine.Time, kind link.BodyKind) {
	says := call.once && call.role == roleApp && wire.MayWantLength(call.exchange.Status()) && kind == link.BodyOther
	if says {
		call.exchange.KeepText()
	}
	if says || kind == link.BodyJSON && call.exchange.Status() != 401 {
		call.enter(c, callReading)
		call.answerBy = call.bodyBy(now)
		call.pull(c)
		return
	}
	c.abort(call.x)
	call.refusedFinally(c, now, nil)
}

// refusedFinally decides on a response that is not 2xx, with the JSON-RPC error
// of its body where there was one.
func (call *call) refusedFinally(c *Client, now engine.Time, rpc *jsonrpc.Message) {
	call.x = 0
	status := call.exchange.Status()
	if call.opensClient() {
		c.session.retryAfter = link.RetryAfter(call.exchange.Header("retry-after"))
	}
	if call.resumes() && call.policy != nil {
		call.resumeFailed(c, now, rpc)
		return
	}
	if call.once && call.role == roleApp && wire.WantsLength(status, call.exchange.Body()) {
		call.sendBytes(c, now)
		return
	}
	blamesSession := call.role == roleApp && c.blamesSession(rpc) && call.resends == 0
	taken := call.role == roleApp && !wire.SafeMethod(call.method) && link.Taken(status, rpc)
	switch wire.VerdictOnRefusal(status, c.refusalCode(rpc), call.inSession, blamesSession, taken) {
	case wire.RefusalSessionGone:
		if call.role == roleStatus || call.role == rolePing || call.role == roleLead {
			if call.role == roleLead {
				c.forgetBodies() // the next session finds out
			}
			c.settle(now, call, engine.OutcomeFailure, nil, httpError(call.method, status))
			c.sessionLost(now, call.generation)
			return
		}
		// The server did not take the request, so sending it again in the
		// next session cannot run it twice.
		if call.resends++; call.resends > maxResends {
			c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
				Code: CodeSessionRejected, Op: call.method, Status: status, Retryable: true,
				Message: "the server forgets every session it gives"})
			return
		}
		call.enter(c, callQueued)
		call.answerBy = in(now, call.timeouts.Answer)
		c.sessionLost(now, call.generation)
		if c.state == stateOpen {
			call.send(c, now)
		}
	case wire.RefusalAuthorize:
		call.authorize(c, now)
	case wire.RefusalDuplicate:
		call.answerLost(c, now, engine.Unknown, unknownError(call.method, status, "the browser has sent it twice, and the server answered the second copy alone"))
	case wire.RefusalRPCError:
		c.settle(now, call, engine.OutcomeRPCError, rpc.Error, nil)
	case wire.RefusalHeaders:
		outcome := engine.OutcomeRPCError
		if call.role == roleApp {
			outcome = engine.OutcomeHeaderMismatch
			c.tools.mirrors = c.tools.mirrors || call.method == "tools/call"
		}
		c.settle(now, call, outcome, rpc.Error, nil)
	default:
		c.settle(now, call, engine.OutcomeFailure, nil, httpError(call.method, status))
	}
}

// chunk takes bytes of the response.
func (call *call) chunk(c *Client, now engine.Time, p []byte) {
	if call.state == callAccepted {
		c.read(call.x) // "Accepted", which nobody needs
		return
	}
	call.chunks++
	if call.state == callReading {
		if err := call.exchange.Chunk(p); err != nil {
			call.overLimit(c, now, err)
			return
		}
		call.answerBy = call.bodyBy(now)
		if call.exchange.Kind() == link.BodyCut && call.exchange.NoJSON() {
			c.abort(call.x)
			call.x = 0
			call.headCut(c, now)
			return
		}
		call.pull(c)
		return
	}
	if err := c.readEvents(now, call, &call.exchange, &call.stream, p); err != nil {
		call.overLimit(c, now, err)
		return
	}
	if k := call.keeper(); call.state == callStreaming && k.isKept() && k.record.deferred != deferredAll && k.carrier() == &call.stream && !bytes.Equal(k.record.cursor, call.stream.Cursor.ID) {
		k.record.Await() // an id alone, such as a priming event's, is worth a row
	}
	if p := call.policy; p != nil && call.state == callStreaming && p.maxWait > 0 && now.Since(p.writtenAt) >= p.contactEvery() {
		c.writePolicy(call)
	}
	if c.exchanges.Live(call.x) {
		call.pull(c)
	}
}

// overLimit ends the call: what the stream holds cannot be kept, and reading
// past it would be a silent hole.
func (call *call) overLimit(c *Client, now engine.Time, err error) {
	c.abort(call.x)
	call.x = 0
	c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
		Code: engine.CodeLimit, Op: call.method, Message: "the answer is too large", Cause: err})
	if call.state == callEnding {
		c.finish(call)
	}
}

// end takes the end of an exchange.
func (call *call) end(c *Client, now engine.Time, how engine.Ending, detail string) {
	x := call.x
	call.x = 0
	switch call.state {
	case callSent:
		call.unanswered(c, now, how, detail)
	case callReading:
		call.bodyEnded(c, now, how)
	case callStreaming:
		refused := how == engine.EndNetwork && call.withCursor && !call.exchange.Opened() && c.headerFailed(now, call, x)
		switch {
		case how == engine.EndInvalid && call.policy != nil && call.withCursor:
			call.stream.Cursor.ID = call.stream.Cursor.ID[:0]
			call.resumeWithoutCursor(c, now)
		case how == engine.EndInvalid:
			// It would refuse the same request for ever (fault 43).
			call.answerLost(c, now, engine.Unknown, unknownError(call.method, 0, "the browser cannot send the id that continues the stream"))
		case refused && call.policy != nil:
			call.resumeWithoutCursor(c, now)
		case refused:
			call.answerLost(c, now, engine.Unknown, headerError(call.method))
		case call.partials > 0:
			// That was the answer. What has not come is asked for by the number, whatever the cursor.
			c.settle(now, call, engine.OutcomeResult, []byte(`{"partial-content":[]}`), nil)
		case how == engine.EndClean:
			call.broken(c, now, how, cutEnd)
		default:
			call.broken(c, now, how, cutNetwork)
		}
	case callTask:
		call.streamEnded(c, now)
	case callEnding:
		c.finish(call)
	}
}

// unanswered decides on a POST that ended before its head. The browser does
// not tell a refused connection from one that broke after the request had
// arrived, so a request with effects has an unknown outcome (fault 35).
func (call *call) unanswered(c *Client, now engine.Time, how engine.Ending, detail string) {
	if call.once && call.role == roleApp {
		c.forgetBodies()
	}
	switch {
	case how == engine.EndInvalid:
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeBadArgument, Op: call.method, Message: "the browser refused to send the request", Cause: link.Cause(detail)})
	case how == engine.EndUnreadable && wire.SafeMethod(call.method):
		c.settle(now, call, engine.OutcomeFailure, nil, link.Unreadable(call.method, detail))
	case how == engine.EndUnreadable:
		e := unknownError(call.method, 0, detail)
		e.Hint = link.Unreadable(call.method, detail).Hint
		call.answerLost(c, now, engine.Unknown, e)
	case wire.SafeMethod(call.method):
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeNetwork, Op: call.method, Retryable: true, Message: "the server could not be reached", Cause: link.Cause(detail)})
	default:
		e := unknownError(call.method, 0, "the connection failed before an answer")
		e.Cause = &engine.Error{Code: engine.CodeNetwork, Retryable: true, Message: detail}
		call.answerLost(c, now, engine.Unknown, e)
	}
}

// bodyEnded takes the end of a JSON body.
func (call *call) bodyEnded(c *Client, now engine.Time, how engine.Ending) {
	// Of a head that ended behind its content type the body is empty, and the end
	// looks clean.
	empty := call.exchange.OK() && len(bytes.TrimSpace(call.exchange.Body())) == 0
	switch {
	case call.exchange.Kind() == link.BodyCut && (how != engine.EndClean || !call.answeredBy(c, call.exchange.Body())):
		call.headCut(c, now)
	case how == engine.EndClean && !empty:
		if call.role == roleInitialize && call.exchange.Kind() == link.BodyCut {
			c.adoptSession(call.exchange.Header("mcp-session-id")) // not before: it might be half of one
		}
		c.messageFrom = &call.exchange
		c.body(now, call, call.exchange.Body())
		c.messageFrom = nil
	case !call.exchange.OK():
		call.refusedFinally(c, now, nil) // the status is all that is known
	case call.resumes():
		call.resumeCut(c, now, engine.EndNetwork, cutNetwork)
	default:
		call.cutOff(c, now)
	}
}

// answeredBy reports whether a body is the response to this very request.
func (call *call) answeredBy(c *Client, body []byte) bool {
	m, err := jsonrpc.Parse(body, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	return err == nil && (m.Kind == jsonrpc.Response || m.Kind == jsonrpc.ErrorResponse) && c.findByID(m.ID) == call
}

// headCut takes an answer without a content type whose body is no response: the
// connection ended inside the head (fault 129).
func (call *call) headCut(c *Client, now engine.Time) {
	switch {
	case !call.resumes():
		call.cutOff(c, now)
	case call.cutHeads < link.MaxCutHeads:
		call.cutHeads++
		call.resumeCut(c, now, engine.EndNetwork, cutNetwork)
	default:
		call.resumeRefused(c, now)
	}
}

// cutOff ends a call whose answer began and broke off before it could be read: in
// the head (fault 129) or in a body of JSON.
func (call *call) cutOff(c *Client, now engine.Time) {
	if wire.SafeMethod(call.method) {
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeNetwork, Op: call.method, Retryable: true, Message: "the answer was cut off"})
		return
	}
	call.answerLost(c, now, engine.Unknown, unknownError(call.method, call.exchange.Status(), "the answer was cut off"))
}

// broken takes a cut of the stream that carries the call.
func (call *call) broken(c *Client, now engine.Time, how engine.Ending, why string) {
	call.x = 0
	call.breakStream(c, now, how, why, 0)
}

// breakStream lets the stream decide how to go on, no earlier than floor ms
// from now (a Retry-After).
func (call *call) breakStream(c *Client, now engine.Time, how engine.Ending, why string, floor int64) {
	call.cuts++
	call.writeAhead(c)
	b := call.stream.Broken(now, how, c.IsOffline, &c.random)
	switch {
	case b.Resumable && call.policy != nil:
		if why == cutEnd {
			why = cutPolicy // both sides may disconnect at will (SEP-975)
		}
		delay := call.disconnected(c, now, b.Delay, floor)
		c.status(call, engine.StreamCut, &streamReport{why: why, attempt: b.Attempt, delay: delay, looping: b.Looping})
	case b.Resumable && c.revision != nil && c.revision.LastEventID && !c.cursorHeader.refused():
		delay := call.stream.RetryAfter(now, floor, &c.random)
		c.status(call, engine.StreamCut, &streamReport{why: why, attempt: b.Attempt, delay: delay, looping: b.Looping})
	case b.Looping:
		c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeReconnectLoop, Op: call.method, Retryable: wire.SafeMethod(call.method),
			Message: "the server accepts the stream and closes it without progress, again and again"})
	case wire.SafeMethod(call.method):
		e := &engine.Error{Code: engine.CodeNetwork, Op: call.method, Retryable: true, Message: "the stream ended before the response"}
		if why == cutSilent {
			e.Code, e.Message, e.Cause = engine.CodeTimeout, "nothing came on the stream for too long", errStreamReadTimeout
		}
		c.settle(now, call, engine.OutcomeFailure, nil, e)
	case c.cursorHeader.refused() && b.Resumable:
		call.answerLost(c, now, engine.Unknown, headerError(call.method))
	default:
		e := unknownError(call.method, 0, "the stream ended before the response and cannot be resumed")
		if why == cutSilent {
			e.Cause = errStreamReadTimeout
		}
		call.answerLost(c, now, engine.Unknown, e)
	}
}
