package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// handles returns the handles under which a call's questions were handed to the app.
func (o *onStream) handles() (list []uint32) {
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventRequest {
			list = append(list, e.Position)
		}
	}
	return list
}

// takesBack has the server cancel the question with id 1, on the call's own stream or on the GET stream, as
// event id. The host, which has heard it, says that nobody answers any more.
func (o *onStream) takesBack(x engine.ExchangeID, id string) {
	o.t.Helper()
	o.Chunk(x,
		coretest.Message(id,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,`+
				`"reason":"too late"}}`))
	told := slices.ContainsFunc(o.Effects, func(e engine.Effect) bool {
		return e.Kind == engine.Deliver && e.C == 0 && e.Event == engine.EventNotification
	})
	if !told {
		o.fatal("the host does not hear that the question is cancelled")
	}
	handles := o.handles()
	o.input("respond",
		func(m *mcp.Client, now engine.Time) { m.Respond(now, handles[len(handles)-1], false, nil) })
	o.store()
}

// Fault 582: a server cancels what it has asked, on the call's own stream or on another one. It gets no
// answer (2025-11-25 basic/utilities/cancellation), no clock of the call's waits any more, and the
// next page asks nobody, not even where the stream brings the question once more.
func TestFault582_QuestionTakenBack(t *testing.T) {
	for _, own := range []bool{true, false} {
		cfg := askingDisk
		cfg.NoListen = false
		r := newRig(t, cfg).connectListening()
		get := r.Newest()
		r.store()
		o := r.onStreamAs(mcp.CallOptions{Timeouts: mcp.Timeouts{Idle: 60_000}})
		o.asks("e1", "who?")
		o.store()
		x := get
		if own {
			x = o.x
		}
		o.takesBack(x, fmt.Sprintf("c%v", own))
		o.agrees(o.handles()[0]) // whoever was asked did not see it
		o.store()
		if n := o.posted(`"id":1,`); n != 0 {
			o.fatal("%d answers to a question that was cancelled", n)
		}
		o.Advance(61_000)
		if !strings.Contains(o.lastStatus(), `"cut"`) && !strings.Contains(o.lastStatus(), "reconnecting") {
			o.fatal("nothing watches the stream: %s", o.lastStatus())
		}

		next := o.reload(1000, 0)
		next.store()
		next.resumeStarts()
		next.accept()
		next.asks("e2", "who?")
		next.store()
		if asked := next.handles(); len(asked) != 0 {
			next.fatal("the next page asks what was cancelled")
		}
		next.result("e3")
		next.store()
		next.wantResult()
	}
}
