package tabs_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// What is read, or told, late: it says how a call stood before what this tab knows by then.

// Fault 469: a tab reads a call of one that is silent. Before that is answered, the other one stores the
// outcome, and tells nobody: it has not heard of this tab. Then it has. What is being read may be
// older than that, so that it is read once more: nobody would tell of the outcome any more.
func TestFault469_ReadBeforeItsTabKnewOfThisOne(t *testing.T) {
	p := following()
	p.standing[1] = tabs.Stuck
	p.m.HearFrozen(p.now, "other")
	p.expect(t, "silent", "read 1")
	p.m.Hear(p.now, "other", true)
	p.expect(t, "it knows of this tab from now on", "read 1")
	p.m.Answer(p.now, 1, read(1, 1, "other", 1))
	p.expect(t, "as it was before", "")
	p.m.Answer(p.now, 2, read(1, 1, "other", 2))
	p.expect(t, "as it is", "client: call 1/1, client: row 1/1/1, client: row 1/1/2")
}

// Fault 469: the same where a page wakes, is shown again, or could not keep all that it heard.
func TestFault469_ReadBeforeThePageSlept(t *testing.T) {
	for name, wakes := range map[string]func(p *page){
		"shown":  func(p *page) { p.m.Show(p.now) },
		"missed": func(p *page) { p.m.Missed(p.now, 1) },
	} {
		p := following()
		p.m.HearStored(p.now, "other", list(row(1, 1, 3)))
		p.expect(t, "a row was missed", "read 1")
		wakes(p)
		p.expect(t, name, "read 1")
		p.m.Answer(p.now, 1, read(1, 1, "other", 3))
		p.expect(t, "as it was before", "")
		p.m.Answer(p.now, 2, read(1, 1, "other", 4))
		p.expect(t, "as it is",
			"client: call 1/1, client: row 1/1/1, client: row 1/1/2, client: row 1/1/3, client: row 1/1/4")
	}

	p := carrying()
	p.m.Fenced(p.now, 7, list(head(1, 0, 0)))
	p.expect(t, "fenced", "read 1")
	p.m.Wake(p.now)
	p.expect(t, "wakes", "read 1")
	p.m.Answer(p.now, 1, read(1, 1, "this", 0))
	p.expect(t, "as it was before", "")
	p.m.Answer(p.now, 2, read(1, 2, "other", 0))
	p.expect(t, "as it is", "client: call 1/2, awake, watch other")
}

// Fault 471: an app has had the outcome of a call, and is done with it, before either is stored. The page
// sleeps, and another one takes the call over, ends and deletes it. The client, which has done with the
// call, gets no seal for a log that it has not: it would take that for a damaged record.
func TestFault471_HandedAndDoneWith(t *testing.T) {
	p := carrying()
	p.standing[1] = tabs.Unknown
	p.m.HearTaken(p.now, "other", head(1, 2, 5), nil)
	p.took()
	p.m.Answer(p.now, 1, list(journal.Op{Kind: journal.OpForget, Call: 1}))
	p.expect(t, "gone", "client: forget 1 0, broadcast [4 1/0/0]")
	if p.m.Follows(1) {
		t.Error("it is followed still")
	}
}

// Fault 473: a call is made and deleted in one commit. The others hear of both: they would follow it until
// this tab is gone.
func TestFault473_MadeAndDeletedInOneCommit(t *testing.T) {
	p := newPage()
	p.m.Living(p.now, "other")
	p.took()
	p.m.Committing(p.now, 7, list(head(1, 1, 0), row(1, 1, 1), journal.Op{Kind: journal.OpForget, Call: 1}))
	p.m.Stored(p.now, 7, journal.ResultOK, 0)
	p.expect(t, "stored", "client: stored 7 1, broadcast [2 1/1/0] [3 1/1/1] [4 1/0/0]")
	if p.m.Carries(1) {
		t.Error("it is carried still")
	}
}

// Fault 473: a tab tells of a new call late, when another one has found it in the store, carried it to its
// end and deleted it. It is there again in all that had forgotten it, until the first one hears that it
// is deleted, and says so after what it said before.
func TestFault473_ToldAfterItWasDeleted(t *testing.T) {
	forget := list(journal.Op{Kind: journal.OpForget, Call: 1,
		Flags: journal.OpOutcome(0, engine.OutcomeResult)})
	p := carrying()
	p.m.HearTaken(p.now, "other", head(1, 2, 0), nil)
	p.took()
	p.m.Answer(p.now, 1, forget)
	p.expect(t, "found", "client: call 1/2, broadcast [4 1/0/0]")

	p = carrying()
	p.m.HearStored(p.now, "other", forget)
	p.expect(t, "heard", "client: forget 1 1, watch other, broadcast [4 1/0/0]")
	p.m.HearStored(p.now, "other", forget)
	p.expect(t, "heard again", "client: forget 1 1")

	p = following()
	p.m.HearStored(p.now, "other", forget)
	p.expect(t, "of another tab's", "client: forget 1 1")
}

// Fault 474: a commit finds that its call is another tab's, and the store cannot be read then. The commit is
// reported once it can: the client would let a request leave that the other tab sends as well.
func TestFault474_CommitWaitsForAReadThatFailed(t *testing.T) {
	for _, told := range []bool{false, true} {
		p := carrying()
		ticket := uint32(1)
		if told {
			p.m.HearTaken(p.now, "other", head(1, 2, 0), nil)
			p.expect(t, "taken", "watch other, read 1")
			p.m.Answer(p.now, ticket, nil)
			p.expect(t, "failed", "")
			ticket++
		}
		p.m.Fenced(p.now, 7, list(head(1, 0, 0)))
		p.m.Stored(p.now, 7, journal.ResultOK, 0)
		p.expect(t, "fenced", "read 1")
		p.m.Answer(p.now, ticket, nil)
		p.expect(t, "it cannot be read", "read 1")
		ticket++
		p.m.Answer(p.now, ticket, nil)
		p.expect(t, "nor once more", "")
		p.now = p.now.After(2_000)
		p.m.Advance(p.now)
		if told {
			p.expect(t, "again", "ping other, read 1")
		} else {
			p.expect(t, "again", "read 1")
		}
		p.m.Answer(p.now, ticket+1, read(1, 2, "other", 0))
		want := "client: call 1/2, client: stored 7 1"
		if !told {
			want += ", watch other"
		}
		p.expect(t, "it can", want)
	}
}

// Fault 569: the store refuses a takeover, as where there is no room, and can be read: nobody else has the
// call, whose tab is gone, or that nobody has. It is tried again after a while, and not in a loop.
func TestFault569_StoreThatRefusesATakeover(t *testing.T) {
	const known = "client: call 1/1, client: row 1/1/1"
	for owner, watches := range map[string]string{"other": ", watch other", "": ""} {
		p := newPage()
		p.m.Load(p.now, read(1, 1, owner, 1))
		p.standing[1] = tabs.Resumable
		p.m.Start(p.now)
		p.took()
		p.m.Gone(p.now, "other")
		for ticket := uint32(1); ticket < 9; ticket += 3 {
			if owner == "other" && ticket == 1 {
				p.expect(t, "gone", "take over 1")
			}
			p.m.Answer(p.now, ticket, nil)
			p.expect(t, "refused", "read 1")
			p.m.Answer(p.now, ticket+1, read(1, 1, owner, 1))
			p.m.Gone(p.now, "other")
			p.expect(t, "not at once", known+watches)
			p.now = p.now.After(2_000)
			p.m.Advance(p.now)
			p.expect(t, "after a while", "read 1")
			p.m.Answer(p.now, ticket+2, read(1, 1, owner, 1))
			p.m.Gone(p.now, "other")
			p.expect(t, "once more", known+", "+strings.TrimPrefix(watches+", take over 1", ", "))
		}
	}
}

// Fault 614: the store fails a deletion whose end nobody waited for. The client hears of it, and the
// others do not hear that the call is gone.
func TestFault614_DeletionThatNobodyWaitsForFails(t *testing.T) {
	for _, stored := range []bool{true, false} {
		p := newPage()
		p.m.Load(p.now, read(1, 1, "", 1))
		p.m.Report(p.now, &tabs.Input{Kind: tabs.Living, Tab: "other"})
		p.took()
		ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Call: 1})
		if !p.m.Committing(p.now, 1, ops) {
			t.Fatal("it is waited for")
		}
		p.m.Stored(p.now, 1, journal.ResultOK, 0)
		p.expect(t, "counts as stored", "client: stored 1 1")
		p.m.Landed(p.now, 1, stored)
		want := "client: missed 1"
		if stored {
			want = "client: forget 1 0, broadcast [4 1/0/0]"
		}
		p.expect(t, "its end", want)
		p.m.Landed(p.now, 1, stored)
		p.expect(t, "once", "")
	}
}
