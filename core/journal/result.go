package journal

// Result says what became of a commit, by the host's account. JavaScript gives the
// same numbers (web/src/runtime).
type Result uint8

// The results of a commit.
const (
	ResultOK       Result = iota + 1 // stored, secrets sealed
	ResultUnsealed                   // stored without the secrets: there is no cipher
	ResultQuota                      // no room
	ResultFailed                     // not stored, and no use trying again
)
