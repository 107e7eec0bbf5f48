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

// wantWentBack checks how often progress went back, and that the app was told of it so many times.
func (r *rig) wantWentBack(times, told int) {
	r.t.Helper()
	if n := int(r.Client.Counters().ProgressWentBack); n != times {
		r.fatal("progress went back %d times, want %d", n, times)
	}
	r.wantBroken("progress_went_back", told)
}

// Fault 764: a browser has sent a call again by itself, and both runs report under its one token. All
// of it is delivered; that progress went back is told once, and counted.
func TestFault764_TwoRunsUnderOneToken(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	for i, n := range []int{2, 1, 3, 2, 4, 3} {
		o.event(fmt.Sprint("e", i), coretest.Progress(o.id, n))
	}
	o.result("r")
	o.wantResult()
	o.wantProgress(2, 1, 3, 2, 4, 3)
	o.wantWentBack(3, 1)
	if told := strings.Join(o.integrity, ""); !strings.Contains(
		told, `"cause":"the tool may have run twice, or its server counts anew"`) {
		o.fatal("the app is told %s", told)
	}
	if o.told(engine.EventResumed, "restarted") != 0 {
		o.fatal("nobody knows that it was run again")
	}
}

// Fault 764: progress is any number; what is none says nothing, and what stays has not gone back.
func TestFault764_WhatGoesBack(t *testing.T) {
	for _, row := range []struct {
		came  string
		times int
	}{
		{"1 2 3", 0},
		{"0.25 0.5 1e1 10.5", 0},
		{"2 2 2", 0},
		{"-2 -1 0", 0},
		{"0.5 0.25", 1},
		{"10 9.5", 1},
		{"1 0 1 0", 2},
		{"0 -1", 1},
		{`3 null "1" true 4`, 0},
		{`3 null 2`, 1},
		{"3 1e999 4", 0},
	} {
		o := connected(t, mcp.Config{}).stream("tools/call")
		for _, value := range strings.Fields(row.came) {
			o.event("", strings.Replace(coretest.Progress(o.id, 7), ":7}", ":"+value+"}", 1))
		}
		o.event("", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+o.id+`}}`)
		o.wantWentBack(row.times, min(row.times, 1))
	}
}

// Fault 764: over a cut the same run goes on, and what goes back there is told; what the server merely
// replays is dropped by its ids, and says nothing.
func TestFault764_OverACut(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	o.progress(1)
	o.progress(2)
	o.progress(3)
	o.cut(engine.EndNetwork)
	o.resume()
	o.progress(2)
	o.progress(3)
	o.wantWentBack(0, 0)
	o.event("other", coretest.Progress(o.id, 1))
	o.wantWentBack(1, 1)
}

// Fault 764: a run that follows another one counts from its own beginning: that is told as `restarted`,
// and not as progress that went back.
func TestFault764_ARunOfItsOwn(t *testing.T) {
	r := connected(t, mcp.Config{})
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Flags: journal.Idempotent})
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", coretest.Progress(o.id, 5))
	o.cut(engine.EndNetwork)
	x, _ := o.nextFetch(60_000)
	if x == 0 {
		o.fatal("it is not run again")
	}
	o.x, o.id = x, coretest.RequestID(o.Exchange(x).Request)
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", coretest.Progress(o.id, 1))
	if o.told(engine.EventResumed, `"restarted"`) != 1 {
		o.fatal("that it is run again is not told")
	}
	o.wantWentBack(0, 0)
}
