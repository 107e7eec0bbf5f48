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

// handover says which tabs a session that is read from the store has passed between.
type handover uint8

const (
	handedNowhere handover = iota // whoever carried it does, or it is new here
	handedOthers                  // another tab had it, and another one has it now
	handedHere                    // this tab had it, or has it now: what is open is asked of the app again
)
