package recorded

// RoundID names one of the requests for input of a Round, where the ids of
// other questions start with something else: their kind, or the letter k.
func RoundID(key string) []byte { return append([]byte{'r'}, key...) }

func isRoundID(id []byte) bool { return len(id) > 0 && id[0] == 'r' }

// isInputID reports whether an id is that of an input which a task asks for.
func isInputID(id []byte) bool { return len(id) > 0 && id[0] == 'k' }

// isSessionID reports whether an id is that of a request of the server's in its session, and
// not of an input that a Round or a task asks for.
func isSessionID(id []byte) bool { return len(id) == 0 || id[0] != 'r' && id[0] != 'k' }

// Asks reports whether a Round waits for its responses.
func (r *Call) Asks() bool { return r.Round != nil && !r.RoundOver }

// opensRound reports whether an id is that of an input which a Round waits for.
func (r *Call) opensRound(id []byte) bool { return isRoundID(id) && r.Asks() }

// LooksUnsent reports whether whoever finds the call sends its request: it has not left yet, or
// not with the answer to a Round, or did not run.
func (r *Call) LooksUnsent() bool {
	return !r.Sent || r.Refused || r.RoundOver && !r.Responded
}
