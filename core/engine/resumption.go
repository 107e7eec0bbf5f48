package engine

// Resumption is what came of going on with a subject after its connection
// was gone (EventResumed).
type Resumption string

// What a resume can come to.
const (
	Continued Resumption = "continued" // it goes on after what was received
	Restarted Resumption = "restarted" // it was run again, or replayed from its start
	Gapped    Resumption = "gap"       // something is missing
	Lost      Resumption = "lost"      // the server no longer has it
	Unknown   Resumption = "unknown"   // it may have run, and nothing can tell
)
