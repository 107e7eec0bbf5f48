package journal

import "github.com/holdfast-mcp/holdfast/core/engine"

// Kind says what an entry of a log row is. The numbers are stored: append,
// never renumber.
type Kind uint8

// The kinds of entry, of all protocols in one table, so that no number is given twice:
// what their numbers N and their Data are. What follows from them says the protocol that
// folds them: core/mcp/recorded for a call, core/acp/store_fold.go for a session; questions,
// answers and drafts, events and Checkpoint core/durable for both. Those from skippable on may
// be skipped by a reader that does not know them.
const (
	// Sent: the request leaves under id N[0], in the session of handshake N[1].
	// It is written before the request is, so a head without one never left.
	Sent Kind = iota + 1
	// Event of the app's: N[0] is its engine.EventKind, Data its JSON. Its
	// position is one more than that of the event before.
	Event
	// Cursor of the call's stream, or the session's on the Connection before it: Data
	// is the id of the last event. Secret.
	Cursor
	// Retry is the stream's reconnection time, N[0] ms.
	Retry
	// Policy of a resumable request (SEP-975): wait N[0] to N[1] ms after a
	// disconnection (N[1] 0: no promise), received at N[2] ms since 1970.
	Policy
	// Token that resumes the request. Data is a JSON string, as sent. Secret.
	Token
	// Asked: a request of the server's that waits for the app. Data is its id,
	// raw and length first, then the message, raw. AskedEntry makes it.
	Asked
	// Answer to such a request: N[0] bytes of its id, raw, then the message that
	// answers it. It is sent until Taken. Secret, as its draft is. AnswerEntry makes it,
	// and Answered goes with it.
	Answer
	// Taken: the server has taken the answer to the request with id Data.
	Taken
	// Round: the call ended in a request for input; Data is the object of its
	// inputRequests, raw, empty for none; N[0] is 1 where a State belongs to it.
	Round
	// State to be sent back with the answers to a Round. Data is raw. Secret.
	State
	// Responses to a Round, as a JSON object; empty for none. The request that
	// carries them is the Sent that follows. Secret. An Answered without an id goes with them.
	Responses
	// Outcome: N[0] is an engine.Outcome, Data the raw result or error, or a
	// failure as AppendFailure writes it. N[1] is when, in ms since 1970.
	Outcome
	// Acked: the app has done with the events up to position N[0].
	Acked
	// Checkpoint: events up to position N[0] are not stored any more.
	Checkpoint
	// Resuming: a request that lets the server forget what it has delivered is
	// about to leave.
	Resuming

	// Sealed: the row has a secret part. Where that cannot be read, what it would
	// have replaced is out of date: an older cursor would bring events twice.
	Sealed

	// Task: the server has made a task of the call, at N[0] ms since 1970;
	// N[1] says in which dialect it is driven.
	Task
	// TaskID of that task. Secret: whoever has it may read the result.
	TaskID

	// Fetching: the request for the task's result leaves under id N[0]. The
	// Cursor that follows is that of its stream.
	Fetching

	// Seen: marks of the events up to the Cursor beside it, as link.Stream makes
	// them, by which a replay that reaches further back is known. Secret, as the
	// ids that they are made of.
	Seen

	// Draft of the answer to a request for input: N[0] bytes of the id that it
	// is asked under, raw, then JSON; no JSON where the draft is withdrawn. What a
	// person has typed is nobody else's: secret. DraftEntry makes it.
	Draft
	// TaskState is the requestState that goes back with the next request about
	// the task, raw; empty for none. Secret.
	TaskState

	// Connection to the agent that has the session (ACP): Data is its id. Secret.
	Connection
	// Prompt: one leaves under id N[0]; Data is its content, a JSON array. Then, where the
	// agent has accepted it and not repeated it yet, Data is its answer, an object.
	Prompt
	// Placed: that prompt is in the session's history, or never will be; Data says
	// which: "placed" or "unsent". In version 1 of the protocol "left": it is in the
	// history, which is what the page has sent.
	Placed

	// TaskTTL: the server keeps the task for N[0] ms (0: no promise) from when it
	// was last heard of it, at N[1] ms since 1970.
	TaskTTL

	lastKind = TaskTTL
)

// The kinds that a reader may skip which does not know them: none is a reason to
// refuse the row.
const (
	// Answered: the question with id Data has its Answer, in the secret part; without
	// an id, the Round has its Responses. Pages that look on see no secrets, and ask
	// nobody any more. N[0] is the number under which another page has given the
	// answer, 0 for the page that carries the call.
	Answered Kind = skippable + iota
	// Servers: the MCP servers that the agent is to connect to for the session, a JSON
	// array: their headers and environment hold tokens. Secret.
	Servers
	// Refused: the server has refused the request of the Sent before it for want of
	// authorization, and did not run it.
	Refused
	// Unsent: the request of the Sent before it has not left: it waits for a connection
	// still.
	Unsent
	// Joined: the call goes on in the session of handshake N[0], which is not that of its
	// request any more; what the server asks from here on it asks there.
	Joined
	// TakenMark: the request with id Data, whose answer is Taken, had a message with mark
	// N[0]: another message under that id is another request.
	TakenMark

	lastSkippable = TakenMark
	skippable     = 128
)

// numbers says how many numbers an entry of a kind starts with.
var numbers = [lastSkippable + 1]int{Answered: 1, Sent: 2, Event: 1, Retry: 1, Policy: 3, Answer: 1,
	Outcome: 2, Acked: 1, Checkpoint: 1, Task: 2, Fetching: 1, Round: 1, Draft: 1, Prompt: 1, Placed: 1,
	TaskTTL: 2, Joined: 1, TakenMark: 1}

// Entry is one thing that happened to a call.
type Entry struct {
	Kind Kind
	N    [3]uint64
	Data []byte
}

// AppendEntry appends e to a row, which it starts where b is empty. Numbers
// beyond 2^53-1 become that.
func AppendEntry(b []byte, e Entry) []byte {
	if len(b) == 0 {
		b = appendHeader(b)
	}
	size := len(e.Data)
	for _, n := range e.N[:numbers[e.Kind]] {
		size += uvarintSize(n)
	}
	b = appendUvarint(append(b, byte(e.Kind)), uint64(size))
	for _, n := range e.N[:numbers[e.Kind]] {
		b = appendUvarint(b, n)
	}
	return append(b, e.Data...)
}

// MaxEntryHead is more than an entry has before its Data: header, kind, size, numbers.
const MaxEntryHead = 2 + 1 + 4*8

func uvarintSize(n uint64) int {
	size := 1
	for n = min(n, maxSafe); n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// Row reads the entries of one part of a row.
type Row struct{ in input }

// ReadRow returns a reader of b; an empty b has no entries.
func ReadRow(b []byte) Row {
	r := Row{input{p: b}}
	if len(b) > 0 {
		r.in.header()
	}
	return r
}

// Next takes the next entry; its Data aliases the row.
func (r *Row) Next() (Entry, bool) {
	for r.in.err == nil && len(r.in.p) > 0 {
		e := Entry{Kind: Kind(r.in.p[0])}
		r.in.p = r.in.p[1:]
		body := input{p: r.in.bytes()}
		switch {
		case r.in.err != nil:
			return Entry{}, false
		case e.Kind > lastSkippable:
			continue
		case e.Kind > lastKind && e.Kind < skippable:
			// Its version byte said that we can read it: it cannot be ours.
			r.in.fail()
			return Entry{}, false
		case e.Kind == 0:
			r.in.fail()
			return Entry{}, false
		}
		for i := range numbers[e.Kind] {
			e.N[i] = body.uvarint()
		}
		e.Data = body.p
		if body.err != nil || !e.valid() {
			r.in.fail()
			return Entry{}, false
		}
		return e, true
	}
	return Entry{}, false
}

// valid reports whether the numbers and the data of an entry that was read can
// be what a writer meant. A guess at what else they mean could end a call that
// still runs, or run one again that has ended.
func (e *Entry) valid() bool {
	switch e.Kind {
	case Event:
		return e.N[0] > 0 && e.N[0] <= 1<<8-1 // engine.EventKind is a byte
	case Asked:
		id := input{p: e.Data}
		id.bytes()
		return id.err == nil
	case Answer, Draft:
		return e.N[0] <= uint64(len(e.Data))
	case Outcome:
		return e.N[0] >= uint64(engine.OutcomeResult) && e.N[0] <= uint64(engine.OutcomeFailure)
	case Checkpoint:
		return e.N[0] <= 1<<32-1
	}
	return true
}

// Err returns why the reader stopped early, nil at a proper end.
func (r *Row) Err() error { return r.in.err }
