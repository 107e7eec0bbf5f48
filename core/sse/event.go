package sse

// Kind tells what a finished block is good for.
type Kind uint8

const (
	// Message is a block with at least one data field: the event that
	// WHATWG HTML 9.2.6 dispatches. Its Data may still be empty, because one
	// "data" line leaves a LF in the data buffer, which is not the empty string.
	Message Kind = iota + 1
	// Bare is a block without any data field that carried an id or a retry.
	// WHATWG dispatches nothing for it but adopts both, and so should the caller.
	Bare
)

// String returns "message", "bare" or "none".
func (k Kind) String() string {
	switch k {
	case Message:
		return "message"
	case Bare:
		return "bare"
	}
	return "none"
}

// Event is one finished block. Its slices are valid until the next call of
// Push, Reset or EOF and must not be written to: they alias the pushed chunk
// where they can, else buffers of the parser.
type Event struct {
	Kind  Kind
	Type  []byte // the event field; empty means "message"
	Data  []byte // the data fields joined with LF, no LF after the last; valid UTF-8
	ID    []byte // the last event ID after this block: sticky over blocks and connections
	HasID bool   // this block carried an id field that was honoured; an empty one clears the ID
	Retry int64  // ms, 0 to 1<<53, when this block carried a valid retry field, else -1; not clamped
}
