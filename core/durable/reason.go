package durable

// Reason is why a store fails.
type Reason uint8

// Why a store fails. Zero is none of them: it does not.
const (
	ReasonMissing Reason = iota + 1 // no IndexedDB here, or it may not be used
	ReasonBlocked                   // another tab holds the database and does not let go
	ReasonTimeout                   // it does not open, or does not answer, and nothing says why
	ReasonQuota                     // no room
	ReasonNewer                     // a newer build has the database
	ReasonLost                      // the connection to it broke
	ReasonCipher                    // everything has to be sealed, and there is no cipher (plain http)
	// ReasonClosed: what it held was deleted, by a logout of any page or by the user: for good
	ReasonClosed
	ReasonFailed // anything else
)

var reasonNames = [...]string{
	ReasonMissing: "missing", ReasonBlocked: "blocked", ReasonTimeout: "timeout", ReasonQuota: "quota",
	ReasonNewer: "newer",
	ReasonLost:  "lost", ReasonCipher: "cipher", ReasonClosed: "closed", ReasonFailed: "failed",
}

// String is the reason as an app sees it; "" for none.
func (r Reason) String() string {
	if int(r) >= len(reasonNames) {
		r = ReasonFailed
	}
	return reasonNames[r]
}
