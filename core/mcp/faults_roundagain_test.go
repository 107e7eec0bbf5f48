package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// wantSameStored lets the store fail and work again, and checks that the record says the
// same as before.
func (o *onTask) wantSameStored() {
	o.t.Helper()
	o.store()
	before := knownOf(o.Store.Record(o.Store.Calls()[0]))
	o.storedAgain()
	for i, after := range knownOf(o.Store.Record(o.Store.Calls()[0])) {
		if after != before[i] {
			o.fatal("stored was\n%s, and is, written again,\n%s", before[i], after)
		}
	}
}

// waitsForToken replaces the page by one whose provider has not answered yet.
func (o *onTask) waitsForToken() *onTask {
	o.t.Helper()
	o = o.reloads()
	o.wantTold(engine.EventInput, "", 0)
	return o
}

// Fault 475: a person has answered what a call asks for, and its record is written again
// before that is over. The next page has the answer, and asks nobody.
func TestFault475_AnsweredAndStoredAgain(t *testing.T) {
	for name, test := range map[string]struct {
		flags journal.Flags
		begin func(o *onTask) *onTask
	}{
		"under way, and it may run twice": {journal.Idempotent, func(o *onTask) *onTask { return o }},
		"refused for want of a token": {0, func(o *onTask) *onTask {
			o.Head(o.waits("tools/call"), 401)
			o.store()
			return o
		}},
		"refused, and nobody has gone on with it": {0, func(o *onTask) *onTask {
			o.Head(o.waits("tools/call"), 401)
			o.store()
			return o.waitsForToken()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := test.begin(answered(t, test.flags))
			for range 2 {
				o.wantSameStored()
			}
			o.next().wantAnswerSent()
		})
	}
}

// Fault 475: the same where the answer is stored, and was on its way: nobody has sent it.
func TestFault475_AnsweredAndNotSent(t *testing.T) {
	o := inARound(t, 0)
	o.answers(roundAnswer)
	o.Stored(journal.ResultOK, 0)
	o = o.waitsForToken()
	o.wantSameStored()
	o = o.waitsForToken()
	o.Advance(hour) // it has left long ago: this is no call that was never sent
	o.wantPending()
	o.token("t1")
	o.wantAnswerSent()
}

// Fault 475: what a call asks for, and nobody has answered, is asked by the next page,
// however long that waits for a token.
func TestFault475_AskedAndNobodyThere(t *testing.T) {
	o := inARound(t, 0).waitsForToken()
	o.wantSameStored()
	o = o.waitsForToken()
	o.Advance(hour)
	o.wantPending()
	o.token("t1")
	o.wantTold(engine.EventInput, `"name"`, 1)
}

// Fault 475: a call that was refused waits for a sign-in, and its record is written again,
// by this page or by one that has not gone on with it. It waits as long in the next one.
func TestFault475_RefusedAndStoredAgain(t *testing.T) {
	for _, reloads := range []bool{false, true} {
		cfg := modernDisk
		cfg.HasTokenProvider, cfg.SignIn = true, true
		r := newRig(t, cfg)
		r.Start()
		r.token("t1")
		r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
		o := r.tool(mcp.CallOptions{})
		o.Head(o.x, 401)
		o.store()
		if reloads {
			o = o.waitsForToken()
		}
		o.wantSameStored()
		o = o.waitsForToken()
		o.Advance(hour)
		o.wantPending()
		o.token("t1")
		if x, _ := o.asked("tools/call", 0); x == 0 {
			o.fatal("it is not sent")
		}
	}
}

// Fault 475: the record is written again while the answer to requests/resume, a body of
// JSON, is being read. The place in the stream is written with it.
func TestFault475_StoredAgainInTheAnswerToAResume(t *testing.T) {
	o := connected(t, withDisk).resumable("", durably)
	o.progress(1)
	o.store()
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.Head(o.x, 200, "content-type", coretest.JSON)
	o.storeIsBack()
	o.store()
	o = o.reload(0, 0)
	o.resumePost(`"tok"`, hour)
	if cursor, _ := o.field(o.x, "Last-Event-ID"); cursor != "e1" {
		o.fatal("resumed from %q", cursor)
	}
}
