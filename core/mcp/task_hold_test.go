package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// held asks for the connections of the call, or gives leave to have them.
func (o *onTask) held(held bool) {
	o.t.Helper()
	o.input("hold", func(m *mcp.Client, now engine.Time) { m.Hold(now, o.c, held) })
}

// Fault 81: a host that is short of connections takes that of the request which
// waits for a task's result. Polls go on, and the result is asked for when they
// say that it is there, or the host has a connection again.
func TestFault81_TaskWithoutAConnection(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	x, _ := o.asked("tasks/result", 0)
	o.held(true)
	o.wantTold(engine.EventStatus, `{"state":"parked","why":"connections","delay":0}`, 1)
	if !o.Exchange(x).Over {
		o.fatal("it is still waited for")
	}
	for range 3 {
		o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
	}
	if x, _ := o.asked("tasks/result", 900); x != 0 {
		o.fatal("a connection is taken that the host has not given")
	}
	o.held(false)
	x, _ = o.asked("tasks/result", 0)
	if x == 0 {
		o.fatal("the result is not waited for")
	}
	o.held(true)
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	o.gives("tasks/result", whole(1))
	o.wantWhole(1)
	o.quiet()
}

// Fault 81: the stream of segments is let go of once there is a number to go on
// from; before that, and for a few seconds only, it is not.
func TestFault81_SegmentsWithoutAConnection(t *testing.T) {
	o := newStreamed(connected(t, withDisk))
	o.held(true)
	if o.Exchange(o.x).Over {
		o.fatal("the first segment cannot be asked for")
	}
	o.streams("", 1, 2)
	o.held(true)
	if !o.Exchange(o.x).Over {
		o.fatal("the stream is still open")
	}
	for _, n := range []int{3, 4} {
		if body := o.gives("tasks/result", partial("", n)); lastSeqNr(body) != n-1 {
			o.fatal("asked with %s", body)
		}
		o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
	}
	o.wantSegments(4)
	o.gives("tasks/result", partial(`,"isComplete":true`))
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	o.gives("tasks/result", whole(4))
	o.wantWhole(4)
	o = newStreamed(connected(t, withDisk))
	o.Advance(6_000)
	o.held(true)
	if !o.Exchange(o.x).Over {
		o.fatal("a stream that brings nothing keeps its connection")
	}
}

// A task whose result is streamed asks the person on the request that waits for
// the whole result, as any task does; with the answer the segments go on.
func TestTask_StreamedAsks(t *testing.T) {
	o := newStreamed(connected(t, handling), 1, 2)
	o.gives("tasks/get", `{"taskId":"T","status":"input_required"}`)
	x, waited := o.asked("tasks/result", 0)
	if x == 0 || waited != 0 || lastSeqNr(o.body(x)) != 0 {
		o.fatal("nobody hears what it asks: %s", o.body(x))
	}
	o.Head(x, 200, "content-type", coretest.Stream)
	o.Chunk(x, coretest.Message("", `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{`+
		relatedT+`}}`))
	o.wantTold(engine.EventRequest, "", 1)
	o.gives("tasks/get", `{"taskId":"T","status":"input_required"}`)
	if o.Exchange(x).Over {
		o.fatal("given up while it asks")
	}
	o.End(o.x, engine.EndNetwork)
	o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
	if !o.Exchange(x).Over {
		o.fatal("the whole is waited for, and segments are to be had")
	}
	if body := o.gives("tasks/result", partial("", 3)); lastSeqNr(body) != 2 {
		o.fatal("asked with %s", body)
	}
	o.wantSegments(3)
}

// What came with the whole result alone is told as segments, too.
func TestTask_RestComesWithTheWhole(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1, 2)
	o.gives("tasks/get", `{"taskId":"T","status":"input_required"}`)
	o.gives("tasks/result", whole(4))
	var told []string
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventSegment {
			told = append(told, string(e.Data))
		}
	}
	if strings.Join(told, " ") != segment(1)+" "+segment(2)+" "+segment(3)+" "+segment(4) {
		o.fatal("told %v", told)
	}
	o.wantWhole(4)
	// Not where it is another one altogether, or there is a gap that was told.
	o = newStreamed(connected(t, withDisk), 1, 2)
	o.gives("tasks/get", `{"taskId":"T","status":"input_required"}`)
	o.gives("tasks/result",
		`{"content":[{"type":"text","text":"z"},{"type":"text","text":"s2"},{"type":"text","text":"s3"}]}`)
	o.wantTold(engine.EventSegment, "", 2)
	o.wantBroken("different_result", 1)
}
