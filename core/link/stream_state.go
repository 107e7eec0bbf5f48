package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// State is where a Stream stands. enter alone changes it.
type State uint8

// The states of a Stream.
const (
	StateOpening State = iota // an exchange was started, its head has not come
	StateUp                   // events may come
	StateWaiting              // cut; a reconnect is due at a known time
	StateOver                 // will not be reconnected
)

// transitions are the states that may follow each.
var transitions = engine.Transitions{
	StateOpening: 1<<StateUp | 1<<StateWaiting | 1<<StateOver,
	StateUp:      1<<StateWaiting | 1<<StateOver,
	StateWaiting: 1<<StateOpening | 1<<StateOver,
	StateOver:    0,
}

// enter has the stream in another state.
func (s *Stream) enter(next State) { engine.Enter(&transitions, &s.state, next, &s.illegal) }

// State returns where the stream stands.
func (s *Stream) State() State { return s.state }

// IllegalTransitions returns how often the stream entered a state that may not follow the
// one before: a defect of its client's.
func (s *Stream) IllegalTransitions() uint32 { return s.illegal }
