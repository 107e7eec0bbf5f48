package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// storeTrial asks a store that has failed for one thing, again and again: whose a key is
// (claims), that a head is deleted (withdrawals).
type storeTrial struct {
	state storeTrialState
	at    engine.Time // trialDue: when
	tries int         // that were in vain
}

// storeTrialState is where a storeTrial stands.
type storeTrialState uint8

const (
	trialIdle     storeTrialState = iota // nothing is asked for
	trialDue                             // it is asked at a time
	trialUnderWay                        // it is being asked
)

// The pace at which a store that has failed is asked, in ms.
const (
	trialAgain  = 1_000
	trialSlowly = 30_000
)

// trialPace returns how long to wait, in ms, after so many tries.
func trialPace(tries int) int64 {
	return min(int64(trialAgain)<<min(tries, 10), trialSlowly)
}

// deadline returns when the store is to be asked.
func (s *storeTrial) deadline() engine.Time {
	if s.state != trialDue {
		return engine.Never
	}
	return s.at
}

// ask has the store asked at a time, unless it is being asked.
func (s *storeTrial) ask(at engine.Time) {
	if s.state != trialUnderWay {
		s.state, s.at = trialDue, at
	}
}

// ended takes the end of a trial.
func (s *storeTrial) ended() { s.state = trialIdle }

// failed takes the end of a trial that was in vain: there is another, later.
func (s *storeTrial) failed(now engine.Time) {
	s.state, s.at = trialDue, now.After(trialPace(s.tries))
	s.tries++
}
