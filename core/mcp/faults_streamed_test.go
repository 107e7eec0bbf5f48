package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 104: whatever the server falls back to, the call settles with its result,
// once.
func TestFault104_AllShapes(t *testing.T) {
	const related = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}`
	const made = `{"taskId":"T","status":"working","pollInterval":1000}`
	rest := func(o *onTask) {
		for n := 0; o.call(o.c).settled == nil; n++ {
			if n > 20 {
				o.fatal("no result")
			}
			switch o.nextFetch(5_000); {
			case o.waits("tasks/continue") != 0:
				o.refuses("tasks/continue", -32601)
			case o.waits("tasks/result") != 0:
				o.gives("tasks/result", whole(2))
			case o.waits("tasks/get") != 0:
				o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
			}
		}
	}
	for _, result := range []string{
		whole(2), // an old server, or at once
		strings.TrimSuffix(whole(2), "}") + `,` + related + `}`, // at once, and a task
		strings.TrimSuffix(whole(2), "}") + `,"task":` + made + `}`,
		`{"task":` + made + `}`,
		`{"task":` + made + `,` + members([]int{1}, ""),
		`{` + members([]int{1, 2}, `,"isComplete":true,`+related),
		`{` + members([]int{1}, `,`+related),
		`{"task":` + made + `,` + members(nil, ""),
	} {
		for _, media := range []string{coretest.JSON, coretest.Stream} {
			o := connected(t, withDisk).tool(mcp.CallOptions{})
			if media == coretest.JSON {
				o.json(o.x, coretest.Result(o.id, result))
			} else {
				o.Head(o.x, 200, "content-type", media)
				o.event("", coretest.Result(o.id, result))
				o.cut(engine.EndClean)
				o.store()
			}
			rest(o)
			o.wantResult()
			if got := string(o.call(o.c).settled.Data); !strings.HasPrefix(
				got, strings.TrimSuffix(whole(2), "}")) {
				o.fatal("%s comes to %s", result, got)
			}
			o.quiet()
		}
	}
}

// Fault 104: that the server fell back is told with the task.
func TestFault104_FallbackIsTold(t *testing.T) {
	for meta, want := range map[string]int{
		`,"_meta":{"io.modelcontextprotocol/fallback-mode":"task"}`: 1,
		`,"_meta":{"io.modelcontextprotocol/fallback-mode":7}`:      0,
		``: 0,
	} {
		o := connected(t, withDisk).tool(mcp.CallOptions{})
		o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000}`+
			meta+`}`))
		o.wantTold(engine.EventTask, `{"status":"working","fallback":"task"}`, want)
		o.wantTold(engine.EventTask, "", 1)
	}
}

// Fault 105: an error with segments: those that came stay with the call, the
// error is its outcome, and nothing more is asked.
func TestFault105_ErrorWithPartials(t *testing.T) {
	failed := `{"content":[{"type":"text","text":"s1"},{"type":"text","text":"s2"}],"isError":true}`
	o := newStreamed(connected(t, withDisk), 1)
	o.streams(`,"isError":true,"isComplete":true`, 2)
	o.refuses("tasks/result", -32603) // it has no more than that
	o.store()
	o.wantSegments(2)
	if s := o.call(o.c).settled; s == nil || string(s.Data) != failed {
		o.fatal("not settled with the parts and isError")
	}
	o.quiet()
	// Only a message, as an ordinary result.
	o = newStreamed(connected(t, withDisk), 1)
	o.streamsRaw(`{"content":[{"type":"text","text":"no"}],"isError":true,"isComplete":true}`)
	o.wantSegments(1)
	o.wantResult()
	o.quiet()
	// A JSON-RPC error on the call's own id, or for its result.
	o = newStreamed(connected(t, withDisk), 1)
	o.event("", `{"jsonrpc":"2.0","id":`+o.id+`,"error":{"code":-32000,"message":"no"}}`)
	o.store()
	o.wantSegments(1)
	if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
		o.fatal("the error is not told")
	}
	o.quiet()
	o = newStreamed(connected(t, withDisk), 1)
	o.gives("tasks/get", `{"taskId":"T","status":"failed"}`)
	o.streams(`,"isComplete":true`)
	o.refuses("tasks/result", -32000)
	o.store()
	if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
		o.fatal("the error is not told")
	}
	o.quiet()
}

// streamsRaw sends a result on the call's own stream.
func (o *onTask) streamsRaw(result string) {
	o.t.Helper()
	o.event("", coretest.Result(o.id, result))
	o.store()
}

// Fault 105: a task that the server does not know any more is read once more;
// what it gives is told, and the call is lost, with what had come.
func TestFault105_Expires(t *testing.T) {
	for _, left := range []string{partial("", 3), partial(`,"isComplete":true`, 3), "", whole(3)} {
		o := newStreamed(connected(t, withDisk), 1, 2)
		o.refuses("tasks/get", -32602)
		o.wantPending()
		if left == "" {
			o.refuses("tasks/result", -32602)
		} else if n := lastSeqNr(o.gives("tasks/result", left)); n != 2 {
			o.fatal("asked from %d", n)
		}
		o.store()
		switch left {
		case whole(3):
			o.wantWhole(3)
		default:
			o.wantFailure(engine.CodeLost)
			o.wantTold(engine.EventResumed, `"lost"`, 1)
		}
		o.quiet()
		// What had come is there for the next page, as long as nobody has acknowledged it.
		o = o.reloads()
		if n := o.told(engine.EventSegment, ""); n < 2 {
			o.fatal("%d segments are left", n)
		}
		o.quiet()
	}
	// All of it was there before.
	o := newStreamed(connected(t, withDisk), 1)
	o.streams(`,"isComplete":true`, 2)
	o.refuses("tasks/get", -32602)
	o.refuses("tasks/result", -32602)
	o.wantWhole(2)
	o.quiet()
	// A cut while it is read is no answer.
	o = newStreamed(connected(t, withDisk), 1)
	o.refuses("tasks/get", -32602)
	x, _ := o.asked("tasks/result", 0)
	o.End(x, engine.EndNetwork)
	o.wantPending()
	o.refuses("tasks/result", -32602)
	o.wantFailure(engine.CodeLost)
	o.quiet()
}

// Fault 105: cancel() in a streamed task: tasks/cancel, once, and the end; what
// the server sends then comes too late.
func TestFault105_CancelledInTheStream(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1)
	o.cancel(o.c)
	o.store()
	o.wantFailure(engine.CodeCancelled)
	if n := o.posted(`"tasks/cancel"`, `"taskId":"T"`); n != 1 || o.posted("notifications/cancelled") != 0 {
		o.fatal("tasks/cancel is sent %d times", n)
	}
	o.wantSegments(1)
	o.quiet()
	// Or the server does: with the parts that there are, then an error.
	o = newStreamed(connected(t, withDisk), 1)
	o.streams(`,"isComplete":true`, 2)
	o.gives("tasks/get", `{"taskId":"T","status":"cancelled"}`)
	o.refuses("tasks/result", -32603)
	o.store()
	o.wantSegments(2)
	o.wantResult()
	o.quiet()
	o = newStreamed(connected(t, withDisk), 1)
	o.gives("tasks/get", `{"taskId":"T","status":"cancelled"}`)
	o.refuses("tasks/result", -32603)
	o.refuses("tasks/result", -32603)
	o.store()
	o.wantFailure(engine.CodeCancelled)
	o.wantSegments(1)
	o.quiet()
}
