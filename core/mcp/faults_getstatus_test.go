package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 151: an app asks how a resumable request stands while its stream is cut.
// The server is asked, with the token and once however many ask, and what it says
// is told in the words of tasks.
func TestFault151_StatusOfAResumableRequest(t *testing.T) {
	for answer, want := range map[string]string{
		`{"status":"processing"}`:                          `{"status":"working"}`,
		`{"status":"processing","hasPendingMessage":true}`: `{"status":"working","pending":true}`,
		`{"status":"processing","hasInputRequest":true}`:   `{"status":"input_required"}`,
		`{"status":"completed","hasPendingMessage":true}`:  `{"status":"completed","pending":true}`,
		`{"status":"failed"}`:                              `{"status":"failed"}`,
	} {
		o := connected(t, mcp.Config{Journal: true}).resumable(`,"minWait":30`, mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		for range 2 {
			o.input("peek", func(m *mcp.Client, now engine.Time) { m.Peek(now, o.c) })
		}
		if body := o.gives("requests/getStatus", answer); !strings.Contains(
			body, `"requestId":`+o.id+`,"resumeToken":"tok"`) {
			o.fatal("asked with %s", body)
		}
		if n := o.posted(`"requests/getStatus"`); n != 1 || o.told(engine.EventPeek, want) != 1 {
			o.fatal("asked %d times, and not told %s", n, want)
		}
		o.wantPending()
		o.x = o.Newest()
		o.resumePost(`"tok"`, 60_000)
		o.accept()
		o.result("")
		o.store()
		o.wantResult()
	}
}

// Fault 151: a server without requests/getStatus, or one that cannot be reached,
// leaves what is known here, or says that it was not reached; the call goes on.
func TestFault151_StatusThatCannotBeHad(t *testing.T) {
	o := connected(t, mcp.Config{Journal: true}).resumable(`,"minWait":30`, mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	peek := func() { o.input("peek", func(m *mcp.Client, now engine.Time) { m.Peek(now, o.c) }) }
	peek()
	o.refuses("requests/getStatus", -32601)
	if o.told(engine.EventPeek, `{"status":"working"}`) != 1 {
		o.fatal("not told what is known here")
	}
	peek()
	x, _ := o.asked("requests/getStatus", 0)
	o.End(x, engine.EndNetwork)
	if o.told(engine.EventPeek, "") != 2 {
		o.fatal("whoever asked is left waiting")
	}
	o.wantPending()
	// The result comes before the status does.
	peek()
	o.x = o.Newest()
	o.resumePost(`"tok"`, 60_000)
	o.accept()
	o.result("")
	o.store()
	if o.told(engine.EventPeek, "") != 3 {
		o.fatal("whoever asked is left waiting for a call that has ended")
	}
	o.wantResult()
}

// Fault 151: a parked request that is cancelled is over: the server is told, and is
// not asked for its status any more.
func TestFault151_CancelWhileParked(t *testing.T) {
	o := connected(t, mcp.Config{Journal: true}).resumable("", mcp.CallOptions{})
	o.park(o.c, true)
	o.cancel(o.c)
	o.store()
	o.wantFailure(engine.CodeCancelled)
	if n := o.posted(`"notifications/cancelled"`, `"requestId":`+o.id); n != 1 {
		o.fatal("the server is told %d times", n)
	}
	o.Head(o.Newest(), 202)
	o.End(o.Newest(), engine.EndClean)
	o.wantQuiet()
	o.wantIdle()
}

// Fault 151: a policy for another request than a tool's call is as good: the read of
// a resource goes on after a cut.
func TestFault151_ResumableRead(t *testing.T) {
	r := connected(t, mcp.Config{Journal: true})
	c := r.Call("resources/read", `{"uri":"file:///large"}`, mcp.CallOptions{})
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", policyFor(o.id, `"tok"`, ""))
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, 60_000)
	o.accept()
	o.result("")
	o.wantResult()
}

// Fault 151: "failed" says that the response is an error. What a resume brings then is the response, although
// it reads like a refusal of the resume itself; without that word it is one.
func TestFault151_FailedIsTheResponse(t *testing.T) {
	for status, lost := range map[string]bool{`{"status":"failed"}`: false, `{"status":"processing"}`: true} {
		o := connected(t, mcp.Config{Journal: true}).resumable(`,"minWait":30`, mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		o.input("peek", func(m *mcp.Client, now engine.Time) { m.Peek(now, o.c) })
		o.gives("requests/getStatus", status)
		o.x = o.Newest()
		o.resumePost(`"tok"`, 60_000)
		o.accept()
		o.event("", `{"jsonrpc":"2.0","id":`+o.id+`,"error":{"code":-32602,"message":"no such row"}}`)
		o.store()
		if lost {
			o.wantLost()
		} else if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
			o.fatal("the response is taken for a refusal")
		}
	}
}

// Fault 151: a server that says how a request stands knows of us, and keeps it from then on for as long as it
// has promised: what counts from the cut would give the call up too early.
func TestFault151_StatusIsContact(t *testing.T) {
	for _, asks := range []bool{true, false} {
		o := connected(t, mcp.Config{Journal: true}).resumable(`,"maxWait":100`, mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		unreachable := func(until engine.Time) {
			for o.store(); o.Now < until; o.store() {
				if x := o.waits("requests/resume"); x != 0 {
					o.End(x, engine.EndNetwork)
				}
				o.Advance(min(max(o.NextDeadline(), 1), until.Since(o.Now)))
			}
		}
		cut := o.Now
		unreachable(cut.After(90_000))
		if asks {
			o.input("peek", func(m *mcp.Client, now engine.Time) { m.Peek(now, o.c) })
			o.gives("requests/getStatus", `{"status":"processing"}`)
		}
		unreachable(cut.After(150_000))
		if s := o.call(o.c).settled; (s == nil) != asks {
			o.fatal("asked %t: settled with %v", asks, s)
		}
	}
}
