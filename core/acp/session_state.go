package acp

import "github.com/holdfast-mcp/holdfast/core/engine"

// sessionState says who carries a session. enter alone changes it.
type sessionState uint8

const (
	sessionOwned    sessionState = iota // this page does
	sessionFollowed                     // another tab does; this page shows what that has stored
	sessionDropped                      // nobody here does any more: it was closed, deleted or forgotten
)

// sessionTransitions are the states that may follow each.
var sessionTransitions = engine.Transitions{
	sessionOwned:    1<<sessionFollowed | 1<<sessionDropped,
	sessionFollowed: 1<<sessionOwned | 1<<sessionDropped,
	sessionDropped:  0,
}

// enter has the session in another state.
func (s *session) enter(c *Client, next sessionState) {
	engine.Enter(&sessionTransitions, &s.state, next, &c.illegalTransitions)
}

// historyState says whether what is known of a session may be all of it. enterHistory
// alone changes it.
type historyState uint8

const (
	historyWhole   historyState = iota // it may: the agent is read, or nothing was asked of it yet
	historyCut                         // a stream broke or was lent: what was said may be missing
	historyUnbound                     // a stream broke, and the connection that knew the session is gone
)

// historyTransitions are the states that may follow each.
var historyTransitions = engine.Transitions{
	historyWhole:   1<<historyCut | 1<<historyUnbound,
	historyCut:     1<<historyWhole | 1<<historyUnbound,
	historyUnbound: 1 << historyWhole,
}

// enterHistory has the session's history in another state.
func (s *session) enterHistory(c *Client, next historyState) {
	engine.Enter(&historyTransitions, &s.history, next, &c.illegalTransitions)
	if next == historyUnbound {
		s.unlogged, s.had = false, false
		s.earlier = 0 // the answer to it would have come on that connection
	}
}

// missed notes that something may be missing of what was said.
func (s *session) missed(c *Client) {
	s.unlogged = false
	if s.history == historyWhole {
		s.enterHistory(c, historyCut)
	}
}

// waitState says whether a session waits for a stream. enterWait alone changes it.
type waitState uint8

const (
	waitNone   waitState = iota // it has one, or nobody wants to hear of it
	waitWanted                  // the app wants to hear of it, and there is no connection yet
	// others need theirs more; from here on it has its place among those that wait
	waitParked
	waitUrgent // the same, and the app wants to hear of it
)

// waitTransitions are the states that may follow each.
var waitTransitions = engine.Transitions{
	waitNone:   1<<waitWanted | 1<<waitParked,
	waitWanted: 1<<waitNone | 1<<waitUrgent,
	waitParked: 1<<waitNone | 1<<waitUrgent,
	waitUrgent: 1 << waitNone,
}

// enterWait has the session wait in another way.
func (s *session) enterWait(c *Client, next waitState) {
	engine.Enter(&waitTransitions, &s.wait, next, &c.illegalTransitions)
}

// handover says which tabs a session that is read from the store has passed between.
type handover uint8

const (
	handedNowhere handover = iota // whoever carried it does, or it is new here
	handedOthers                  // another tab had it, and another one has it now
	handedHere                    // this tab had it, or has it now: what is open is asked of the app again
)
