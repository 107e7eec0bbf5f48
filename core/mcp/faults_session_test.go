package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// accept answers an initialize, and the notification that follows it.
func (r *rig) accept(x engine.ExchangeID, session string) {
	r.t.Helper()
	r.acceptAs(x, session, "2025-11-25")
}

// acceptAs does so in another revision.
func (r *rig) acceptAs(x engine.ExchangeID, session, revision string) {
	r.t.Helper()
	id := coretest.RequestID(r.Exchange(x).Request)
	r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", session)
	r.Chunk(x, coretest.Result(id, `{"protocolVersion":"`+revision+`","capabilities":{}}`))
	r.End(x, engine.EndClean)
	initialized := r.Newest()
	r.Head(initialized, 202)
	r.End(initialized, engine.EndClean)
}

// bodies that a server may give to a session it does not know.
var goneBodies = map[string][2]string{
	"none":     {"", ""},
	"text":     {"text/plain", "session not found\n"},
	"HTML":     {"text/html", "<h1>404</h1>"},
	"JSON":     {coretest.JSON, `{"detail":"gone"}`},
	"cut JSON": {coretest.JSON, `{"jsonrpc":`},
	"JSON-RPC": {coretest.JSON,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`},
}

// Fault 23: however many requests find out that their session is gone, one
// initialize follows, without the old session's header. Those requests wait,
// as do new ones, and each is then sent once more.
func TestFault23_OneHandshakeForAll(t *testing.T) {
	for _, status := range []int{404, 410} {
		for name, body := range goneBodies {
			r := connected(t, mcp.Config{NoListen: true})
			r.Advance(60_000)
			var calls []*onStream
			for range 4 {
				calls = append(calls, r.post("tools/call"))
			}
			for _, o := range calls {
				o.Head(o.x, status, "content-type", body[0])
				if !o.Exchange(o.x).Over && o.Client.Owned(o.x) {
					o.say(body[1])
					o.cut(engine.EndClean)
				}
			}
			late := r.Call("tools/call", `{"name":"late"}`, mcp.CallOptions{})
			if n := r.posted(`"method":"initialize"`); n != 2 {
				r.fatal("%d %s: %d handshakes", status, name, n)
			}
			var again engine.ExchangeID
			for _, x := range r.UnderWay() {
				if coretest.RequestID(r.Exchange(x).Request) != "" {
					again = x
				}
			}
			for _, field := range []string{"Mcp-Session-Id", "MCP-Protocol-Version"} {
				if value, sent := r.field(again, field); sent {
					r.fatal("%d %s: initialize is sent with %s %s", status, name, field, value)
				}
			}
			r.accept(again, "s2")
			if n := r.posted(`"method":"tools/call"`); n != 9 { // four twice, and the late one
				r.fatal("%d %s: %d calls posted", status, name, n)
			}
			for _, x := range r.UnderWay() {
				if id, _ := r.field(x, "Mcp-Session-Id"); id != "s2" {
					r.fatal("%d %s: sent again in session %q", status, name, id)
				}
				r.Head(x, 200, "content-type", coretest.JSON)
				r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request), `{}`))
				r.End(x, engine.EndClean)
			}
			for _, o := range calls {
				o.wantResult()
			}
			if s := r.call(late).settled; s == nil || s.Outcome != engine.OutcomeResult {
				r.fatal("%d %s: the late call has no result", status, name)
			}
			if n := r.Client.Counters().SessionsLost; n != 1 {
				r.fatal("%d %s: %d sessions lost", status, name, n)
			}
			r.wantIdle()
		}
	}
}

// Fault 23: a server that forgets every session at once sees at most one
// handshake a second, and each call gives up in the end.
func TestFault23_AtMostOneHandshakeASecond(t *testing.T) {
	r := connected(t, mcp.Config{NoListen: true})
	began, last, handshakes := r.Now, r.Now, 0
	var calls []engine.CallID
	for n := range 20 {
		calls = append(calls, r.Call("tools/list", "", mcp.CallOptions{}))
		for r.call(calls[n]).settled == nil {
			live := r.UnderWay()
			if len(live) == 0 {
				if x, _ := r.nextFetch(60_000); x == 0 {
					r.fatal("call %d is left waiting", n)
				}
				live = r.UnderWay()
			}
			x := live[0]
			if r.posted(`"method":"initialize"`) == handshakes+2 {
				handshakes++
				if r.Now.Since(last) < 1_000 {
					r.fatal("handshake %d comes %d ms after the one before", handshakes, r.Now.Since(last))
				}
				last = r.Now
				r.accept(x, "s")
				continue
			}
			r.Head(x, 404)
		}
		if s := r.call(calls[n]).settled; s.Outcome != engine.OutcomeFailure ||
			s.Failure.Code != mcp.CodeSessionRejected {
			r.fatal("call %d ends with %s", n, coretest.Describe(*s))
		}
	}
	if handshakes < 20 || int64(handshakes) > r.Now.Since(began)/1_000 {
		t.Errorf("%d handshakes in %d ms", handshakes, r.Now.Since(began))
	}
}

// Fault 31: the session's id is the one that a successful initialize gave. One
// that comes with any other answer is not listened to.
func TestFault31_OnlyInitializeSetsTheSession(t *testing.T) {
	r := newRig(t, mcp.Config{})
	initialized := r.handshake("2025-11-25")
	const evil = "evil"
	r.Head(r.Newest(), 200, "content-type", coretest.Stream, "mcp-session-id", evil)
	r.End(initialized, engine.EndClean)
	for _, answer := range []struct {
		status int
		media  string
	}{{200, coretest.Stream}, {200, coretest.JSON}, {400, coretest.JSON}, {500, "text/html"}, {202, ""}} {
		o := r.post("tools/call")
		if id, _ := r.field(o.x, "Mcp-Session-Id"); id != "s1" {
			r.fatal("sent in session %q", id)
		}
		o.Head(o.x, answer.status, "content-type", answer.media, "mcp-session-id", evil)
	}
	o := r.primed("p")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	if id, _ := r.field(o.x, "Mcp-Session-Id"); id != "s1" {
		r.fatal("resumed in session %q", id)
	}
}

// Fault 31: an initialize that fails sets nothing, neither by its status nor by
// a JSON-RPC error, even if its answer names a session: not for the next
// initialize, and not for the DELETE of a close in between.
func TestFault31_FailedInitializeSetsNothing(t *testing.T) {
	fails := map[string]func(r *rig, x engine.ExchangeID){
		"503": func(r *rig, x engine.ExchangeID) { r.Head(x, 503, "mcp-session-id", "evil") },
		"rpc error": func(r *rig, x engine.ExchangeID) {
			r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "evil")
			r.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(r.Exchange(x).Request)+
				`,"error":{"code":-32603,"message":"starting"}}`)
			r.End(x, engine.EndClean)
		},
		"cut": func(r *rig, x engine.ExchangeID) {
			r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "evil")
			r.End(x, engine.EndNetwork)
		},
	}
	for name, fail := range fails {
		for _, closes := range []bool{false, true} {
			r := connected(t, mcp.Config{NoListen: true})
			r.Advance(60_000)
			o := r.post("tools/list")
			o.Head(o.x, 404)
			fail(r, r.Newest())
			if closes {
				before := r.Newest()
				r.close()
				if r.Newest() != before {
					r.fatal("%s: close sends %s", name, r.Exchange(r.Newest()).Request.Method)
				}
				r.wantIdle()
				continue
			}
			x, _ := r.nextFetch(60_000)
			if x == 0 {
				r.fatal("%s: nobody tries again", name)
			}
			if id, sent := r.field(x, "Mcp-Session-Id"); sent {
				r.fatal("%s: initialize is sent in session %q", name, id)
			}
			r.accept(x, "s2")
			if id, _ := r.field(r.Newest(), "Mcp-Session-Id"); id != "s2" {
				r.fatal("%s: the call is sent in session %q", name, id)
			}
		}
	}
}
