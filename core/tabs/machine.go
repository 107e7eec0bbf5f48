package tabs

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Standing says what a client makes of a call that is stored.
type Standing uint8

// The standings of a call.
const (
	Unknown   Standing = iota // not heard of, or not readable
	Stuck                     // known; only the tab that carries it can go on with it
	Resumable                 // known; any tab can go on with it
	Ended                     // it has its outcome
)

// Client is the machine whose calls are carried. It is called within an input, and its
// effects are drained after that.
type Client interface {
	// Restore takes what is stored of calls, a list of journal.Ops.
	Restore(now engine.Time, ops []byte)
	// Stored takes what became of a commit.
	Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason)
	// Missed takes the ops of a commit that has failed: it only deletes, and counts as stored.
	Missed(now engine.Time, ops []byte)
	// Standing says what the client makes of a call.
	Standing(call uint64) Standing
	// TakenOver says that another tab than before carries a call that this one follows, and
	// writes rows of that epoch; all that was stored before is known here. The epoch may be
	// one that was restored before: then that tab has only now heard of it itself.
	TakenOver(now engine.Time, call uint64, epoch uint32)
	// Alone says whether this tab is awake and knows of no other one: nobody but its own app
	// waits for what it stores. It is not, until it is told so.
	Alone(now engine.Time, alone bool)
	// Remembered returns how a call has ended that this tab has carried, as an OpForget with that; nil where
	// it does not know any more, or where that is not to be told.
	Remembered(now engine.Time, call uint64) []byte
}

// Config is what a Machine is made from.
type Config struct {
	// Tab is the name of this tab, which no other has.
	Tab string
	// Deaf: there is no channel. What is followed is read every 2 s.
	Deaf bool
	// Abrupt: nothing is heard before this tab ends, as in a worker that ends with its page.
	Abrupt bool
	// Seed seeds the order in which calls are taken over: several tabs may try.
	Seed uint64
}

// Machine is one tab's part in who carries the calls of one server and user. Its host
// has the locks, the channel and the store. Each input takes the time first; after it
// the host drains the client, then Next.
type Machine struct {
	tab      string // the name of this one
	deaf     bool   // Config.Deaf
	abrupt   bool   // Config.Abrupt
	client   Client
	calls    calls
	peers    []*peer
	requests []*request // reads and takeovers that the store has not answered
	commits  []*commit
	unread   []*Input // what waits for reads that have failed, until the next poll
	queue    []*Effect
	random   engine.Random
	ticket   uint32 // the last one of a read or a takeover
	now      engine.Time

	changed  bool // who carries what is another than at the last look
	hidden   bool // nobody sees the page: its timers are too slow to judge anybody by
	pingAt   engine.Time
	lastPing engine.Time
	pollAt   engine.Time
	askAt    engine.Time // when to look which of the calls that were asked after nobody tells of
	waking   int         // reads that the page waits for, since it slept
	behind   []uint64    // calls to be read one after another, with no hurry
	presence presence

	illegalTransitions uint32 // states that were entered against the table: a defect
}

// New returns a Machine that carries nothing yet.
func New(cfg Config, client Client) *Machine {
	return &Machine{tab: cfg.Tab, deaf: cfg.Deaf, abrupt: cfg.Abrupt, client: client,
		random: engine.NewRandom(cfg.Seed), pingAt: engine.Never, pollAt: engine.Never, askAt: engine.Never}
}

// Kind says what an Effect asks for, and so which of its fields are set.
type Kind uint8

// The kinds of effect. The numbers are part of the span table that JavaScript reads.
const (
	// Read asks the store for Call, head and log. The host answers with Answer and Ticket.
	Read Kind = iota + 1
	// TakeOver asks it to give Call to this tab if its epoch is still Epoch. The host
	// answers with Answer and Ticket.
	TakeOver
	// Release gives Call up, where this tab has it, and then broadcasts that it did.
	Release
	// Watch watches for the end of Tab: the host reports Gone.
	Watch
	// Broadcast tells the other tabs that this one has stored Ops.
	Broadcast
	// BroadcastSession tells them that the server's row is another one.
	BroadcastSession
	// BroadcastTaken tells them that this tab carries Call from now on, under Epoch; the
	// log of the epoch before ends with row N, and Ops are its last rows.
	BroadcastTaken
	// Ping asks Tab whether it can answer. The host reports what it says with Hear.
	Ping
	// Ask asks the other tabs how Call has ended, which is not stored any more.
	Ask
	// Tell tells them, if they have asked: Ops are what the client remembers.
	Tell
	// Awake says that all is known that other tabs did while this one slept.
	Awake
)

// Effect is one thing that a Machine asks of its host.
type Effect struct {
	Kind     Kind
	Ticket   uint32
	Call     uint64
	Epoch, N uint32
	Tab      string
	Ops      []byte // a list of journal.Ops, without their secrets; the host's from here on
}

// Payload returns what an effect crosses the border with: the name of a tab; or operations, the first of them the head
// of the call that it is about, with the epoch and the row in its words.
func (e *Effect) Payload() []byte {
	switch {
	case e.Tab != "":
		return []byte(e.Tab)
	case e.Call != 0:
		head := journal.Op{Kind: journal.OpCall, Call: e.Call, Epoch: e.Epoch, N: e.N}
		return append(journal.AppendOp(nil, head), e.Ops...)
	}
	return e.Ops
}

// Next takes the oldest effect; nil where there is none.
func (m *Machine) Next() *Effect {
	for len(m.queue) > 0 {
		e := m.queue[0]
		m.queue = m.queue[1:]
		if e.Kind != BroadcastTaken || m.Carries(e.Call) { // else the client could not read it
			return e
		}
	}
	m.queue = nil
	return nil
}

// emit asks for something about a call, 0 for none. What else it takes is set in what it returns.
//
//go:noinline
func (m *Machine) emit(kind Kind, call uint64) *Effect {
	e := &Effect{Kind: kind, Call: call}
	m.queue = append(m.queue, e)
	return e
}

// broadcastTaken tells the others that this tab carries a call from now on.
func (m *Machine) broadcastTaken(l *loaded, rows []byte) {
	e := m.emit(BroadcastTaken, l.call)
	e.Epoch, e.N, e.Ops = l.epoch, l.sealed, rows
}

// end ends an input: whom to watch and to ask follows from who carries what.
func (m *Machine) end() {
	if m.changed {
		m.changed = false
		m.watchOwners()
	}
	m.tellAlone()
}

// Load takes calls as they were read when the page began, before the client does: a list
// of heads, each with its log. A head's flags say whether this tab carries the call,
// and its secret names the tab that does.
func (m *Machine) Load(now engine.Time, ops []byte) {
	m.now = now
	for r := readOps(ops); ; {
		l := r.call()
		if l == nil {
			break
		}
		m.book(l)
		if l.owned() && len(m.peers) > 0 {
			m.broadcastTaken(l, nil)
		}
	}
	m.end()
}

// Quarantined notes that the client cannot read a call. What a tab cannot read it does
// not own (fault 135): it gives it up, and leaves it alone until somebody forgets it.
func (m *Machine) Quarantined(now engine.Time, call uint64) {
	m.now = now
	c := m.add(call)
	if c.state == owned {
		m.emit(Release, call)
	}
	m.enter(c, unreadable)
	*c = entry{id: call, state: unreadable}
	m.changed = true
	m.end()
}

// part ends what this tab has to do with the others, since what was stored is deleted:
// one that comes now belongs to whoever logs in next.
func (m *Machine) part() {
	for _, c := range m.all() {
		if c.state == asked {
			m.letGo(c)
		} else if c.state == followed {
			m.forget(c.id, 0)
		}
	}
	m.peers, m.pollAt = nil, engine.Never
	m.enterPage(pageParted)
}

// Carries reports whether this tab carries a call.
func (m *Machine) Carries(call uint64) bool {
	c := m.calls.find(call)
	return c != nil && c.state == owned
}

// Reads reports whether a call that is stored could be read here.
func (m *Machine) Reads(call uint64) bool {
	c := m.calls.find(call)
	return (c == nil || c.state != unreadable) && m.client.Standing(call) != Unknown
}

// Following returns how many calls without an outcome other tabs carry.
func (m *Machine) Following() int {
	n := 0
	for _, c := range m.calls {
		if c.state == followed && !c.ended {
			n++
		}
	}
	return n
}

// Deadline returns when Advance is due; false where nothing is timed.
func (m *Machine) Deadline() (engine.Time, bool) {
	at := min(m.pingAt, m.pollAt, m.askAt, m.aloneDue())
	return at, at != engine.Never
}

// Advance tells the machine that time has passed its Deadline.
func (m *Machine) Advance(now engine.Time) {
	m.now = now
	if now >= m.pingAt {
		m.ping()
	}
	if now >= m.pollAt {
		m.poll()
	}
	if now >= m.askAt {
		m.askedInVain()
	}
	m.end()
}
