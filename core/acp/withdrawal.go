package acp

// withdrawal is why nobody waits for the app's answer to an agent's request any more.
type withdrawal string

// The reasons for a withdrawal.
const (
	withdrawnByAgent    withdrawal = "agent"      // it took the request back
	withdrawnCancelled  withdrawal = "cancelled"  // the turn was cancelled
	withdrawnAnswered   withdrawal = "answered"   // another page was first
	withdrawnConnection withdrawal = "connection" // the agent has lost what it was asked on
	withdrawnRefused    withdrawal = "refused"    // the agent did not take the answer
	withdrawnClosed     withdrawal = "closed"     // the session or the client is
	withdrawnGiven      withdrawal = "given"      // the answer of this page was taken
)
