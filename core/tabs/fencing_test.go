package tabs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// following is a page that follows call 1, which another tab carries, and knows its first row.
func following() *page {
	p := newPage()
	p.m.Load(p.now, read(1, 1, "other", 1))
	p.standing[1] = tabs.Resumable
	p.took()
	return p
}

// secret is a row with what no other tab may hear of.
func secret(call uint64, epoch, n uint32) journal.Op {
	op := row(call, epoch, n)
	op.Secret = []byte("secret")
	return op
}

// TestOwned is the transition table of doc.go, as far as a call is this tab's.
func TestOwned(t *testing.T) {
	for _, test := range []struct {
		name    string
		do      func(p *page)
		want    string
		carries bool
	}{
		{"a late row of its own epoch", func(p *page) { p.m.HearStored(p.now, "other", list(row(1, 2, 9))) },
			"watch other", true},
		{"a row of an older epoch", func(p *page) { p.m.HearStored(p.now, "other", list(row(1, 1, 9))) },
			"watch other", true},
		{"a row of a higher epoch", func(p *page) { p.m.HearStored(p.now, "other", list(row(1, 3, 1))) },
			"watch other, read 1", false},
		{"taken, with its own epoch", func(p *page) { p.m.HearTaken(p.now, "other", head(1, 2, 0), nil) },
			"watch other", true},
		{"taken, with a higher epoch", func(p *page) { p.m.HearTaken(p.now, "other", head(1, 3, 0), nil) },
			"watch other, read 1", false},
		{"another tab's head", func(p *page) { p.m.HearStored(p.now, "other", list(head(1, 1, 0))) },
			"watch other", true},
		{"released by one that had it", func(p *page) { p.m.HearReleased(p.now, "other", 1) }, "watch other",
			true},
		{"another tab is gone", func(p *page) { p.m.Gone(p.now, "other") }, "", true},
		{"its deletion", func(p *page) {
			p.m.Committing(p.now, 7,
				list(journal.Op{Kind: journal.OpForget, Call: 1, Flags: journal.OpOwned}))
			p.m.Stored(p.now, 7, journal.ResultOK, 0)
		}, "client: stored 7 1", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPage()
			p.m.Load(p.now, read(1, 2, "this", 0))
			p.standing[1] = tabs.Resumable
			p.took()
			test.do(p)
			p.expect(t, "it", test.want)
			if p.m.Carries(1) != test.carries {
				t.Errorf("the tab carries it: %v", !test.carries)
			}
		})
	}
}

// Two tabs try to take a call over. The one that was first says so, and dies, before the
// other hears from the store that it was too late: nobody else looks for its end.
func TestFault177_WinnerDiesDuringTheOthersTry(t *testing.T) {
	p := following()
	p.m.Gone(p.now, "other")
	p.expect(t, "its tab is gone", "take over 1")
	p.m.HearTaken(p.now, "winner", head(1, 2, 1), nil)
	p.expect(t, "another one was first", "client: epoch 1/2, watch winner")
	p.m.Gone(p.now, "winner")
	p.expect(t, "it is gone, too", "")
	p.m.Answer(p.now, 1, nil)
	p.expect(t, "too late: who has it is watched again", "watch winner")
	p.m.Gone(p.now, "winner")
	p.expect(t, "and taken over from", "take over 1")
	p.m.Answer(p.now, 2, read(1, 3, "this", 0))
	if p.expect(t, "taken", "client: call 1/3, taken 1"); !p.m.Carries(1) {
		t.Error("nobody carries it")
	}
}

// A takeover names the epoch that it knows; the store gives the call to nobody else.
func TestTakeOverNamesTheEpoch(t *testing.T) {
	p := following()
	p.m.HearTaken(p.now, "third", head(1, 2, 1), nil)
	p.took()
	p.m.Gone(p.now, "third")
	if e := p.m.Next(); e == nil || e.Kind != tabs.TakeOver || e.Epoch != 2 {
		t.Fatalf("%+v", e)
	}
}

// Whoever takes a call over says what the one before had stored and not broadcast, and no secrets.
func TestTakenWithTheLastRows(t *testing.T) {
	p := following()
	p.m.Gone(p.now, "other")
	p.took()
	log := list(row(1, 1, 1), secret(1, 1, 2), secret(1, 1, 3))
	p.m.Answer(p.now, 1, slices.Concat(read(1, 2, "this", 0), log))
	p.expect(t, "taken", "client: call 1/2, client: row 1/1/1, client: row 1/1/2, client: row 1/1/3, taken "+
		"1 [3 1/1/2] [3 1/1/3]")
}

// A page takes calls over while it loads: those that follow them hear of that.
func TestTakenWhileItLoaded(t *testing.T) {
	p := newPage()
	p.m.Living(p.now, "other")
	p.m.Load(p.now, slices.Concat(read(1, 2, "this", 0), read(2, 1, "other", 0)))
	p.expect(t, "loaded", "watch other, taken 1")
}

// A commit finds that its call is another tab's, of which a read is under way, and that
// tab ends: the commit is reported when the takeover is over, as it would be after the read.
func TestCommitIsReportedAfterATakeover(t *testing.T) {
	p := following()
	p.m.Committing(p.now, 7, list(row(1, 1, 1)))
	p.m.HearStored(p.now, "other", list(row(1, 1, 3)))
	p.expect(t, "a row was missed", "read 1")
	p.m.Fenced(p.now, 7, list(head(1, 0, 0)))
	p.m.Stored(p.now, 7, journal.ResultOK, 0)
	p.m.Gone(p.now, "other")
	p.expect(t, "its tab is gone", "take over 1")
	p.m.Answer(p.now, 2, read(1, 2, "this", 0))
	p.expect(t, "taken over", "client: call 1/2, taken 1, read 1")
	p.m.Answer(p.now, 3, read(1, 2, "this", 0))
	p.expect(t, "and known", "client: stored 7 1")
}

// Fault 418: a commit finds that its call is another tab's, and reads whose. Meanwhile that tab says
// that it has it, so that what is being read may be older than that, and dies. The commit is
// reported when the client knows that the call has changed hands, and not with the older read:
// it would let the request leave, which the one that takes the call over sends as well.
func TestFault418_ReadAgainWhileACommitWaits(t *testing.T) {
	for _, dies := range []bool{false, true} {
		p := carrying()
		p.m.Committing(p.now, 7, list(row(1, 1, 1)))
		p.m.Fenced(p.now, 7, list(head(1, 0, 0)))
		p.m.Stored(p.now, 7, journal.ResultOK, 0)
		p.expect(t, "fenced", "read 1")
		p.m.HearTaken(p.now, "other", head(1, 2, 0), nil)
		p.expect(t, "taken", "watch other, read 1")
		if dies {
			p.m.Gone(p.now, "other")
			p.took()
		}
		p.m.Answer(p.now, 1, read(1, 1, "this", 0)) // as it was before
		p.expect(t, "the older read", "")
		if dies {
			p.m.Answer(p.now, 3, nil)
			p.took()
		}
		p.m.Answer(p.now, 2, read(1, 2, "other", 0))
		if got := p.took(); !strings.HasPrefix(got, "client: call 1/2, client: stored 7 1") {
			t.Errorf("it dies: %v: the newer read: %s", dies, got)
		}
	}
}

// Fault 419: a tab is frozen after it has stored a new call, and before it hears that it has. Another one
// finds the call in the store, carries it to its end and deletes it. Awake again, and once it knows that,
// the first one does not tell of the call as of a new one: it would be in all tabs, and never end.
func TestFault419_StoredAndHandedOver(t *testing.T) {
	p := newPage()
	p.m.Living(p.now, "other")
	p.took()
	p.m.Committing(p.now, 7, list(head(1, 1, 0), row(1, 1, 1), head(2, 1, 0)))
	p.m.HearTaken(p.now, "other", head(1, 2, 1), nil)
	p.expect(t, "taken", "read 1")
	p.m.Stored(p.now, 7, journal.ResultOK, 0)
	p.expect(t, "stored", "client: stored 7 1, broadcast [2 2/1/0]")
}

// A call with a key is not added where another tab has a call with that key: then this
// tab carries nothing, and follows the other call.
func TestLostKey(t *testing.T) {
	p := newPage()
	key := journal.Op{Kind: journal.OpKey, Call: 2, Plain: []byte("key")}
	p.m.Committing(p.now, 7, list(head(2, 1, 0), key))
	p.m.Fenced(p.now, 7, slices.Concat(list(journal.Op{Kind: journal.OpKey, Call: 2}),
		read(1, 1, "other", 0)))
	p.m.Stored(p.now, 7, journal.ResultOK, 0)
	p.expect(t, "lost", "client: lost key 2, client: call 1/1, client: stored 7 1, watch other")
	if p.m.Carries(2) || p.m.Carries(1) || !p.m.Follows(1) {
		t.Error("the call that was not added is carried, or the other one not followed")
	}
	p.m.Gone(p.now, "other")
	p.expect(t, "its tab is gone", "take over 1")
}

// Where no other tab is known one may be there all the same that follows a call by its
// key. Nobody hears of secrets.
func TestBroadcast(t *testing.T) {
	p := newPage()
	key := journal.Op{Kind: journal.OpKey, Call: 2, Plain: []byte("key")}
	p.m.Committing(p.now, 7, list(head(1, 1, 0), secret(1, 1, 1), head(2, 1, 0), key, secret(2, 1, 1)))
	p.m.Stored(p.now, 7, journal.ResultOK, 0)
	p.expect(t, "alone", "client: stored 7 1, broadcast [2 2/1/0] [3 2/1/1]")
	p.m.Living(p.now, "other")
	p.m.Committing(p.now, 8, list(secret(1, 1, 2), journal.AckRow(1, 1)))
	p.m.Stored(p.now, 8, journal.ResultOK, 0)
	p.expect(t, "with another tab", "client: stored 8 1, watch other, broadcast [3 1/1/2]")
}

// A page slept while another tab took its call over, ended it and acknowledged it. The log
// is gone; by the seal the client knows whether the rows that it has are all.
func TestHanded(t *testing.T) {
	p := carrying()
	p.m.HearTaken(p.now, "other", head(1, 2, 5), nil)
	p.expect(t, "taken", "watch other, read 1")
	end := journal.Op{Kind: journal.OpForget, Call: 1}
	p.m.HearStored(p.now, "other", list(end))
	p.m.Answer(p.now, 1, list(end))
	p.expect(t, "gone", "client: call 1/2, client: forget 1 0, broadcast [4 1/0/0]")
}

// What has ended needs no tab: it is neither read when its tab is heard of, nor watched.
func TestEndedNeedsNobody(t *testing.T) {
	p := newPage()
	op := head(1, 1, 0)
	op.Flags, op.Secret = journal.OpEnded, []byte("other")
	p.m.Load(p.now, list(op))
	p.expect(t, "loaded", "")
	p.m.Hear(p.now, "other", true)
	p.expect(t, "its tab is heard of", "watch other")
	p.m.Gone(p.now, "other")
	p.expect(t, "and ends", "")
	if _, timed := p.m.Deadline(); timed || p.m.Following() != 0 {
		t.Error("it is looked after")
	}
}

// A tab reads that another one has a call, which that one does not know itself yet: its
// client hears once more that the call was taken over when that tab says so.
func TestFault179_TakenOverIsHeardAfterItWasRead(t *testing.T) {
	p := following()
	p.m.Gone(p.now, "other")
	p.m.Answer(p.now, 1, nil)
	p.expect(t, "another one was first", "take over 1, read 1")
	p.m.Answer(p.now, 2, read(1, 2, "winner", 0))
	p.expect(t, "it has it", "client: call 1/2, watch winner")
	p.m.HearTaken(p.now, "winner", head(1, 2, 1), nil)
	p.expect(t, "it says so", "client: epoch 1/2")
	p.m.HearTaken(p.now, "late", head(1, 1, 0), nil)
	p.expect(t, "one before it", "watch late")
}
