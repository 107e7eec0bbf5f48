package journal

// clockSlack is by how much clocks of two pages may differ, in ms, and one be set
// back to be right again, without being doubted.
const clockSlack = 5_000

// Waited returns for how long a call that was made at createdAt has waited at wall, in
// ms; both are ms since 1970. latest is the latest time that anything in the store
// tells. ok is false where the clock cannot be believed: it lies behind what was
// written by it before, or tells a time before this code was made.
func Waited(createdAt, latest, wall int64) (ms int64, ok bool) {
	if createdAt < firstRelease || wall < firstRelease || max(createdAt, latest) > sum(wall, clockSlack) {
		return 0, false
	}
	return max(wall-createdAt, 0), true
}

// Latest returns the latest time that the record tells, in ms since 1970.
func (r *Record) Latest() int64 {
	latest := max(r.Head.CreatedAt, r.EndedAt, r.TaskAt, r.TaskHeardAt)
	if r.Policy != nil {
		latest = max(latest, r.Policy.ReceivedAt)
	}
	return latest
}
