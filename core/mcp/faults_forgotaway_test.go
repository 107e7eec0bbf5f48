package mcp_test

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 490: a call ends while the store is away, or hangs, and its app has done with it;
// or the store fails for the commit that deletes it. Once the store works again the call is
// deleted: no later page resumes, runs or tells of it.
func TestFault490_DoneWhileTheStoreIsAway(t *testing.T) {
	acks := map[string]func(m *mcp.Client, now engine.Time, c engine.CallID){
		"handed": (*mcp.Client).Handed,
		"acked":  func(m *mcp.Client, now engine.Time, c engine.CallID) { m.Ack(now, c, 0, 7) },
	}
	for name, ack := range acks {
		for _, how := range []string{"the store hangs", "it hangs for the outcome", "it fails",
			"it fails for the deletion"} {
			t.Run(name+", "+how, func(t *testing.T) {
				r := connected(t, withDisk)
				c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
				r.store()
				o := &onStream{rig: r, c: c, x: r.Newest(),
					id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
				o.Head(o.x, 200, "content-type", coretest.Stream)
				o.progress(1)
				o.store()
				o.progress(2)
				switch how {
				case "the store hangs":
					o.Advance(durable.CommitWithin)
				case "it fails":
					o.Stored(journal.ResultFailed, durable.ReasonFailed)
					o.audit()
				}
				o.result("e3")
				switch how {
				case "it hangs for the outcome":
					o.Stored(journal.ResultOK, 0)
					o.audit()
					o.Advance(durable.CommitWithin)
				case "it fails for the deletion":
					o.store()
				}
				o.wantResult()
				o.World.Input("done", func(m *mcp.Client, now engine.Time) { ack(m, now, c) })
				switch how {
				case "it fails for the deletion":
					o.World.Stored(journal.ResultFailed, durable.ReasonFailed)
					fallthrough
				case "it fails":
					o.World.Input("back",
						func(m *mcp.Client, now engine.Time) { m.Stored(now, 0, journal.ResultOK, 0) })
				default:
					late := o.Store.Land()
					o.World.Input("late",
						func(m *mcp.Client, now engine.Time) { m.Stored(now, late, journal.ResultOK, 0) })
				}
				for o.Store.Flying() != 0 {
					o.World.Stored(journal.ResultOK, 0)
				}
				if calls := o.Store.Calls(); len(calls) != 0 {
					o.fatal("stored are %v", calls)
				}
			})
		}
	}
}

// Fault 614: the store fails a deletion that counts as stored, since nobody waited for it. It is made once
// more.
func TestFault614_DeletionThatNobodyWaitedForFails(t *testing.T) {
	r := connected(t, withDisk)
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	r.store()
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.result("e1")
	o.store()
	o.wantResult()
	call := o.Store.Calls()[0]
	missed := journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Call: call})
	o.World.Input("failed", func(m *mcp.Client, now engine.Time) { m.Missed(now, missed) })
	for o.Store.Flying() != 0 {
		o.World.Stored(journal.ResultOK, 0)
	}
	if calls := o.Store.Calls(); len(calls) != 0 {
		o.fatal("stored are %v", calls)
	}
}

// Fault 578: the same, and the page is left before the commit under way is over, behind which it is to be
// made once more. It is made beside that one. What is only written again is not deleted there.
func TestFault578_PageIsLeftBeforeADeletionIsMadeAgain(t *testing.T) {
	s := newSolo(t, mcp.CallOptions{Connected: true})
	s.land()
	s.answer()
	call := s.Store.Calls()[0]
	s.pass(100)
	s.land()
	s.handed()
	s.pass(1_000)
	fails := s.Store.Flying() // as a host says at once that it is stored, since nobody waits for it
	s.Store.Drop()
	s.do("stored", func(m *mcp.Client, now engine.Time) {
		m.Stored(now, fails, journal.ResultOK, 0)
	})
	s.make(mcp.CallOptions{Connected: true})
	if s.Store.Flying() == 0 || !slices.Contains(s.Store.Calls(), call) {
		t.Fatalf("no commit is under way, or the deletion has not failed\n%s", s.Log())
	}
	missed := journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Call: call})
	s.do("missed", func(m *mcp.Client, now engine.Time) { m.Missed(now, missed) })
	s.hide()
	if calls := s.Store.Calls(); slices.Contains(calls, call) {
		t.Fatalf("stored are %v\n%s", calls, s.Log())
	}
}

// Fault 642: a client is closed while what its store had lost sight of is being written again. The call under
// way stays stored, for the next page: only what its app was done with meanwhile is deleted beside that
// commit.
func TestFault642_ClosedWhileACallIsWrittenAgain(t *testing.T) {
	for name, leave := range map[string]func(s solo){
		"closed": func(s solo) { s.do("close", (*mcp.Client).Close) },
		"left":   solo.hide,
	} {
		s := newSolo(t, mcp.CallOptions{Connected: true})
		s.land()
		s.answer()
		s.pass(100)
		s.land()
		done := s.call
		s.make(mcp.CallOptions{Connected: true})
		s.land()
		stored := s.Store.Calls()
		s.do("lost", func(m *mcp.Client, now engine.Time) {
			m.StoreGone(now, durable.ReasonLost)
			m.Handed(now, done)
		})
		s.do("back", func(m *mcp.Client, now engine.Time) { m.Stored(now, 0, journal.ResultOK, 0) })
		if s.Store.Flying() == 0 || len(stored) != 2 || !slices.Equal(s.Store.Calls(), stored) {
			t.Fatalf("%s: nothing is written again, or stored are %v\n%s", name, stored, s.Log())
		}
		leave(s)
		if got := s.Store.Calls(); !slices.Equal(got, stored[1:]) {
			t.Errorf("%s: stored are %v, want %v\n%s", name, got, stored[1:], s.Log())
		}
	}
}
