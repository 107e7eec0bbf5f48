package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// visitEvery is the least time between two attempts that somebody's coming has hastened, in ms:
// a page that is reloaded over and over asks its server no more often than this.
const visitEvery = 5_000

// Visits says when what waits after failures is tried for somebody who has just come, as by a
// reload: the ladder's pace is for machines. Its zero value has had no visit.
type Visits struct {
	next engine.Time // the earliest time of the next attempt that is made for a visit
}

// At returns when to try for a visit now.
func (v *Visits) At(now engine.Time) engine.Time { return max(now, v.next) }

// Hastened notes that something is tried at that time which would have waited for longer.
func (v *Visits) Hastened(at engine.Time) { v.next = at.After(visitEvery) }

// Sooner moves a wait that its server did not ask for to at, where it ends later; floor is until
// when the server did ask for it. It returns the end of the wait, and whether it was moved. What
// waits for no time (Never) is left alone.
func Sooner(wait, floor, at engine.Time) (engine.Time, bool) {
	if wait == engine.Never || wait <= at || at < floor {
		return wait, false
	}
	return at, true
}
