package jsonrpc

// Kind says what a message is; its members decide it (JSON-RPC 2.0 sections 4 and 5).
type Kind uint8

// The kinds of message. The zero Kind is no message.
const (
	// Request has a method and an id, and wants an answer.
	Request Kind = iota + 1
	// Notification has a method and no id.
	Notification
	// Response has an id and a result.
	Response
	// ErrorResponse has an error. Its id may be JSON null (section 5) or absent (MCP 2025-11-25 and later):
	// the server could not tell which request it answers.
	ErrorResponse
)

// String returns the name of the kind, for logs and golden files.
func (k Kind) String() string {
	switch k {
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Response:
		return "response"
	case ErrorResponse:
		return "error response"
	}
	return "none"
}

// Message is one JSON-RPC message. All its slices alias the text it was parsed from.
type Message struct {
	Kind Kind
	ID   ID
	// Method is the text between the quotes, decoded (a small copy) if it was written with escapes. Nil in a
	// reply.
	Method []byte
	// Params is the raw JSON object or array, braces included; nil if absent or null, and always nil in a
	// reply.
	Params []byte
	// Result is the raw JSON value of a Response, of any type; nil otherwise.
	Result []byte
	// Error is the raw JSON object of an ErrorResponse; nil otherwise. That it is an object is checked, its
	// members are not: a reply with a poor error still ends the call that it answers.
	Error []byte
	// Param is the raw value of the member of a Notification's params that a [Series] was told to look for,
	// by the rules of [Member]; nil if it is absent or there twice, and always nil where Parse read the
	// message.
	Param []byte
	// Raw is the text of the whole message without the white space around it.
	Raw []byte

	// members: of the Result, where that is an object that a Series has read: its own, until it reads the
	// next message
	members *noted
}

// DefaultDepth is the nesting of arrays and objects that is accepted if Limits does not say otherwise, the
// message object itself being the first level. Browsers parse far deeper text but cannot store it:
// structuredClone and an IndexedDB put throw RangeError at about 5,000 levels.
const DefaultDepth = 512

// MaxDepth is the deepest nesting that can be asked for; larger limits count as this one. It sizes the bit
// stack of the scanner, which is cleared for each value (128 bytes).
const MaxDepth = 1024

// DefaultBatch is the number of messages that a batch may hold if Limits does not say otherwise.
const DefaultBatch = 1000

// Limits bounds what a peer can make us read. The zero value stands for the defaults.
type Limits struct {
	// Depth is the nesting accepted, in levels; zero or less means DefaultDepth, more than MaxDepth means
	// MaxDepth.
	Depth int
	// Batch is the number of messages accepted in one batch; zero or less means DefaultBatch.
	Batch int
}

func depthLimit(depth int) int {
	if depth <= 0 {
		return DefaultDepth
	}
	return min(depth, MaxDepth)
}
