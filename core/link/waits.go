package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// Listener is what waits in a client, and hears what changes for how long that is worth it.
type Listener interface {
	// Hear takes the news, and reports whether something is tried sooner for it.
	Hear(n *News) (moved bool)
}

// Waits hands what happens to a page to all that waits in its client. A client embeds one: its methods are
// inputs.
type Waits struct {
	effects *engine.Queue
	all     []Listener
	visits  Visits
	shown   int64

	IsOffline bool // the browser believes so
}

// NewWaits returns the Waits of a client that has these effects. shown is within how many ms a stream has to
// show that it lives after its page was hidden.
func NewWaits(effects *engine.Queue, shown int64) Waits { return Waits{effects: effects, shown: shown} }

// Register has one more hear what happens.
func (w *Waits) Register(one Listener) { w.all = append(w.all, one) }

// Offline notes that the browser believes itself offline. Streams are left alone (a loopback server is still
// there); only new attempts become rare.
func (w *Waits) Offline(now engine.Time) {
	w.effects.Begin(now)
	w.IsOffline = true
}

// Online notes that the network is back: waiting reconnects are tried at once, open streams have to prove
// that they are.
func (w *Waits) Online(now engine.Time) { w.tell(now, NewsOnline, 0) }

// Visited notes that a page has come to a client that outlives its pages. What waits after failures is tried
// now, as a reload tries it where the client is the page's: not before a server allows it, nor more often
// than Visits has it.
func (w *Waits) Visited(now engine.Time) { w.tell(now, NewsVisit, 0) }

// Shown notes that the page is seen again after a long time hidden. Its connections were not frozen, only its
// timers were slow.
func (w *Waits) Shown(now engine.Time) { w.tell(now, NewsShown, 0) }

// Woke notes that the page comes back from a time in which it could not see: frozen, in the back/forward
// cache, or asleep with the machine. gap is how much of that time the clock counted, in ms; deadlines move on
// by it, since a silence that nobody could hear proves nothing.
func (w *Waits) Woke(now engine.Time, gap int64) { w.tell(now, NewsWoke, gap) }

// tell hands news to all that waits.
func (w *Waits) tell(now engine.Time, kind NewsKind, gap int64) {
	w.effects.Begin(now)
	n := News{Kind: kind, Now: now, At: now, Gap: gap, Within: ProveWithin}
	switch kind {
	case NewsOnline:
		w.IsOffline = false
	case NewsVisit:
		n.At = w.visits.At(now)
	case NewsShown:
		n.Within = w.shown
	}
	moved := false
	for _, one := range w.all {
		moved = one.Hear(&n) || moved
	}
	if moved && kind == NewsVisit {
		w.visits.Hastened(n.At)
	}
}
