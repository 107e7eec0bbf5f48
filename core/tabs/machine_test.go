package tabs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// page is a Machine of which the test is the host and the client. What it asks for and
// tells the client is written down, a line for each.
type page struct {
	m        *tabs.Machine
	now      engine.Time
	standing map[uint64]tabs.Standing
	// unread: the client cannot read what it is given.
	unread bool
	// tellsAlone: whether it is alone is written down as well.
	tellsAlone bool
	remembered map[uint64][]byte // what the client remembers
	said       []string
}

func newPage() *page {
	p := &page{now: 1_000, standing: map[uint64]tabs.Standing{}}
	p.m = tabs.New(tabs.Config{Tab: "this", Seed: 1}, p)
	return p
}

func (p *page) Restore(_ engine.Time, ops []byte) {
	for r := journal.ReadOps(ops); ; {
		op, ok := r.Next()
		if !ok {
			return
		}
		switch op.Kind {
		case journal.OpCall:
			p.said = append(p.said, fmt.Sprintf("client: call %d/%d", op.Call, op.Epoch))
			if p.unread {
				p.m.Quarantined(p.now, op.Call)
			} else if p.standing[op.Call] == tabs.Unknown {
				p.standing[op.Call] = tabs.Resumable
			}
		case journal.OpLog:
			p.said = append(p.said, fmt.Sprintf("client: row %d/%d/%d", op.Call, op.Epoch, op.N))
		case journal.OpForget:
			p.said = append(p.said, fmt.Sprintf("client: forget %d %d", op.Call, op.Flags.Outcome()))
		case journal.OpKey:
			p.said = append(p.said, fmt.Sprintf("client: lost key %d", op.Call))
		}
	}
}

func (p *page) Stored(_ engine.Time, ticket uint32, result journal.Result, _ durable.Reason) {
	p.said = append(p.said, fmt.Sprintf("client: stored %d %d", ticket, result))
}

func (p *page) Missed(_ engine.Time, ops []byte) {
	for r := journal.ReadOps(ops); ; {
		op, ok := r.Next()
		if !ok {
			return
		}
		p.said = append(p.said, fmt.Sprintf("client: missed %d", op.Call))
	}
}

func (p *page) TakenOver(_ engine.Time, call uint64, epoch uint32) {
	p.said = append(p.said, fmt.Sprintf("client: epoch %d/%d", call, epoch))
}

func (p *page) Alone(_ engine.Time, alone bool) {
	if p.tellsAlone {
		p.said = append(p.said, fmt.Sprintf("client: alone %t", alone))
	}
}

func (p *page) Remembered(_ engine.Time, call uint64) []byte { return p.remembered[call] }

func (p *page) Standing(call uint64) tabs.Standing { return p.standing[call] }

var kinds = map[tabs.Kind]string{
	tabs.Read: "read", tabs.TakeOver: "take over", tabs.Release: "release", tabs.Watch: "watch",
	tabs.Broadcast:        "broadcast",
	tabs.BroadcastSession: "session", tabs.BroadcastTaken: "taken", tabs.Ping: "ping", tabs.Awake: "awake",
	tabs.Ask: "ask", tabs.Tell: "tell",
}

// took returns what was said since the last time.
func (p *page) took() string {
	if p.m.IllegalTransitions() > 0 {
		p.said = append(p.said, "a state was entered that may not follow the one before")
	}
	for {
		e := p.m.Next()
		if e == nil {
			break
		}
		line := kinds[e.Kind]
		if e.Call != 0 {
			line += fmt.Sprintf(" %d", e.Call)
		}
		for _, ops := range [][]byte{e.Ops} {
			for r := journal.ReadOps(ops); ; {
				op, ok := r.Next()
				if !ok {
					break
				}
				line += fmt.Sprintf(" [%d %d/%d/%d]%s", op.Kind, op.Call, op.Epoch, op.N, op.Secret)
			}
		}
		p.said = append(p.said, strings.TrimSpace(line+" "+e.Tab))
	}
	said := strings.Join(p.said, ", ")
	p.said = nil
	return said
}

func (p *page) expect(t *testing.T, what, want string) {
	t.Helper()
	if got := p.took(); got != want {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// read is a call as the store reads it, with so many rows of its epoch.
func read(call uint64, epoch uint32, owner string, rows uint32) []byte {
	head := journal.Op{Kind: journal.OpCall, Call: call, Epoch: epoch, Secret: []byte(owner)}
	if owner == "this" {
		head.Flags = journal.OpOwned
	}
	b := journal.AppendOp(nil, head)
	for n := range rows {
		b = journal.AppendOp(b, row(call, epoch, n+1))
	}
	return b
}

func row(call uint64, epoch, n uint32) journal.Op {
	return journal.Op{Kind: journal.OpLog, Call: call, Epoch: epoch, N: n}
}

func list(ops ...journal.Op) (b []byte) {
	for _, op := range ops {
		b = journal.AppendOp(b, op)
	}
	return b
}

func head(call uint64, epoch, n uint32) journal.Op {
	return journal.Op{Kind: journal.OpCall, Call: call, Epoch: epoch, N: n}
}

// carrying is a page that carries call 1 under epoch 1.
func carrying() *page {
	p := newPage()
	p.m.Load(p.now, read(1, 1, "this", 0))
	p.standing[1] = tabs.Resumable
	p.m.Committing(p.now, 7, list(row(1, 1, 1)))
	p.took()
	return p
}

// A person answers in a tab that was frozen, in the instant in which it hears that
// another one has taken the call over: the commit of the answer finds that out, and must
// not count as stored before the client knows (faults 76 and 79).
func TestFault76_CommitWaitsUntilTheClientKnows(t *testing.T) {
	fenced := list(head(1, 0, 0))
	t.Run("who said it first", func(t *testing.T) {
		p := carrying()
		p.m.HearTaken(p.now, "other", head(1, 2, 0), nil)
		p.expect(t, "taken", "watch other, read 1")
		p.m.Fenced(p.now, 7, fenced)
		p.m.Stored(p.now, 7, journal.ResultOK, 0)
		p.expect(t, "before the read is over", "")
		p.m.Answer(p.now, 1, read(1, 2, "other", 0))
		p.expect(t, "after it", "client: call 1/2, client: stored 7 1")
	})
	t.Run("found by itself", func(t *testing.T) {
		p := carrying()
		p.m.Fenced(p.now, 7, fenced)
		p.m.Stored(p.now, 7, journal.ResultOK, 0)
		p.expect(t, "before", "read 1")
		p.m.Answer(p.now, 1, read(1, 2, "other", 0))
		p.expect(t, "after", "client: call 1/2, client: stored 7 1, watch other")
	})
	t.Run("a read had begun before it", func(t *testing.T) {
		p := carrying()
		p.m.Wake(p.now)
		p.m.Fenced(p.now, 7, fenced)
		p.m.Stored(p.now, 7, journal.ResultOK, 0)
		p.m.Answer(p.now, 1, read(1, 1, "this", 1)) // what it read then says nothing
		p.expect(t, "once", "read 1, awake, read 1")
		p.m.Answer(p.now, 2, read(1, 2, "other", 0))
		p.expect(t, "twice", "client: call 1/2, client: stored 7 1, watch other")
	})
}

// By the head alone the client would decide about what is under way as if nothing of it
// had been stored: an agent's prompt would have an unknown outcome.
func TestWrittenAgainComesWithItsRows(t *testing.T) {
	p := carrying()
	p.m.HearTaken(p.now, "other", head(1, 2, 0), nil) // the log is being read
	p.took()
	p.m.HearStored(p.now, "other", list(head(1, 2, 0), row(1, 2, 1), row(1, 2, 2)))
	p.expect(t, "written", "client: call 1/2, client: row 1/2/1, client: row 1/2/2")
	p.m.HearStored(p.now, "other", list(row(1, 2, 2), row(1, 2, 3)))
	p.expect(t, "nothing twice", "client: row 1/2/3")
	p.m.Answer(p.now, 1, read(1, 2, "other", 1))
	p.expect(t, "the read is void", "")
}

// A page may carry thousands of calls that have ended: its streams go on within 2 s of its
// thaw (fault 85) whatever it keeps.
func TestFault85_WakesByWhatIsUnderWay(t *testing.T) {
	p := newPage()
	for call := range uint64(5) {
		ops := journal.Op{Kind: journal.OpCall, Call: call + 1, Epoch: 1, Flags: journal.OpOwned}
		if call == 0 || call == 4 {
			ops.Flags |= journal.OpEnded
		}
		p.m.Load(p.now, list(ops))
	}
	p.m.Wake(p.now)
	p.expect(t, "at once", "read 2, read 3, read 4, read 1")
	for ticket := range uint32(3) {
		p.m.Answer(p.now, ticket+1, read(uint64(ticket+2), 1, "this", 0))
	}
	p.expect(t, "known", "awake")
	p.m.Answer(p.now, 4, read(1, 1, "this", 0))
	p.expect(t, "one after another", "read 5")
	p.m.Rest() // it must begin nothing any more
	p.m.Answer(p.now, 5, read(5, 1, "this", 0))
	p.expect(t, "frozen", "")
}

func TestFault131_WhatWasStoredBeforeItWasHeardOfIsRead(t *testing.T) {
	p := newPage()
	p.m.Load(p.now, slices.Concat(read(1, 1, "other", 0), read(2, 1, "other", 0), read(3, 1, "third", 0)))
	p.took()
	p.m.Hear(p.now, "other", true)
	said := p.took()
	if said != "read 1, read 2" && said != "read 2, read 1" {
		t.Fatal(said)
	}
	first := journal.Op{Kind: journal.OpForget, Call: 1, Flags: journal.OpOutcome(0, engine.OutcomeResult)}
	second := journal.Op{Kind: journal.OpForget, Call: 2}
	if said[5] == '2' {
		first, second = second, first
	}
	p.m.Answer(p.now, 1, list(first))
	p.m.Answer(p.now, 2, list(second))
	p.expect(t, "gone", fmt.Sprintf("client: forget %d %d, client: forget %d %d", first.Call,
		first.Flags.Outcome(), second.Call, second.Flags.Outcome()))
	p.m.HearStored(p.now, "third",
		list(journal.Op{Kind: journal.OpForget, Call: 3,
			Flags: journal.OpOutcome(0, engine.OutcomeRPCError)}))
	p.expect(t, "said with the deletion", "client: forget 3 2")
}

func TestFault135_UnreadableIsGivenUpOnceAndLeftAlone(t *testing.T) {
	p := newPage()
	p.m.Load(p.now, read(1, 1, "gone", 0))
	p.took()
	p.unread = true
	p.m.Gone(p.now, "gone")
	p.expect(t, "its tab is gone", "take over 1")
	p.m.Answer(p.now, 1, read(1, 2, "this", 0))
	p.expect(t, "it cannot be read, and nobody hears that this tab has it", "client: call 1/2, release 1")
	if p.m.Carries(1) || p.m.Following() != 0 || p.m.Reads(1) {
		t.Error("it is still something to this tab")
	}
	// Whatever is said of it: nothing is read, nor taken over.
	p.m.HearReleased(p.now, "other", 1)
	p.m.HearTaken(p.now, "other", head(1, 3, 0), nil)
	p.m.HearStored(p.now, "other", list(head(1, 3, 0), row(1, 3, 1)))
	p.m.Start(p.now)
	p.m.Gone(p.now, "other")
	p.expect(t, "left alone", "watch other")
	p.m.HearStored(p.now, "other", list(journal.Op{Kind: journal.OpForget, Call: 1}))
	p.unread = false
	p.m.HearStored(p.now, "other", list(head(1, 1, 0)))
	p.expect(t, "a new one of that number", "client: forget 1 0, client: call 1/1, watch other")
}

func TestFault135_WhatNobodyHasIsTakenOverByWhoCanReadIt(t *testing.T) {
	p := newPage()
	p.m.Load(p.now, read(1, 1, "", 0))
	p.m.Start(p.now)
	p.expect(t, "the client could not read it", "")
	p.standing[1] = tabs.Resumable
	p.m.Start(p.now)
	p.expect(t, "it could", "take over 1")
	p.m.Answer(p.now, 1, read(1, 2, "this", 0))
	p.expect(t, "taken over", "client: call 1/2, taken 1")
	p.m.HearReleased(p.now, "late", 1)
	p.expect(t, "by a tab that has not heard of it", "watch late")

	p = newPage()
	p.m.HearReleased(p.now, "other", 1)
	p.expect(t, "found", "watch other, read 1")
	p.m.Answer(p.now, 1, read(1, 1, "", 0))
	p.expect(t, "and taken over", "client: call 1/1, take over 1")
}

// A session with an agent is written again: head and rows, under the epoch that it has,
// in one commit that deletes what there was. That is no deletion: the tab carries it on,
// and has to know so when another one takes it over (fault 76).
func TestFault176_WrittenAgainIsStillCarried(t *testing.T) {
	p := carrying()
	p.m.Stored(p.now, 7, journal.ResultOK, 0)
	p.took()
	p.m.Committing(p.now, 8, list(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: 1},
		head(1, 1, 0), row(1, 1, 1)))
	p.m.Stored(p.now, 8, journal.ResultOK, 0)
	p.expect(t, "written again", "client: stored 8 1")
	if !p.m.Carries(1) {
		t.Fatal("the tab does not know any more that it carries it")
	}
	p.m.Wake(p.now)
	p.expect(t, "a page that wakes looks whether it still has it", "read 1")
}

// A tab tells of a takeover, and of calls with a key, where it knows of no other tab, too:
// that it was heard does not mean that it tells of all. What it carries is read once it
// says that it knows of this one.
func TestFault177_HeardBeforeItKnowsOfThisTab(t *testing.T) {
	p := newPage()
	p.m.Load(p.now, read(1, 1, "other", 0))
	p.took()
	p.m.HearTaken(p.now, "other", head(2, 2, 0), nil)
	p.expect(t, "of a call that this tab has not heard of: its first owner died before it said so", "read 2")
	p.m.Answer(p.now, 1, read(2, 2, "other", 0))
	p.took()
	p.m.Hear(p.now, "other", true)
	said := p.took()
	if said != "read 1, read 2" && said != "read 2, read 1" {
		t.Errorf("once it knows of this tab: %q", said)
	}
	p.m.Hear(p.now, "other", true)
	p.expect(t, "once", "")
}

// A tab hangs with its lock: after 3 s of silence the others go on with what can be gone
// on with, and only after they have read what the hung one stored.
func TestFault76_SilentTab(t *testing.T) {
	p := newPage()
	p.m.Load(p.now, slices.Concat(read(1, 1, "other", 1), read(2, 1, "other", 0)))
	p.standing[1], p.standing[2] = tabs.Resumable, tabs.Stuck
	p.took()
	var all []string
	for range 6 {
		at, ok := p.m.Deadline()
		if !ok {
			t.Fatal("nothing is timed")
		}
		p.now = at
		p.m.Advance(p.now)
		all = append(all, p.took())
	}
	silent := slices.IndexFunc(all, func(said string) bool { return strings.Contains(said, "read") })
	if silent < 3 || strings.Contains(strings.Join(all, ""), "take over") {
		t.Fatalf("%q", all)
	}
	order := []uint64{1, 2} // in which they are read: any
	if strings.Index(all[silent], "read 2") < strings.Index(all[silent], "read 1") {
		order = []uint64{2, 1}
	}
	for i, call := range order {
		p.m.Answer(p.now, uint32(i+1), read(call, 1, "other", 0))
	}
	if said := p.took(); !strings.Contains(said, "take over 1") || strings.Contains(said, "take over 2") {
		t.Errorf("what can be gone on with alone is taken over: %q", said)
	}
	p.m.Visible(p.now, false)
	if _, ok := p.m.Deadline(); ok {
		t.Error("a page that nobody sees judges others")
	}
}

// TestStates is the transition table of doc.go, as far as a call is followed.
func TestStates(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(p *page)
		want string
	}{
		{"the next row", func(p *page) { p.m.HearStored(p.now, "other", list(row(1, 1, 2))) },
			"client: row 1/1/2"},
		{"a row that is known", func(p *page) { p.m.HearStored(p.now, "other", list(row(1, 1, 1))) }, ""},
		{"a row too far", func(p *page) { p.m.HearStored(p.now, "other", list(row(1, 1, 3))) }, "read 1"},
		{"a row of another epoch", func(p *page) { p.m.HearStored(p.now, "third", list(row(1, 2, 1))) },
			"watch third, read 1"},
		{"a row of another epoch, with the next number",
			func(p *page) { p.m.HearStored(p.now, "third", list(row(1, 3, 2))) }, "watch third, read 1"},
		{"a row of an older epoch", func(p *page) {
			p.m.HearTaken(p.now, "third", head(1, 2, 1), nil)
			p.m.HearStored(p.now, "other", list(row(1, 1, 2)))
		}, "watch third, client: epoch 1/2"},
		{"taken, all known", func(p *page) { p.m.HearTaken(p.now, "third", head(1, 2, 1), nil) },
			"watch third, client: epoch 1/2"},
		{"taken, with the last rows",
			func(p *page) { p.m.HearTaken(p.now, "third", head(1, 2, 2), list(row(1, 1, 2))) },
			"watch third, client: row 1/1/2, client: epoch 1/2"},
		{"taken, rows missed", func(p *page) { p.m.HearTaken(p.now, "third", head(1, 2, 2), nil) },
			"watch third, read 1"},
		{"taken, and read before", func(p *page) { p.m.HearTaken(p.now, "third", head(1, 1, 1), nil) },
			"watch third, client: epoch 1/1"},
		{"forgotten",
			func(p *page) {
				p.m.HearStored(p.now, "other",
					list(journal.Op{Kind: journal.OpForget, Call: 1}))
			}, "client: forget 1 0"},
		{"its tab is gone", func(p *page) { p.m.Gone(p.now, "other") }, "take over 1"},
		{"its tab is gone, and it has ended", func(p *page) {
			p.standing[1] = tabs.Ended
			p.m.HearStored(p.now, "other", list(row(1, 1, 2)))
			p.m.Gone(p.now, "other")
		}, "client: row 1/1/2"},
		{"another tab was first", func(p *page) {
			p.m.Gone(p.now, "other")
			p.m.Answer(p.now, 1, nil)
		}, "take over 1, read 1"},
		{"its tab is frozen", func(p *page) { p.m.HearFrozen(p.now, "other") }, "read 1"},
		{"its tab is frozen, and it can be gone on with", func(p *page) {
			p.m.HearFrozen(p.now, "other")
			p.m.Answer(p.now, 1, read(1, 1, "other", 1))
		}, "read 1, client: call 1/1, client: row 1/1/1, take over 1"},
		{"its tab is frozen, and it cannot", func(p *page) {
			p.standing[1] = tabs.Stuck
			p.m.HearFrozen(p.now, "other")
			p.m.Answer(p.now, 1, list(row(9, 9, 9)))
		}, "read 1"},
		{"its tab is frozen, and another one was quicker", func(p *page) {
			p.m.HearFrozen(p.now, "other")
			p.m.Answer(p.now, 1, read(1, 3, "third", 0))
		}, "read 1, client: call 1/3, watch third"},
		{"the store fails", func(p *page) {
			p.m.HearStored(p.now, "other", list(row(1, 1, 3)))
			p.m.Answer(p.now, 1, nil)
			p.now = p.now.After(2_000)
			p.m.Advance(p.now)
		}, "read 1, ping other, read 1"},
		{"a logout", func(p *page) { p.m.Part(p.now) }, "client: forget 1 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPage()
			p.m.Load(p.now, read(1, 1, "other", 1))
			p.standing[1] = tabs.Resumable
			p.took()
			test.do(p)
			// The client hears within an input, the host after it.
			got, want := strings.Split(p.took(), ", "), strings.Split(test.want, ", ")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("\n got %q\nwant %q", got, want)
			}
		})
	}
}
