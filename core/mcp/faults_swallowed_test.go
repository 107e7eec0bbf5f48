package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 130: a resume that is swallowed, accepted and never answered, is given up
// after 15 s by a client that has seen a prompt head of the server's, and made
// again from the same place. After some in a row it waits longer: the server may
// only be quiet, and its browser may hold heads back.
func TestFault130_ASwallowedResume(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	for i, want := range []int64{15_000, 15_000, 15_000, 30_000, 60_000, 120_000, 120_000} {
		o.resumeStarts()
		if after := o.silent(); after != want {
			o.fatal("resume %d is given up after %d ms, want %d", i+1, after, want)
		}
		o.wantPending()
	}
	o.resume()
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	if after := o.silent(); after != 15_000 {
		o.fatal("after a prompt head given up after %d ms", after)
	}
	o.resume()
	o.progress(1)
	o.result("")
	o.wantProgress(1)
	o.wantResult()
}

// Fault 130: where nothing is known of the server's heads, or they are known to
// come late, timeouts.answer is the limit, whatever it is.
func TestFault130_NothingKnownOfHeads(t *testing.T) {
	for answer, want := range map[int64]int64{0: 120_000, 300_000: 300_000, 7_000: 7_000} {
		o := connected(t, mcp.Config{Timeouts: mcp.Timeouts{Answer: answer}}).post("tools/call")
		o.Advance(6_000) // the head waits for the first event
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.say("id: p\ndata:\n\n")
		o.cut(engine.EndNetwork)
		for range 3 {
			o.resumeStarts()
			if after := o.silent(); after != want {
				o.fatal("answer: %d: given up after %d ms", answer, after)
			}
			o.wantPending()
		}
	}
	o := connected(t, mcp.Config{Timeouts: mcp.Timeouts{Answer: -1}}).post("tools/call")
	o.Advance(6_000)
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.say("id: p\ndata:\n\n")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.wantQuiet() // for ever, as the app has said
	o.wantPending()
}

// Fault 130: a head that comes late on a resume, and not with the prompt one
// before it, is waited for the next time.
func TestFault130_LateHeadsAreLearned(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.Advance(14_000)
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	if after := o.silent(); after != 120_000 {
		o.fatal("given up after %d ms", after)
	}
}

// Fault 130: requests/resume that is swallowed for longer than the server has
// promised to keep the request does not make it lost: it may have been heard.
// Attempts that fail do.
func TestFault130_SwallowedIsNotLost(t *testing.T) {
	o := connected(t, mcp.Config{Journal: true}).resumable(`,"maxWait":20`, mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	for range 6 {
		o.resumePost(`"tok"`, 60_000)
		if after := o.silent(); after < 15_000 {
			o.fatal("given up after %d ms", after)
		}
		o.store()
		o.wantPending()
	}
	for range 100 {
		if o.store(); o.call(o.c).settled != nil {
			break
		}
		o.resumePost(`"tok"`, 60_000)
		o.cut(engine.EndNetwork)
		o.store()
		o.Advance(30_000)
	}
	o.wantFailure(engine.CodeLost)
}
