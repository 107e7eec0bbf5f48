package durable

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// owner notes what its store has it do.
type owner struct{ did []string }

func (o *owner) InMemory(why Reason) { o.did = append(o.did, "in memory: "+why.String()) }
func (o *owner) WriteAgain()         { o.did = append(o.did, "write again") }

// TestStatesOfAStore walks the table: in each state, what each change makes of it, and
// what its owner does. What was deleted never comes back.
func TestStatesOfAStore(t *testing.T) {
	for _, test := range []struct {
		from, to State
		change   change
		did      []string
	}{
		{StoreAway, StoreAway, storeFails, nil},
		{StoreAway, StoreClosed, storeDeleted, nil},
		{StoreAway, StoreOpen, storeReturns, []string{"write again"}},
		{StoreOpen, StoreAway, storeFails, []string{"in memory: quota"}},
		{StoreOpen, StoreClosed, storeDeleted, []string{"in memory: closed"}},
		{StoreOpen, StoreOpen, storeReturns, []string{"write again"}},
		{StoreClosed, StoreClosed, storeFails, nil},
		{StoreClosed, StoreClosed, storeDeleted, nil},
		{StoreClosed, StoreClosed, storeReturns, nil},
	} {
		w, o := NewWriter(false), &owner{}
		w.state = test.from
		switch test.change {
		case storeFails:
			w.Fail(1, ReasonQuota, o)
		case storeDeleted:
			w.Fail(1, ReasonClosed, o)
		case storeReturns:
			w.Return(o)
		}
		if w.state != test.to || !slices.Equal(o.did, test.did) {
			t.Errorf("state %d, change %d: state %d, the owner does %q", test.from, test.change, w.state,
				o.did)
		}
		if w.Open() != (test.to == StoreOpen) || w.Closed() != (test.to == StoreClosed) {
			t.Errorf("state %d, change %d: open %t, closed %t", test.from, test.change, w.Open(), w.Closed())
		}
	}
}

// A commit that is stored later than anybody has waited for it brings back a store that
// failed, and none that was closed.
func TestLateCommitReturns(t *testing.T) {
	for why, want := range map[Reason]CommitResult{ReasonTimeout: CommitLate, ReasonClosed: CommitIgnored} {
		w := NewWriter(true)
		w.Put(journal.Op{Kind: journal.OpServer})
		e, _ := w.Commit(1)
		w.Fail(engine.Time(1+CommitWithin), why, &owner{})
		if got := w.Stored(5_000, e.Ticket, journal.ResultOK); got != want {
			t.Errorf("%s: %d, want %d", why, got, want)
		}
	}
}

// TestReasonNames: each reason has a name of its own; what no build has said yet is
// anything else.
func TestReasonNames(t *testing.T) {
	names := make(map[string]bool)
	for r := ReasonMissing; r <= ReasonFailed; r++ {
		names[r.String()] = true
	}
	if len(names) != int(ReasonFailed) || names[""] {
		t.Errorf("the names are %v", names)
	}
	if got := (ReasonFailed + 1).String(); got != "failed" || Reason(0).String() != "" {
		t.Errorf("an unknown reason is %q", got)
	}
}
