package engine

// ExchangeID names one HTTP exchange, EventSource or WebSocket. The machine
// counts them from 1; an id is never reused, so a late report about a dead
// exchange finds nobody.
type ExchangeID uint32

// SubjectID names what the app has a handle on, by whose number it hears of it: a request that it made, or
// whatever else goes on beyond one request. The machine counts those of a kind from 1; 0 is the client
// itself.
type SubjectID uint32

// CallID names one request that the app made.
type CallID = SubjectID

// Kind says what an Effect asks for, and so which of its fields are set.
type Kind uint8

// The kinds of effect. Fields not named in a comment are zero.
const (
	// Fetch starts exchange X with Request. The host reports Head once, then
	// one Chunk for each Read it was asked for, then End; or End at once.
	Fetch Kind = iota + 1
	// Read lets the host hand over the next chunk of exchange X. A host never
	// reads ahead: withholding Read is the backpressure.
	Read
	// Abort ends exchange X from this side. Nothing more of X is reported.
	Abort
	// Deliver hands Data, raw JSON text, to the app as an event of subject C. Event
	// says which; Position counts the events of a call from 1.
	Deliver
	// Settle ends call C: Outcome says how, Data is the raw JSON of a result
	// or of a JSON-RPC error, Failure is set for OutcomeFailure.
	Settle
	// State tells the app what the client as a whole is now; Data is a JSON
	// object that describes it. Position has the facts that a page goes by on an
	// open connection to an MCP server (mcp.Facts).
	State
	// Token asks the app's bearer token provider for a token. The host answers
	// with the machine's Token input.
	Token
	// Store writes Data, a list of journal.Ops, in one transaction: flushed to
	// disk where Strict. The host answers with the machine's Stored input and
	// Ticket; one with Ticket 0 has to be on its way before the host returns, since
	// the page is being left, and is not answered.
	Store
	// Recall tells of subject C, which the journal brought back, or which is new and
	// no call: Data is a JSON object that describes it. Its events and its outcome
	// follow as they do for any.
	Recall
	// Handshake asks for the lease to make a new session: among the pages that share
	// one, a single one makes it. The host answers with the machine's Handshake
	// input, or with the session that another page has made.
	Handshake
	// Source opens an EventSource X at Request.URL. The host reports that it is
	// open, its events, and its first error, which ends it; Abort closes it.
	Source
	// Socket opens a WebSocket X at Request.URL. A header field
	// Sec-WebSocket-Protocol lists the subprotocols to offer; others cannot be
	// sent. The host answers with the machine's inputs SocketOpened, SocketMessage
	// for each text message, in order and without being asked (the browser cannot
	// hold them back), and once SocketClosed; or with SocketClosed at once. Binary
	// messages are not reported. Abort closes it.
	Socket
	// Frame sends Data as one text message on WebSocket X, once it is open.
	Frame
	// Replay hands the app stored events of call C, of kinds of which nobody but the
	// call's reader hears: Data has them packed (Unpacked), Position is that of the last.
	Replay
)

// CloseInvalid is the close code of a WebSocket that the browser refused to
// make: a bad URL, mixed content, a bad subprotocol. Those on the wire begin at
// 1000 (RFC 6455 7.4).
const CloseInvalid = 0

// Outcome says how a call ended.
type Outcome uint8

// The outcomes of a call.
const (
	OutcomeResult   Outcome = iota + 1 // Data is the raw result
	OutcomeRPCError                    // Data is the raw JSON-RPC error object
	OutcomeFailure                     // Failure says why there is neither
	// OutcomeHeaderMismatch is told and never stored: Data is a JSON-RPC error object,
	// and the answer proves that the request was not run, for want of header fields.
	OutcomeHeaderMismatch
	// OutcomeVisitRequired is reported and never stored, either: Data is a JSON-RPC error object
	// that names the pages that a person has to visit before the request is made again.
	OutcomeVisitRequired
)

// EventKind says what a delivered event is. The numbers are part of the span
// table that JavaScript reads: append, never renumber.
type EventKind uint8

// EventGap: events there are no more, in their place.
const EventGap EventKind = 0

// The kinds of event.
const (
	EventProgress     EventKind = iota + 1 // how far a call has come
	EventLog                               // a log message
	EventNotification                      // any other message of the server's, whole
	EventStatus                            // what the call's stream does: open, cut, reconnecting
	EventResumed                           // what a resume did: continued, restarted, gap
	// EventIntegrity: the server broke a rule and what came of it was dropped and counted
	EventIntegrity
	EventInput      // a call asks for input before it goes on
	EventRequest    // a request of the server's; Position is its handle
	EventGuarantee  // what a reload would do to the call, where that has changed
	EventDurability // where the client keeps its calls, where that has changed
	EventSegment    // a numbered part of a streamed result
	EventTask       // what the server says of the call's task
	// EventPeek: what a peek at the call came to; Position is its Outcome, 0 where nobody was asked
	EventPeek
	// EventDraft: what was saved of the answer to the request with handle Position, which follows
	EventDraft
	EventItem     // a change to an item of what both sides have said
	EventPhase    // what the other side does: running, idle, requires action
	EventQuestion // the other side asks something; Position is the handle of that
	// EventWithdrawn: nobody waits for the answer to the request with handle Position any more
	EventWithdrawn
	// EventForward: the answer to the request with handle Position is for the tab that carries the subject
	EventForward
	// EventStreams: how many streams the subjects of a client would have, and how many of them are at work
	EventStreams
	EventAcked // an Ack is stored, or cannot be; Position is its ticket
	// EventEvicted: the store has let a call go that nobody has acknowledged: no room, or its age
	EventEvicted
	// EventQuarantined: a stored record cannot be read: the host gives it up where this page has it, and
	// leaves it alone
	EventQuarantined
)

// Effect is one thing a Machine asks of its Host. It is a flat struct rather
// than a family of types so that a queue of them costs no allocation per event.
type Effect struct {
	Kind     Kind
	Event    EventKind
	Outcome  Outcome
	X        ExchangeID
	C        SubjectID
	Stream   StreamState // EventStatus and EventTask only
	Position uint32
	Ticket   uint32   // Store only: names the commit, counted from 1
	Strict   bool     // Store only
	Data     []byte   // valid until the next input; of Store until its Stored
	Request  *Request // Fetch, Source and Socket; the host owns it
	Failure  *Error   // Settle with OutcomeFailure, and EventPeek with it, only
}

// Field is one HTTP header field. Value holds the bytes as they go on the
// wire; what is outside ASCII is sent as it is (fetch takes a byte string).
type Field struct{ Name, Value string }

// MethodReach in a Fetch is no method of HTTP's: it asks whether anything at all answers
// at the URL. The host finds out by requests that need no permission and change nothing,
// with no header fields of anybody's, without credentials, and as quietly as it can; it
// ends them as soon as it knows. It reports a Head with status 200 where anybody has
// answered, whatever it was; an End with EndNetwork where nobody has; and an End with
// EndInvalid where it cannot know.
const MethodReach = "REACH"

// Request is what Fetch sends, or what Source and Socket open.
type Request struct {
	Method string  // GET, POST or DELETE; or MethodReach
	URL    string  // absolute
	Header []Field // in the order in which they were added
	Body   []byte  // nil where there is none; owned by the host from here on
	// Once: Fetch only: the host does not send it again by itself, whatever becomes of its connection
	Once bool
	// Limit: Socket only: of a longer message just the beginning is reported, longer than Limit too; 0 for
	// all of it
	Limit int
}

// Head is the head of an HTTP response, as far as the browser shows it.
type Head struct {
	Status int     // 200 ... 599
	Header []Field // names in lower case; only those that CORS exposes
}

// Get returns the value of the first field with that lower-case name.
func (h *Head) Get(name string) string {
	for _, f := range h.Header {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Ending says how an exchange ended. A clean end proves nothing about
// completeness: a connection without framing that breaks looks clean too.
type Ending uint8

// The ways an exchange ends.
const (
	EndClean      Ending = iota + 1 // the body ended
	EndNetwork                      // fetch or read rejected: cut, refused, blocked by CORS, down
	EndInvalid                      // the browser refused to send it (a header it cannot carry, a bad URL)
	EndUnreadable                   // it was answered, and what the app's fetch gave of that cannot be read
)
