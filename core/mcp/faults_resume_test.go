package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// refusals are the ways to say no to requests/resume.
var refusals = map[string]func(o *onStream){
	"200, JSON, invalid params":  func(o *onStream) { o.answer(200, o.rpcError(-32602, "unknown token")) },
	"200, JSON, invalid request": func(o *onStream) { o.answer(200, o.rpcError(-32600, "expired")) },
	"200, JSON, no such method":  func(o *onStream) { o.answer(200, o.rpcError(-32601, "no such method")) },
	"200, JSON, of its own code": func(o *onStream) { o.answer(200, o.rpcError(-32042, "cannot resume")) },
	"200, JSON, id null": func(o *onStream) {
		o.answer(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`)
	},
	"200, stream": func(o *onStream) {
		o.accept()
		o.event("", o.rpcError(-32602, "unknown token"))
		o.cut(engine.EndClean)
	},
	"400, JSON": func(o *onStream) { o.answer(400, o.rpcError(-32000, "expired")) },
	"403, JSON": func(o *onStream) { o.answer(403, o.rpcError(-32000, "not yours")) },
	"404, JSON": func(o *onStream) { o.answer(404, o.rpcError(-32001, "unknown request")) },
	"410, JSON": func(o *onStream) { o.answer(410, o.rpcError(-32001, "expired")) },
	"500, JSON": func(o *onStream) { o.answer(500, o.rpcError(-32602, "unknown token")) },
	"400, HTML": func(o *onStream) { o.Head(o.x, 400, "content-type", "text/html") },
	"400, JSON that is no message": func(o *onStream) {
		o.answer(400, `{"error":"no"}`)
	},
	"202": func(o *onStream) { o.Head(o.x, 202) },
}

func (o *onStream) rpcError(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, o.id, code, message)
}

// Fault 91: a refused resume ends the call: lost, told once, nothing kept, no
// further request. The server's text, which might repeat the token, is not told.
func TestFault91_RefusedResume(t *testing.T) {
	for name, refuse := range refusals {
		for _, options := range []mcp.CallOptions{{}, durably} {
			o := connected(t, withDisk).resumable(`,"maxWait":600`, options)
			o.cut(engine.EndNetwork)
			o.resumePost(`"tok"`, hour)
			refuse(o)
			o.wantLost()
			if text := o.call(o.c).settled.Failure.Error(); strings.Contains(text, "tok") {
				t.Errorf("%s: %s", name, text)
			}
			if n := o.Client.Counters().SessionsLost; n != 0 {
				t.Errorf("%s: the session is blamed", name)
			}
			if options.Durable {
				if again := o.reload(0, 0); again.call(again.c).settled == nil {
					t.Errorf("%s: alive after a reload", name)
				}
			}
		}
	}
}

// Fault 91: a harmless call whose resume is refused is run again, under a new id.
func TestFault91_RefusedAndHarmless(t *testing.T) {
	for name, refuse := range refusals {
		o := connected(t, withDisk).resumable("", mcp.CallOptions{Durable: true, Flags: journal.Idempotent})
		o.cut(engine.EndNetwork)
		o.resumePost(`"tok"`, hour)
		refuse(o)
		for o.store(); o.posted(`"tools/call"`) < 2; o.store() {
			if d := o.NextDeadline(); d < 0 {
				o.fatal("%s: not run again", name)
			} else {
				o.Advance(d)
			}
		}
		if id := coretest.RequestID(o.Exchange(o.Newest()).Request); id == o.id {
			t.Errorf("%s: the same id", name)
		}
		o.wantPending()
	}
}

// Fault 91: 404 that names no request, or blames the session, means the session.
func TestFault91_SessionGone(t *testing.T) {
	for name, refuse := range map[string]func(o *onStream){
		"no body": func(o *onStream) { o.Head(o.x, 404) },
		"HTML":    func(o *onStream) { o.Head(o.x, 404, "content-type", "text/html") },
		"SDK": func(o *onStream) {
			o.answer(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
		},
		"cut": func(o *onStream) {
			o.Head(o.x, 404, "content-type", coretest.JSON)
			o.Chunk(o.x, `{"jso`)
			o.cut(engine.EndNetwork)
		},
	} {
		r := connected(t, mcp.Config{})
		r.Advance(10_000)
		o := r.resumable("", mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		o.resumePost(`"tok"`, hour)
		refuse(o)
		o.wantPending() // the next session is asked before it is lost (fault 151)
		o.nextSession("s2")
		o.resumedIn("s2")
		refuse(o)
		o.wantFailure(engine.CodeLost)
		if n := o.posted(`"initialize"`); n != 2 || o.told(engine.EventResumed, `"lost"`) != 1 {
			t.Errorf("%s: %d handshakes", name, n)
		}
	}
}

// Fault 92: a resume that is cut before it brings anything is made again, with
// the same token, and longer waits.
func TestFault92_ResumeCutBeforeItsFirstByte(t *testing.T) {
	refused, accepted := []int64{0, 1_000, 2_000, 5_000, 10_000, 20_000},
		[]int64{0, 0, 400, 5_000, 10_000, 20_000}
	for name, die := range map[string]func(o *onStream){
		"before the head": func(o *onStream) { o.cut(engine.EndNetwork) },
		"after it":        func(o *onStream) { o.accept(); o.cut(engine.EndNetwork) },
		"in a JSON body": func(o *onStream) {
			o.Head(o.x, 200, "content-type", coretest.JSON)
			o.cut(
				engine.EndNetwork)
		},
		"no body, after all":  func(o *onStream) { o.Head(o.x, 503, "content-type", "text/html") },
		"429, without a hint": func(o *onStream) { o.answer(429, o.rpcError(-32000, "slow down")) },
	} {
		least := refused
		if name == "after it" {
			least = accepted // by a server that is there (fault 270)
		}
		o := connected(t, mcp.Config{}).resumable("", mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		for i := range 12 {
			if waited, low := o.resumePost(`"tok"`, hour), least[min(i, len(least)-1)]; waited < low ||
				waited > 30_000 {
				t.Fatalf("%s: attempt %d came after %d ms", name, i+1, waited)
			}
			if xs := o.UnderWay(); len(xs) != 1 {
				t.Fatalf("%s: exchanges %v at once", name, xs)
			}
			die(o)
			o.wantPending()
		}
		o.resumePost(`"tok"`, hour)
		o.accept()
		o.progress(1)
		o.result("")
		o.wantResult()
	}
}

// Fault 92: silence in the JSON body of a resume is a cut, not an end.
func TestFault92_SilentResume(t *testing.T) {
	o := connected(t, mcp.Config{}).resumable("", mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.Head(o.x, 200, "content-type", coretest.JSON)
	o.Chunk(o.x, `{"jsonrpc"`)
	if waited := o.resumePost(`"tok"`, hour); waited < 180_000 || waited > 190_000 {
		t.Errorf("given up after %d ms", waited)
	}
	if n := o.posted("notifications/cancelled"); n != 0 {
		t.Error("a request that can be resumed was cancelled")
	}
}

// Fault 92: whatever asks for a resume while one is stored or under way, one
// exchange carries the call (a double resume is undefined: SEP-975, review).
func TestFault92_OneResumeAtATime(t *testing.T) {
	triggers := map[string]func(o *onStream){
		"online":  func(o *onStream) { o.online() },
		"woke":    func(o *onStream) { o.woke(0) },
		"unpark":  func(o *onStream) { o.park(o.c, true); o.park(o.c, false) },
		"shown":   func(o *onStream) { o.input("shown", (*mcp.Client).Shown) },
		"advance": func(o *onStream) { o.Advance(0) },
		"pause":   func(o *onStream) { o.pause(o.c, true); o.pause(o.c, false) },
	}
	for first, one := range triggers {
		for second, two := range triggers {
			o := connected(t, withDisk).resumable("", durably)
			o.cut(engine.EndNetwork)
			o.store()
			o.Advance(250) // the resume is being stored
			if o.Store.Flying() == 0 || o.posted("requests/resume") != 0 {
				o.fatal("nothing is being stored")
			}
			one(o)
			o.Advance(0)
			two(o)
			o.Advance(0)
			o.store()
			o.Advance(0)
			o.store()
			if n, xs := o.posted("requests/resume"), o.UnderWay(); n != 1 || len(xs) != 1 {
				o.fatal("%s and %s: %d resumes, exchanges %v", first, second, n, xs)
			}
			one(o)
			two(o)
			o.Advance(0)
			o.store()
			if xs := o.UnderWay(); len(xs) > 1 {
				o.fatal("%s and %s: exchanges %v at once", first, second, xs)
			}
		}
	}
}

// Fault 92: a page that goes while it resumes leaves the next one where it was.
func TestFault92_ReloadWhileResuming(t *testing.T) {
	for _, stored := range []bool{false, true} {
		o := connected(t, withDisk).resumable(`,"maxWait":600`, durably)
		o.event("e1", coretest.Progress(o.id, 1))
		o.store()
		o.cut(engine.EndNetwork)
		o.store()
		o.Advance(250)
		if stored {
			o.store()
		}
		o = o.reload(100, 0)
		o.resumePost(`"tok"`, hour)
		if cursor, _ := o.field(o.x, "Last-Event-ID"); cursor != "e1" {
			t.Errorf("cursor %q", cursor)
		}
		own := o.Call("tools/call", `{}`, mcp.CallOptions{})
		if o.posted(`"id":`+o.id+`,"method":"tools/call"`) != 0 {
			t.Error("a new request has the id of one that can be resumed")
		}
		o.accept()
		o.progress(2)
		o.result("e3")
		o.store()
		o.wantProgress(1, 2)
		o.wantResult()
		o.cancel(own)
	}
}
