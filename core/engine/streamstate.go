package engine

// StreamState is what the stream of a subject does: an event of
// kind EventStatus has one. Its name is what an app reads.
type StreamState uint8

// The states of a stream. The numbers are part of the span table that JavaScript reads.
const (
	StreamOpen         StreamState = iota + 1 // the other side sends
	StreamCut                                 // the connection is gone, a reconnect is due
	StreamReconnecting                        // a reconnect is under way
	StreamRefused                             // the other side does not take the stream now
	StreamParked                              // let go of for now
	StreamPolled                              // nothing is read any more: a task is asked how it stands
	StreamOff                                 // the server has none for messages that nobody asked for
	StreamFollowed                            // another page carries the subject
	StreamOwned                               // this page has taken it over
	StreamForgotten                           // the call is not stored any more
	StreamClosed                              // the subject is over
	// StreamSpare: of EventTask: a task works on the call, which can do without its stream
	StreamSpare
	// StreamNeeded: of EventTask: the task asks something, which comes on the stream
	StreamNeeded
	// StreamAwaiting: the server has refused the request, which waits until somebody has signed in
	StreamAwaiting
)

var streamStates = [...]string{
	StreamOpen: "open", StreamCut: "cut", StreamReconnecting: "reconnecting", StreamRefused: "refused",
	StreamParked: "parked", StreamPolled: "polled", StreamOff: "off",
	StreamFollowed: "followed", StreamOwned: "owned", StreamForgotten: "forgotten", StreamClosed: "closed",
	StreamSpare: "spare", StreamNeeded: "needed", StreamAwaiting: "awaiting_authorization",
}

// String returns the state's name.
func (s StreamState) String() string { return streamStates[s] }
