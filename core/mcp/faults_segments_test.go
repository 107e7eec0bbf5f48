package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 95: what is missing is asked for from the highest number without a gap
// below it, not from the highest that came: only that brings all of it.
func TestFault95_HighestContiguous(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1)
	o.streams("", 3)
	o.streams("", 5)
	o.wantSegments(1)
	x, waited := o.asked("tasks/result", 1_000)
	if x == 0 || waited > 0 || lastSeqNr(o.body(x)) != 1 {
		o.fatal("after %d ms: %s", waited, o.body(x))
	}
	o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), partial("", 2, 3, 4, 5)))
	o.wantSegments(5)
	if n := o.Client.Counters(); n.GapsRefetched != 1 || n.DuplicateSegments != 2 {
		o.fatal("counted %+v", n)
	}
	o.streams(`,"isComplete":true`, 6)
	o.gives("tasks/result", whole(6))
	o.wantSegments(6)
	o.wantWhole(6)
	o.quiet()
}

// Fault 95: what came before the stream was cut is not asked for again, and what
// has not been stored is not named: the server may forget what a number covers.
func TestFault95_NoMoreThanIsStored(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1, 2)
	o.event("", coretest.Result(o.id, partial("", 3)))
	o.cut(engine.EndNetwork) // number 3 is being stored
	o.Advance(0)
	if x := o.waits("tasks/result"); x != 0 {
		o.fatal("%s leaves before number 3 is stored", o.body(x))
	}
	if x, waited := o.asked("tasks/result", 1_000); x == 0 || waited > 0 || lastSeqNr(o.body(x)) != 3 {
		o.fatal("after %d ms: %s", waited, o.body(x))
	}
	if record := o.Store.Record(o.Store.Calls()[0]); record.Position != 3 {
		o.fatal("%d segments are stored", record.Position)
	}
}

// Fault 95: a gap is asked for while the whole result is waited for, too.
func TestFault95_WhileTheWholeIsWaitedFor(t *testing.T) {
	o := connected(t, withDisk).tool(mcp.CallOptions{})
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000}}`))
	o.refuses("tasks/continue", -32601)
	if x, _ := o.asked("tasks/result", 0); x == 0 {
		o.fatal("the result is not waited for")
	}
	o.streams("", 1, 3)
	if n := lastSeqNr(o.gives("tasks/result", partial("", 2))); n != 1 {
		o.fatal("asked from %d", n)
	}
	o.wantSegments(3)
}

// Fault 96: lastSeqNr 0 is an error (SEP-1905), so where nothing has come it is
// not sent; after a reload neither.
func TestFault96_NeverFromZero(t *testing.T) {
	for _, numbers := range [][]int{{}, {2, 3}} {
		o := newStreamed(connected(t, withDisk), numbers...)
		o.cut(engine.EndNetwork)
		for range 3 {
			x, _ := o.asked("tasks/result", 1_000)
			if x == 0 || strings.Contains(o.body(x), "lastSeqNr") {
				o.fatal("asked with %s", o.body(x))
			}
			o = o.reloads()
		}
		o.gives("tasks/result", whole(3))
		o.wantWhole(3)
	}
}

// Fault 97: a segment that comes in three ways is told once. With other words
// under its number the first stand, and the app is told.
func TestFault97_OneNumberByThreeWays(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1, 2)
	o.streams("", 2, 3, 3)
	o.cut(engine.EndNetwork)
	o.gives("tasks/result", `{"partial-content":[`+segment(1)+`,`+segment(3)+
		`,{"seqNr":2,"type":"text","text":"other"},`+segment(4)+`]}`)
	o.wantSegments(4)
	o.wantBroken("conflicting_segment", 1)
	if n := o.Client.Counters().DuplicateSegments; n != 4 {
		o.fatal("%d duplicates are counted", n)
	}
	o = o.reloads() // and what was stored is known for what it is
	o.gives("tasks/result", partial("", 1, 2, 3, 4, 5))
	o.wantSegments(5)
	if n := o.Client.Counters().DuplicateSegments; n != 4 {
		o.fatal("%d duplicates are counted after a reload", n)
	}
	// Two that wait behind a gap are compared as well.
	o.gives("tasks/result", `{"partial-content":[`+segment(8)+`,{"seqNr":8},`+segment(8)+`]}`)
	o.wantBroken("conflicting_segment", 1)
}

// Fault 98: a number that is no positive integer costs the segment, not those
// beside it, and does not move what is asked from.
func TestFault98_NoNumber(t *testing.T) {
	bad := []string{`0`, `-1`, `1.5`, `"3"`, `1e0`, `2.0`, `null`, `9007199254740992`, `9007199254740993`,
		`1` + strings.Repeat("0", 400),
		`true`, `[2]`, `{}`, `-0`, `2,"seqNr":2`}
	o := newStreamed(connected(t, withDisk), 1)
	for i, number := range bad {
		o.event("",
			coretest.Result(o.id,
				fmt.Sprintf(`{"partial-content":[{"seqNr":%s,"type":"text","text":"bad"},%s]}`, number,
					segment(i+2))))
	}
	o.event("", coretest.Result(o.id, `{"partial-content":[{"type":"text","text":"none"},7,null,"x",[]]}`))
	o.event("", coretest.Result(o.id, `{"partial-content":{"seqNr":99}}`))
	o.event("", coretest.Result(o.id, `{"partial-content":null}`))
	o.store()
	o.wantSegments(len(bad) + 1)
	o.wantBroken("invalid_segment", len(bad)+5)
	o.cut(engine.EndNetwork)
	if x, _ := o.asked("tasks/result", 0); lastSeqNr(o.body(x)) != len(bad)+1 {
		o.fatal("asked with %s", o.body(x))
	}
}

// Fault 99: a number far ahead is refused, and waited for by nobody.
func TestFault99_FarAhead(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1)
	for _, n := range []int{1<<53 - 1, 10_002, 1 << 40} {
		o.streams("", n)
	}
	o.wantBroken("distant_segment", 3)
	if x, _ := o.asked("tasks/result", 0); x != 0 {
		o.fatal("%s", o.body(x))
	}
	o.streams("", 2, 10_002) // the last that is near enough
	o.wantSegments(2)
	o.wantBroken("distant_segment", 3)
	if x, _ := o.asked("tasks/result", 0); lastSeqNr(o.body(x)) != 2 {
		o.fatal("asked with %s", o.body(x))
	}
}

// Fault 99: what is held of a result has a bound; beyond it the whole is waited
// for, and the numbers are not asked for again and again.
func TestFault99_MemoryIsBounded(t *testing.T) {
	o := newStreamed(connected(t, mcp.Config{NoListen: true}), 1)
	text := strings.Repeat("x", 15<<20)
	told := 0
	for n := 2; n <= 6; n++ {
		m := coretest.Message("",
			coretest.Result(o.id, fmt.Sprintf(`{"partial-content":[{"seqNr":%d,"type":"text","text":"%s"}]}`,
				n, text)))
		o.Client.Chunk(o.Now, o.x, []byte(m))
		for e, ok := o.Client.Next(); ok; e, ok = o.Client.Next() {
			if e.Event == engine.EventSegment {
				told++
			}
		}
	}
	if told != 4 {
		t.Fatalf("%d segments are told", told)
	}
	o.cut(engine.EndNetwork)
	if x, _ := o.asked("tasks/result", 0); x == 0 || lastSeqNr(o.body(x)) != 0 {
		t.Fatalf("asked with %s", o.body(x))
	}
}

// Fault 100: a result with a gap is not complete, whatever the server says. The
// gap is asked for a few times, then the app is told and the whole is waited for.
func TestFault100_CompleteWithAGap(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1, 2)
	o.streams(`,"isComplete":true`, 5)
	if n := lastSeqNr(o.gives("tasks/result", partial(`,"isComplete":true`, 3, 5))); n != 2 {
		o.fatal("asked from %d", n)
	}
	o.wantSegments(3)
	o.wantPending()
	for range 4 {
		if n := lastSeqNr(o.gives("tasks/result", partial(`,"isComplete":true`))); n != 3 {
			o.fatal("asked from %d", n)
		}
		o.wantPending()
	}
	o.wantTold(engine.EventResumed, `"outcome":"gap"`, 1)
	o.wantTold(engine.EventResumed, `"missing":[4,4]`, 1)
	if n := lastSeqNr(o.gives("tasks/result", whole(5))); n != 0 {
		o.fatal("asked from %d", n)
	}
	o.wantSegments(3)
	o.wantWhole(5)
	o.quiet()

	// It has nothing else, and no end of that: an error, not a hole.
	o = newStreamed(connected(t, withDisk), 1)
	o.streams(`,"isComplete":true`, 3)
	for n := 0; o.call(o.c).settled == nil; n++ {
		if n > 10 {
			o.fatal("asked again and again")
		}
		o.gives("tasks/result", partial(`,"isComplete":true`, 1))
	}
	o.wantFailure(engine.CodeProtocol)
	o.wantTold(engine.EventResumed, `"missing":[2,2]`, 1)
	o.quiet()
}

// Fault 100: a gap that is not filled is not asked for in a loop.
func TestFault100_GapsArePaced(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1)
	o.streams("", 3)
	began, n := o.Now, 0
	for o.Now.Since(began) < 60_000 {
		x, _ := o.asked("tasks/result", 60_000-o.Now.Since(began))
		if x == 0 || lastSeqNr(o.body(x)) == 0 {
			break
		}
		n++
		o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), partial("")))
		o.streams("", 3+n)
	}
	if n != 4 {
		o.fatal("asked %d times", n)
	}
	o.streams("", 2) // it comes after all
	o.wantSegments(3 + n)
}

// Fault 100: what comes after the end is ignored.
func TestFault100_AfterTheEnd(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1)
	o.streams(`,"isComplete":true`, 2)
	o.streams(`,"isComplete":false`, 3, 2, 4)
	o.wantSegments(2)
	o.wantBroken("late_segment", 2)
	o.gives("tasks/result", whole(2))
	o.wantWhole(2)
	o.wantBroken("different_result", 0)
	// With a gap, what is missing below it is no late one.
	o = newStreamed(connected(t, withDisk), 1)
	o.streams(`,"isComplete":true`, 3)
	o.streams("", 4, 2)
	o.wantSegments(3)
	o.wantBroken("late_segment", 1)
}

// Fault 100: where isComplete is missing the task's status tells.
func TestFault100_NoIsComplete(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1)
	o.cut(engine.EndNetwork)
	o.gives("tasks/result", partial("", 2))
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	if n := lastSeqNr(o.gives("tasks/result", partial(""))); n != 2 {
		o.fatal("asked from %d", n)
	}
	if n := lastSeqNr(o.gives("tasks/result", whole(2))); n != 0 {
		o.fatal("asked from %d", n)
	}
	o.wantSegments(2)
	o.wantWhole(2)
	o.quiet()
}

// Fault 101: a server that cannot resume says so, or begins again: either way
// each segment is told once and the whole result is the end.
func TestFault101_CannotResume(t *testing.T) {
	for _, code := range []int{-32603, -32602} {
		o := newStreamed(connected(t, withDisk), 1, 2)
		o.cut(engine.EndNetwork)
		if n := lastSeqNr(o.refuses("tasks/result", code)); n != 2 {
			o.fatal("asked from %d", n)
		}
		x, waited := o.asked("tasks/result", 0)
		if x == 0 || waited > 0 || lastSeqNr(o.body(x)) != 0 {
			o.fatal("asked with %s", o.body(x))
		}
		o.End(x, engine.EndNetwork)
		for range 2 { // and is not asked again for what it has not
			if n := lastSeqNr(o.gives("tasks/result", partial("", 1, 2, 3))); n != 0 {
				o.fatal("asked from %d", n)
			}
		}
		o.gives("tasks/result", whole(4))
		o.wantSegments(3)
		o.wantWhole(4)
		o.quiet()
	}
	// An error of the tool's own is what comes without a number, too.
	o := newStreamed(connected(t, withDisk), 1)
	o.cut(engine.EndNetwork)
	o.refuses("tasks/result", -32603)
	o.refuses("tasks/result", -32603)
	if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
		o.fatal("the error is not told")
	}
	o.wantSegments(1)
}

// Fault 101: all from the start again, whatever was asked for.
func TestFault101_AllFromTheStart(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1, 2)
	o.cut(engine.EndNetwork)
	o.gives("tasks/result", partial("", 1, 2, 3))
	o.gives("tasks/result", partial(`,"isComplete":true`, 1, 2, 3, 4))
	if n := lastSeqNr(o.gives("tasks/result", partial(`,"isComplete":true`, 1, 2, 3, 4))); n != 0 {
		o.fatal("asked from %d", n)
	}
	o.wantSegments(4)
	o.wantWhole(4) // it has no other whole than its parts
	o.quiet()
}

// Fault 101: "nothing more, and complete" to a number that the server does not
// reach (SEP-1905) may be one that has begun again. The status tells.
func TestFault101_BegunAgain(t *testing.T) {
	for _, status := range []string{"working", "completed"} {
		o := newStreamed(connected(t, withDisk), 1, 2)
		o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
		o.cut(engine.EndNetwork)
		o.gives("tasks/result", partial(`,"isComplete":true`))
		if x := o.waits("tasks/result"); x != 0 {
			o.fatal("%s is asked before the status", o.body(x))
		}
		o.gives("tasks/get", `{"taskId":"T","status":"`+status+`"}`)
		o.wantTold(engine.EventResumed, `"restarted"`, map[string]int{"working": 1}[status])
		if n := lastSeqNr(o.gives("tasks/result", whole(2))); n != 0 {
			o.fatal("asked from %d", n)
		}
		o.wantSegments(2)
		o.wantWhole(2)
		o.quiet()
	}
}

// Fault 102: where the whole result is not what was streamed it stands, and the
// app is told.
func TestFault102_TheWholeStands(t *testing.T) {
	for result, broken := range map[string]int{
		whole(2): 0,
		whole(3): 1,
		whole(1): 1,
		`{"content":[{"type":"text","text":"s1"},{"type":"text","text":"S2"}]}`:  1,
		`{"content":[{"text":"s1", "type":"text"},{"type":"text","text":"s2"}]}`: 1, // bytes are compared
		`{"structuredContent":{}}`: 1,
	} {
		o := newStreamed(connected(t, withDisk), 1)
		o.streams(`,"isComplete":true`, 2)
		o.gives("tasks/result", result)
		o.wantResult()
		if got := string(o.call(o.c).settled.Data); got != result {
			o.fatal("the result is %s, want %s", got, result)
		}
		o.wantBroken("different_result", broken)
	}
	// A result of which a part was streamed begins with that part.
	for result, broken := range map[string]int{whole(9): 0,
		`{"content":[{"type":"text","text":"x"},{},{}]}`: 1} {
		o := newStreamed(connected(t, withDisk), 1)
		o.cut(engine.EndNetwork)
		o.gives("tasks/result", result)
		o.wantResult()
		o.wantBroken("different_result", broken)
	}
}

// Fault 103: segments belong to the call by its id and its task's: in a
// notification, under another id or of another task they are refused.
func TestFault103_Foreign(t *testing.T) {
	r := connected(t, withDisk)
	o := newStreamed(r, 1)
	other := r.post("tools/call")
	o.event("",
		`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"T","status":"working",`+
			members([]int{2}, "")+`}`)
	o.event("", `{"jsonrpc":"2.0","method":"notifications/message","params":`+partial("", 2)+`}`)
	o.event("", coretest.Result("99", partial("", 2)))
	o.event("", coretest.Result(`"`+o.id+`"`, partial("", 2)))
	const related = `,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"%s"}}`
	o.event("", coretest.Result(o.id, partial(fmt.Sprintf(related, "U"), 2)))
	o.wantSegments(1)
	o.wantBroken("unknown_response", 2)
	o.wantBroken("foreign_task", 1)
	other.wantPending()
	o.streams(fmt.Sprintf(related, "T"), 2)
	o.wantSegments(2)
	o.cut(engine.EndNetwork)
	o.gives("tasks/result", partial(fmt.Sprintf(related, "U"), 3))
	o.gives("tasks/result", `{"content":["stolen"]`+fmt.Sprintf(related, "U")+`}`)
	o.wantBroken("foreign_task", 3)
	o.wantPending()
	o.gives("tasks/get", `{"taskId":"U","status":"cancelled"}`)
	o.wantBroken("foreign_task", 4)
	o.wantPending()
	o.gives("tasks/result", partial(fmt.Sprintf(related, "T"), 3))
	o.wantSegments(3)
}
