package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// Policy is how attempts are spaced, as far as that is a matter of choice: what
// a server allows is not. A client has it in its configuration: pages have the one
// that is built in, and core/simulate compares it with others. Times are in ms.
type Policy struct {
	// Window returns the span from which the wait before an attempt is drawn; accepted
	// says that a connection had its head before it was cut.
	Window func(attempt int, accepted bool, random *engine.Random) Window
	// AfterCut returns over how long the first attempts after a cut are spread
	// where the stream has named a retry.
	AfterCut func(retry int64) int64
	// AfterRefusal returns over how long the attempts are spread that a Retry-After
	// of floor holds back, each with a window of that width.
	AfterRefusal func(width, floor int64) int64
	// Doubt returns how long a resumed connection may be silent at first, by the
	// number of attempts that it took.
	Doubt func(attempts int) int64
}

// BuiltIn returns the policy that pages have.
func BuiltIn() Policy {
	return Policy{Window: ladderWindow, AfterCut: afterCut, AfterRefusal: afterRefusal,
		Doubt: firstDoubtAfter}
}

// OrBuiltIn returns the policy, the one that is built in for a zero Policy.
func (p Policy) OrBuiltIn() Policy {
	if p.Window == nil {
		return BuiltIn()
	}
	return p
}
