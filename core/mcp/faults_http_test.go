package mcp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// wantQuiet checks that the client starts nothing more by itself.
func (r *rig) wantQuiet() {
	r.t.Helper()
	if x, after := r.nextFetch(hour); x != 0 {
		r.fatal("after %d ms the client sends %s %s", after, r.Exchange(x).Request.Method,
			r.Exchange(x).Request.Body)
	}
}

// Fault 12: what a body is goes by the essence of its media type: letters in
// any case, parameters and blanks aside.
func TestFault12_MediaTypeByEssence(t *testing.T) {
	for _, media := range []string{"text/event-stream;charset=x", "TEXT/EVENT-STREAM",
		" Text/Event-Stream ; charset=\"utf-8\"", "text/event-stream;"} {
		o := connected(t, mcp.Config{}).post("tools/call")
		o.Head(o.x, 200, "content-type", media)
		o.progress(1)
		o.result("")
		o.wantProgress(1)
		o.wantResult()
	}
	for _, media := range []string{"Application/JSON; charset=utf-8", "application/json;",
		"application/vnd.mcp+json"} {
		o := connected(t, mcp.Config{}).post("tools/call")
		o.Head(o.x, 200, "content-type", media)
		o.say(coretest.Result(o.id, `{}`))
		o.cut(engine.EndClean)
		o.wantResult()
	}
}

// Fault 12: a body of another type is no answer. The call ends
// with an error that says so, and nobody asks again.
func TestFault12_AnotherMediaTypeIsNoAnswer(t *testing.T) {
	for _, media := range []string{"text/html", "text/html; charset=utf-8", "text/plain", "application/jsonp",
		"text/event-streams", "application/octet-stream"} {
		for _, method := range []string{"tools/call", "tools/list"} {
			o := connected(t, mcp.Config{}).post(method)
			o.Head(o.x, 200, "content-type", media)
			o.wantFailure(engine.CodeProtocol)
			if s := o.call(o.c).settled; s.Failure.Status != 200 || s.Failure.Retryable {
				t.Errorf("%q: %+v", media, s.Failure)
			}
			o.wantQuiet()
			o.wantIdle()
		}
	}
}

// Fault 12: JSON, or a web page, in answer to the GET that resumes is no
// stream. The call is lost, and said to be; it is not asked for again.
func TestFault12_ResumeWithoutAStream(t *testing.T) {
	for _, media := range []string{"application/json", "text/html"} {
		o := connected(t, mcp.Config{}).primed("p")
		o.cut(engine.EndNetwork)
		o.resumeStarts()
		o.Head(o.x, 200, "content-type", media)
		o.wantFailure(engine.CodeLost)
		o.wantQuiet()
		o.wantIdle()
	}
}

// Fault 24: 404 with method-not-found is an answer. Neither the call nor the
// session is lost, not even when it answers a notification.
func TestFault24_MethodNotFoundKeepsTheSession(t *testing.T) {
	for _, status := range []int{404, 410, 400, 200} {
		r := connected(t, mcp.Config{})
		o := r.post("completion/complete")
		o.Head(o.x, status, "content-type", coretest.JSON)
		o.say(`{"jsonrpc":"2.0","id":` + o.id + `,"error":{"code":-32601,"message":"Method not found"}}`)
		o.cut(engine.EndClean)
		if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
			r.fatal("%d: the error did not reach the call", status)
		}
		c := r.notify("notifications/roots/list_changed")
		x := r.Newest()
		r.Head(x, status, "content-type", coretest.JSON)
		r.Chunk(x, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}`)
		r.End(x, engine.EndClean)
		if r.call(c).settled == nil {
			r.fatal("%d: the notification has not settled", status)
		}
		if n := r.Client.Counters().SessionsLost; n != 0 {
			r.fatal("%d: %d sessions lost", status, n)
		}
		if id, _ := r.field(r.post("tools/list").x, "Mcp-Session-Id"); id != "s1" {
			r.fatal("%d: the next request is sent in session %q", status, id)
		}
	}
}

// Fault 27: a call that may have run is never run again by the runtime. The
// error says what is known, and whether a person may try again.
func TestFault27_NeverRunAgainByItself(t *testing.T) {
	for status, retryable := range map[int]bool{429: true, 500: false, 501: false, 502: false, 503: true,
		504: false, 520: false, 408: false} {
		for _, header := range []string{"", "1"} {
			o := connected(t, mcp.Config{}).post("tools/call")
			o.Head(o.x, status, "retry-after", header, "content-type", "text/html")
			o.wantFailure(engine.CodeHTTP)
			if f := o.call(o.c).settled.Failure; f.Status != status || f.Retryable != retryable {
				t.Errorf("%d: %+v", status, f)
			}
			o.wantQuiet()
			if n := o.posted(`"tools/call"`); n != 1 {
				t.Errorf("%d: posted %d times", status, n)
			}
		}
	}
}

// Fault 27: an error of the server's in a 500 is its answer, with its code.
func TestFault27_ErrorInTheBody(t *testing.T) {
	o := connected(t, mcp.Config{}).post("tools/call")
	o.Head(o.x, 500, "content-type", coretest.JSON)
	o.say(`{"jsonrpc":"2.0","id":` + o.id + `,"error":{"code":-32603,"message":"boom"}}`)
	o.cut(engine.EndClean)
	if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
		o.fatal("the error did not reach the call")
	}
	o.wantQuiet()
}

// Fault 28: initialize may be answered by 202 and an event stream, and what
// follows it by any 2xx.
func TestFault28_InitializeAsAcceptedStream(t *testing.T) {
	for _, taken := range []int{200, 202, 204} {
		r := newRig(t, mcp.Config{NoListen: true})
		r.Start()
		x := r.Newest()
		id := coretest.RequestID(r.Exchange(x).Request)
		r.Head(x, 202, "content-type", "text/event-stream", "mcp-session-id", "s1")
		r.Chunk(x,
			"data: "+coretest.Result(id, `{"protocolVersion":"2025-06-18","serverInfo":{"name":"seed"}}`)+
				"\r\n\r\n")
		initialized := r.Newest()
		r.End(x, engine.EndClean)
		r.Head(initialized, taken)
		r.End(initialized, engine.EndClean)
		if id, _ := r.field(initialized, "Mcp-Session-Id"); id != "s1" {
			r.fatal("notifications/initialized is sent in session %q", id)
		}
		o := r.post("tools/list")
		if id, _ := r.field(o.x, "Mcp-Session-Id"); id != "s1" {
			r.fatal("%d: tools/list is sent in session %q", taken, id)
		}
	}
}

// Fault 28: 202 or 204 and no body in answer to a request promise nothing that
// could be waited for: the call ends.
func TestFault28_AcceptedWithoutABody(t *testing.T) {
	for _, status := range []int{202, 204} {
		for _, media := range []string{"", "text/plain"} {
			o := connected(t, mcp.Config{}).post("tools/call")
			o.Head(o.x, status, "content-type", media)
			o.wantFailure(engine.CodeProtocol)
			o.wantQuiet()
			o.wantIdle()
		}
	}
	r := newRig(t, mcp.Config{})
	r.Start()
	r.Head(r.Newest(), 202) // with a session id: fault 153
	if last := r.states[len(r.states)-1]; last != `{"state":"failed"}` {
		r.fatal("initialize without an answer leads to %s", last)
	}
	r.wantIdle()
}

// Fault 29: a GET that is not answered by a stream is not sent again, and
// nothing else suffers: servers need not offer one.
func TestFault29_NoStreamNoRetry(t *testing.T) {
	for _, answer := range []struct {
		status int
		media  string
	}{{405, ""}, {405, "application/json"}, {200, "application/json"}, {200, "text/html"}, {204, ""},
		{202, ""}, {404, "text/html"}, {302, ""}, {403, ""}, {501, ""}} {
		r := newRig(t, mcp.Config{})
		initialized := r.handshake("2025-11-25")
		r.Head(r.Newest(), answer.status, "content-type", answer.media)
		r.End(initialized, engine.EndClean)
		if fmt.Sprint(r.statuses) != `[{"state":"off"}]` {
			r.fatal("%+v: statuses %q", answer, r.statuses)
		}
		r.wantQuiet()
		r.wantIdle()
		o := r.stream("tools/call")
		o.result("")
		o.wantResult()
	}
}

// Fault 30: whatever becomes of the DELETE, close does not wait for it longer
// than two seconds, and the calls not at all.
func TestFault30_DeleteIsBestEffort(t *testing.T) {
	for name, answered := range map[string]func(r *rig, x engine.ExchangeID){
		"200": func(r *rig, x engine.ExchangeID) { r.Head(x, 200) },
		"405": func(r *rig, x engine.ExchangeID) { r.Head(x, 405, "content-type", "text/html") },
		"404": func(r *rig, x engine.ExchangeID) { r.Head(x, 404, "content-type", coretest.JSON) },
		"401": func(r *rig, x engine.ExchangeID) { r.Head(x, 401) },
		"503": func(r *rig, x engine.ExchangeID) { r.Head(x, 503, "retry-after", "60") },
		// by CORS, or nobody is there
		"refused": func(r *rig, x engine.ExchangeID) { r.End(x, engine.EndNetwork) },
		"invalid": func(r *rig, x engine.ExchangeID) { r.End(x, engine.EndInvalid) },
		"silence": func(r *rig, x engine.ExchangeID) { r.Advance(2_000) },
	} {
		r := connected(t, withToken)
		o := r.primed("p")
		r.close()
		o.wantFailure(engine.CodeClosed)
		x := r.Newest()
		if method := r.Exchange(x).Request.Method; method != "DELETE" {
			r.fatal("%s: the last request is a %s", name, method)
		}
		answered(r, x)
		if last := r.states[len(r.states)-1]; last != `{"state":"closed"}` {
			r.fatal("%s: the state is %s", name, last)
		}
		r.wantQuiet()
		r.wantIdle()
		if r.tokens != 1 {
			r.fatal("%s: a token is asked for, to say goodbye", name)
		}
	}
}

// Fault 32: a JSON body that was cut short is no result, however complete its
// text looks; what may be sent again, is said to be.
func TestFault32_CutBodyIsNoResult(t *testing.T) {
	for method, code := range map[string]engine.Code{"tools/call": engine.CodeOutcomeUnknown,
		"tools/list": engine.CodeNetwork} {
		probe := connected(t, mcp.Config{}).post(method)
		whole := len(coretest.Result(probe.id, `{"content":[]}`))
		for cut := 0; cut <= whole; cut++ {
			o := connected(t, mcp.Config{}).post(method)
			text := coretest.Result(o.id, `{"content":[]}`)
			o.Head(o.x, 200, "content-type", coretest.JSON, "content-length", fmt.Sprint(whole+1))
			o.say(text[:cut])
			o.cut(engine.EndNetwork)
			o.wantFailure(code)
			o.wantQuiet()

			if cut == whole {
				continue
			}
			// A proxy may end a body that is not complete as if it were.
			o = connected(t, mcp.Config{}).post(method)
			o.Head(o.x, 200, "content-type", coretest.JSON)
			o.say(text[:cut])
			o.cut(engine.EndClean)
			if cut == 0 {
				o.wantFailure(code) // not even a head came whole: fault 129
				continue
			}
			o.wantFailure(engine.CodeProtocol)
		}
	}
}

// Fault 32: a line feed that a proxy adds, before or behind, changes nothing.
func TestFault32_ProxyAddsALineFeed(t *testing.T) {
	j := connected(t, mcp.Config{}).post("tools/call")
	j.Head(j.x, 200, "content-type", coretest.JSON)
	j.say("\r\n" + coretest.Result(j.id, `{}`) + "\n")
	j.cut(engine.EndClean)
	j.wantResult()

	o := connected(t, mcp.Config{}).stream("tools/call")
	o.say("\n")
	o.progress(1)
	o.say("\n\n")
	o.result("")
	o.wantProgress(1)
	o.wantResult()
}
