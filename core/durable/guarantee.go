package durable

// Guarantee says what a reload would do to a call.
type Guarantee uint8

// The guarantees, in rising order.
const (
	LostOnReload Guarantee = iota // nothing that could continue it is stored
	Resumable                     // what continues it is, as an event id or a resume policy
	Durable                       // a task id is, or the outcome
)

var guaranteeNames = [...]string{LostOnReload: "lost-on-reload", Resumable: "resumable", Durable: "durable"}

// String is the guarantee as an app sees it.
func (g Guarantee) String() string {
	return guaranteeNames[g]
}

// Guarantees are what holds of a record.
type Guarantees struct {
	Stored    Guarantee // what is true
	Announced Guarantee // what the app knows
	promised  Guarantee // what the commit under way makes true
}

// Promise notes what is true once the row is stored that ends now.
func (g *Guarantees) Promise(once Guarantee) { g.promised = once }

// Know notes what is true of what was read.
func (g *Guarantees) Know(stored Guarantee) { g.Stored, g.promised = stored, stored }

// Lower notes that no more than that is true any more, whatever is stored, and whatever the
// commit under way stores.
func (g *Guarantees) Lower(most Guarantee) {
	g.Stored, g.promised = min(g.Stored, most), min(g.promised, most)
}
