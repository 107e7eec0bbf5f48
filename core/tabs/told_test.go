package tabs_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// handedOver is the deletion of a call whose outcome an app was handed.
var handedOver = journal.Op{Kind: journal.OpForget, Call: 1, Flags: journal.OpOutcome(journal.GoneAcked, engine.OutcomeResult) | journal.OpEnded}

// outcomeOf is what the client of the tab that carried it remembers.
func outcomeOf(call uint64) []byte {
	return list(journal.Op{Kind: journal.OpForget, Call: call, N: 9, Flags: journal.OpOutcome(journal.GoneAcked, engine.OutcomeResult), Plain: []byte(`{}`)})
}

func (p *page) hears(kind tabs.InputKind, ops []byte) {
	p.m.Report(p.now, &tabs.Input{Kind: kind, Tab: "other", Ops: ops})
}

// gone is a page that follows call 1, knows "other", and finds the call gone.
func gone() *page {
	p := following()
	p.m.Hear(p.now, "other", true)
	p.took()
	p.m.Answer(p.now, 1, list(handedOver))
	return p
}

// Fault 790: a tab holds a call that is not stored any more, whose outcome an app was handed. It asks for
// that, once, and takes it once.
func TestFault790_AsksForTheOutcome(t *testing.T) {
	p := gone()
	p.expect(t, "gone", "ask 1")
	p.m.HearStored(p.now, "other", list(handedOver))
	p.m.HearStored(p.now, "other", list(row(1, 1, 2)))
	p.m.HearTaken(p.now, "other", head(1, 2, 1), nil)
	p.m.HearReleased(p.now, "other", 1)
	p.m.Missed(p.now, 1)
	p.m.Start(p.now)
	p.expect(t, "whatever else is said of it", "")
	p.hears(tabs.HearTold, outcomeOf(2))
	p.hears(tabs.HearTold, list(handedOver))
	p.expect(t, "of another one, and without the outcome", "")
	p.hears(tabs.HearTold, outcomeOf(1))
	p.expect(t, "told", "client: forget 1 1")
	p.hears(tabs.HearTold, outcomeOf(1))
	p.expect(t, "told once more", "")
}

// Fault 790: nothing ends by what another tab says unasked.
func TestFault790_NotUnasked(t *testing.T) {
	p := following()
	p.hears(tabs.HearTold, outcomeOf(1))
	p.expect(t, "followed", "")
	p = carrying()
	p.hears(tabs.HearTold, outcomeOf(1))
	p.expect(t, "carried", "watch other")
}

// Fault 790: who carried it is gone, or takes nothing for 5 s: then the app is told what has become of the call. The
// page asks once more when it has slept.
func TestFault790_NobodyTells(t *testing.T) {
	p := gone()
	p.took()
	p.now = p.now.After(4_999)
	p.m.Advance(p.now)
	p.expect(t, "not yet", "")
	p.now = p.now.After(1)
	p.m.Advance(p.now)
	p.expect(t, "in vain", "client: forget 1 1")

	p = gone()
	p.took()
	p.m.Rest()
	p.now = p.now.After(60_000)
	p.m.Wake(p.now)
	p.expect(t, "awake", "ask 1, awake")
	p.now = p.now.After(5_000)
	p.m.Advance(p.now)
	p.expect(t, "in vain again", "client: forget 1 1")

	p = newPage()
	p.m.Load(p.now, read(1, 1, "", 1))
	p.standing[1] = tabs.Stuck
	p.m.Missed(p.now, 1)
	p.m.Answer(p.now, 1, list(handedOver))
	p.expect(t, "nobody there", "client: forget 1 1, read 1")
}

// Fault 790: a page has carried the call, slept, and another tab has carried it to its end. Its client lets go of it
// before the page goes on.
func TestFault790_CarriedBeforeItSlept(t *testing.T) {
	p := carrying()
	p.m.Hear(p.now, "other", true)
	p.took()
	p.m.Wake(p.now)
	p.expect(t, "awake", "read 1")
	p.m.Answer(p.now, 1, list(handedOver))
	p.expect(t, "gone", "client: call 1/2, broadcast [4 1/0/0], ask 1, awake")
	if p.m.Carries(1) {
		t.Error("it is carried still")
	}
	p.hears(tabs.HearTold, outcomeOf(1))
	p.expect(t, "told", "client: forget 1 1")
}

// Fault 790: a page comes back from the back/forward cache, and the browser has it wake before it is shown: it knows of no
// other tab by then, and asks once it does; at once it hears what has become of the call where there is none.
func TestFault790_WakesBeforeItIsShown(t *testing.T) {
	for _, alone := range []bool{false, true} {
		p := carrying()
		p.m.Hear(p.now, "other", true)
		p.m.Rest()
		p.m.Hide()
		p.took()
		p.m.Wake(p.now)
		p.m.Answer(p.now, 1, list(handedOver))
		p.expect(t, "awake", "client: call 1/2, read 1, broadcast [4 1/0/0], ask 1, awake")
		if !alone {
			p.m.Living(p.now, "other")
		}
		p.m.Show(p.now)
		if alone {
			p.expect(t, "nobody is there", "client: forget 1 1")
			continue
		}
		p.expect(t, "shown", "watch other, ask 1")
		p.hears(tabs.HearTold, outcomeOf(1))
		p.expect(t, "told", "client: forget 1 1")
	}
}

// Fault 790: rows that were heard while the call was read, which found it gone, are what nobody has to be asked for.
func TestFault790_RowsHeardMeanwhile(t *testing.T) {
	p := following()
	p.m.Hear(p.now, "other", true)
	p.took()
	p.m.HearStored(p.now, "other", list(row(1, 1, 2)))
	p.standing[1] = tabs.Ended // the client makes of that row
	p.m.HearStored(p.now, "other", list(handedOver))
	p.m.Answer(p.now, 1, list(handedOver))
	p.expect(t, "gone", "client: row 1/1/2, client: forget 1 1, client: forget 1 1")
}

// Fault 790: who carried it tells what its client remembers; nothing behind a logout, on either side.
func TestFault790_Tells(t *testing.T) {
	p := carrying()
	p.remembered = map[uint64][]byte{1: outcomeOf(1)}
	p.hears(tabs.HearAsked, list(head(1, 0, 0)))
	p.expect(t, "asked", "watch other, tell [4 1/0/9]")
	p.hears(tabs.HearAsked, list(head(2, 0, 0)))
	p.hears(tabs.HearAsked, nil)
	p.expect(t, "for what it does not know", "")
	p.m.Part(p.now)
	p.hears(tabs.HearAsked, list(head(1, 0, 0)))
	p.expect(t, "behind a logout", "watch other")

	p = gone()
	p.took()
	p.m.Part(p.now)
	p.expect(t, "a logout while it asks", "client: forget 1 1")
	p.hears(tabs.HearTold, outcomeOf(1))
	p.expect(t, "too late", "watch other")
}
