package tabs

import "github.com/holdfast-mcp/holdfast/core/engine"

// InputKind says what a host reports. The numbers are part of the border to JavaScript.
type InputKind uint8

// What a host reports of the other tabs, of the store and of the page. Tab is the tab that
// says it, or that it is about.
const (
	// Living: Tab is there; it may be of any server and user of the origin.
	Living InputKind = iota + 1
	// Hear: Tab has said something.
	Hear
	// HearHere: and it knows that this tab is there, since it is the newer one, or has answered it.
	HearHere
	// HearStored: Tab has stored Ops.
	HearStored
	// HearTaken: Tab carries a call. Ops begin with its head, which has the new epoch and the
	// last row of the epoch before; the last rows of that follow.
	HearTaken
	// HearReleased: Tab has given a call up, whose head Ops are: it cannot read it.
	HearReleased
	// HearAsked: Tab asks how a call has ended, whose head Ops are.
	HearAsked
	// HearTold: Tab tells how one has ended that it has carried: an OpForget with that.
	HearTold
	// HearFrozen: Tab is being frozen.
	HearFrozen
	// Gone: Tab has ended.
	Gone
	// Missed: rows of the call whose head Ops are were heard of, and this page could not keep them.
	Missed
	// Answer is what the store says to the Read or TakeOver of Ticket: the call with its log,
	// as Load has it; of a call that is not stored any more an OpForget with how it had
	// ended; nothing where it could not be read, or was not to be had.
	Answer
	// Fenced is what the commit of Ticket has found out, before Stored reports it: heads of
	// the calls in it that other tabs carry by now; then OpKeys of those that were not added,
	// each with the call that has its key behind it, where that could be read.
	Fenced
	// Landed: the commit of Ticket is stored, whose end nobody waited for.
	Landed
	// Failed: it is not.
	Failed
	// Start: the client has what was loaded.
	Start
	// Wake: the page wakes.
	Wake
	// Rest: it is being frozen.
	Rest
	// Show: it is back from the back/forward cache, where it heard nothing.
	Show
	// Hide: it goes there, and watches nobody.
	Hide
	// Visible: it is seen.
	Visible
	// Hidden: nobody sees it.
	Hidden
	// Part: what was stored is deleted.
	Part
)

// What waits for a read of a call is an input, too: one that was heard, or one of these.
const (
	knownForTakeOver = InputKind(iota) + 100 // the call can be taken over from Tab, which is silent
	knownForCommit                           // the commit of Ticket can be reported
	knownTooEarly                            // the same, but the read had begun before
	knownOnceMore                            // the same, and that read has failed
	knownForWake                             // the page has one call fewer to wait for
	knownBehind                              // the next call can be read
)

// Input is one thing that a host reports; its Kind says which of the other fields are set.
type Input struct {
	Kind   InputKind
	Ticket uint32
	Tab    string
	Ops    []byte    // a list of journal.Ops, lent until the client's effects are taken
	call   uint64    // of what waits for a read
	_      [0]func() // it has no ==: the code for one would be in the wasm
}

// Report takes an input. After it the host drains the client, then Next.
func (m *Machine) Report(now engine.Time, in *Input) {
	m.now = now
	if in.Kind >= Hear && in.Kind <= HearFrozen {
		m.hear(in.Tab, in.Kind == HearHere)
	}
	m.take(in)
	m.end()
}

// take takes an input, when it comes or once it has waited for a read.
func (m *Machine) take(in *Input) {
	switch in.Kind {
	case Living:
		m.peer(in.Tab)
	case HearStored:
		m.heardStored(in.Tab, in.Ops)
	case HearTaken:
		m.taken(in)
	case HearReleased:
		m.released(in)
	case HearAsked:
		m.tell(in.Ops)
	case HearTold:
		m.told(in.Ops)
	case HearFrozen:
		m.takeOver(in.Tab, true) // what can be gone on with is anybody's
	case Gone:
		m.gone(in.Tab)
	case Missed:
		m.missed(in.Ops)
	case Answer:
		m.answered(in.Ticket, in.Ops)
	case Fenced:
		m.fenced(in.Ticket, in.Ops)
	case Landed, Failed:
		m.unawaitedOver(in.Ticket, in.Kind == Landed)
	case Start:
		m.start()
	case Wake:
		if m.presence.page == pageFrozen {
			m.enterPage(pageAwake)
		}
		m.wake()
	case Rest:
		m.behind = nil // a transaction that it began now would hold up those of all others
		m.enterPage(pageFrozen)
	case Show:
		m.show()
	case Hide:
		m.peers, m.pingAt = nil, engine.Never
		m.enterPage(pageCached)
	case Visible, Hidden:
		m.hidden, m.changed = in.Kind == Hidden, true
		m.unjudge()
	case Part:
		m.part()
	case knownForTakeOver:
		m.tryTake(in.call, in.Tab, true)
	case knownForCommit, knownTooEarly, knownOnceMore:
		m.fenceKnown(in)
	case knownForWake:
		m.woken()
	case knownBehind:
		m.readBehind()
	}
}

// start takes over what nobody has of the calls that were loaded and could be read.
func (m *Machine) start() {
	if m.deaf {
		m.pollAt = m.now.After(pollEvery)
	}
	if m.presence.page == pageLoading {
		m.enterPage(pageAwake)
	}
	m.lookAround(len(m.peers) > 0)
	for _, c := range m.all() {
		m.takeUnowned(c.id)
	}
}
