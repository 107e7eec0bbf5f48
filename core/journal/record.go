package journal

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// maxOutbox bounds what a stored call may make us hold or send again.
const maxOutbox = 256

// maxSeen bounds the marks of events that are kept, in bytes: what a link.Stream
// remembers.
const maxSeen = 32 << 10

// Record is a call folded from its head and its rows: what is needed to go on
// with it. Its byte slices are its own.
type Record struct {
	Head Head

	Sent     bool   // the request may have left
	Request  uint64 // its id on the wire, of the last time it was sent
	Session  uint64 // number of the handshake in whose session that was
	Sends    int    // how often it was sent
	Position uint32 // of the last event
	Base     uint32 // events up to here are not stored
	Acked    uint32 // the app has done with those up to here

	Cursor []byte // id of the last event of its stream; empty for none
	Seen   []byte // marks of the events before that, maxSeen bytes at most
	Retry  int64  // the stream's reconnection time, ms; -1 for none

	Policy *ResumePolicy
	Asked  []Question // requests of the server's that nobody has answered
	// Answered are those whose answer is stored and could not be read, as for a page
	// that looks on.
	Answered []GivenAnswer
	Outbox   []Reply  // answers that the server has not taken yet
	Taken    [][]byte // ids of the requests whose answers it has taken, or needs no more
	// Withdrawn has the ids of those of Taken that nobody has answered.
	Withdrawn [][]byte
	Drafts    []Reply // of answers to those of Asked and of the Round

	Round     []byte // the input that is asked for; nil where none is
	Stated    bool   // a State belongs to it
	State     []byte // to be sent back with the responses
	Responses []byte // to the Round; nil where nobody has answered it, or they could not be read
	RoundOver bool   // somebody has answered it
	Responded bool   // the request that carries them may have left
	Rounds    int    // how often it asked

	Task        bool   // the server has made a task of it
	TaskID      string // that task's; "" where it could not be unsealed
	TaskAt      int64  // ms since 1970
	TaskDialect uint64
	TaskState   []byte // to be sent back with the next request about it
	TaskTTL     int64  // ms for which the server keeps it; 0 for no promise
	TaskHeardAt int64  // ms since 1970: counted from here

	Connection string         // to the agent that has the session (ACP); "" for none
	Servers    []byte         // that the agent connects to for it, a JSON array; nil for none
	Prompts    []StoredPrompt // of that session, in the order of their sending
	Fetching   uint64         // id of the request for its result; 0 for none

	Outcome engine.Outcome // 0 while it has none
	Data    []byte         // of the outcome
	Failure *engine.Error  // of OutcomeFailure
	EndedAt int64          // ms since 1970; 0 while it has no outcome

	Bytes int // stored, head included
}

// StoredPrompt is one that has left, or is about to, and is not in the history.
type StoredPrompt struct {
	ID      uint64
	Content []byte
}

// ResumePolicy is what SEP-975's notifications/requests/resumePolicy promised.
type ResumePolicy struct {
	Token      []byte // JSON string; nil where it could not be unsealed
	MinWait    int64  // ms
	MaxWait    int64  // ms; 0 for no promise
	ReceivedAt int64  // ms since 1970
}

// Question is a request of the server's: its raw message and that message's id.
type Question struct{ ID, Message []byte }

// GivenAnswer is that a question has an answer, and who gave it: the number that
// another page has named, 0 for the page that carries the call.
type GivenAnswer struct {
	Question
	By uint64
}

// Reply answers the question with that id.
type Reply struct{ ID, Message []byte }

// NewRecord returns the Record of a call of which nothing but the head is known.
func NewRecord(head Head, size int) *Record {
	head.Params = bytes.Clone(head.Params)
	head.Meta = bytes.Clone(head.Meta)
	return &Record{Head: head, Retry: -1, Bytes: size}
}

// Apply folds one row into r. each, where it is not nil, is told of every event
// with its position, and of nothing else; its data is lent. secret is nil where
// the row has no secret part or where that could not be unsealed. A row that
// cannot be read changes nothing.
func (r *Record) Apply(plain, secret []byte, each func(kind engine.EventKind, position uint32, data []byte)) error {
	position := uint64(r.Position)
	for _, part := range [][]byte{plain, secret} {
		row := ReadRow(part)
		for {
			e, ok := row.Next()
			if !ok {
				break
			}
			switch e.Kind {
			case Event:
				position++
			case Base:
				position = max(position, e.N[0])
			}
		}
		if row.Err() != nil {
			return row.Err()
		}
	}
	if position > 1<<32-1 {
		return ErrCorrupt // the next event would have the position of an old one
	}
	r.Reapply(plain, secret, each)
	return nil
}

// Reapply folds a row that another Record has taken already, after the same rows
// before it: nothing in it is looked at with suspicion again.
func (r *Record) Reapply(plain, secret []byte, each func(kind engine.EventKind, position uint32, data []byte)) {
	r.Bytes += len(plain) + len(secret)
	// Plain first: a Sent or a Policy clears what the secret part then sets. So
	// a row may hold no secret that one of its own plain entries has made void.
	for _, part := range [][]byte{plain, secret} {
		row := ReadRow(part)
		for {
			e, ok := row.Next()
			if !ok {
				break
			}
			if e.Kind == Sealed && len(secret) == 0 {
				r.unsealed()
				continue
			}
			r.apply(e, each)
		}
	}
}

// unsealed drops what a row's secret part may have replaced, and could not be
// read: a cursor older than the events would bring some of them twice.
func (r *Record) unsealed() {
	r.Cursor, r.Seen, r.State, r.TaskState = nil, nil, nil, nil
	if r.Policy != nil {
		r.Policy.Token = nil
	}
}

func (r *Record) apply(e Entry, each func(kind engine.EventKind, position uint32, data []byte)) {
	if r.Outcome != 0 && e.Kind != Event && e.Kind != Acked && e.Kind != Base {
		return // such as the cursor that came with the outcome
	}
	switch e.Kind {
	case Sent:
		// A new stream: nothing of the last one's carries over. In another
		// session the ids of the server's requests mean something else.
		if r.Sent && r.Session != e.N[1] {
			r.Outbox, r.Taken, r.Withdrawn, r.Answered = nil, nil, nil, nil
		}
		r.Sent, r.Request, r.Session = true, e.N[0], e.N[1]
		r.Sends++
		r.Cursor, r.Seen, r.Retry, r.Policy = nil, nil, -1, nil
		r.Task, r.TaskID, r.TaskState, r.Fetching = false, "", nil, 0
		r.TaskTTL, r.TaskHeardAt = 0, 0
		r.Asked, r.Answered, r.Drafts = nil, nil, nil
		if r.Responded = r.RoundOver; !r.Responded {
			r.Round, r.Stated, r.State = nil, false, nil
		}
	case Event:
		r.Position++
		if each != nil {
			each(engine.EventKind(e.N[0]), r.Position, e.Data)
		}
	case Cursor:
		r.Cursor = bytes.Clone(e.Data)
	case Seen:
		r.Seen = append(r.Seen, e.Data...)
		r.Seen = r.Seen[max(len(r.Seen)-maxSeen, 0):]
	case Retry:
		r.Retry = int64(e.N[0])
	case Policy:
		r.Policy = &ResumePolicy{MinWait: int64(e.N[0]), MaxWait: int64(e.N[1]), ReceivedAt: int64(e.N[2])}
	case Token:
		if r.Policy != nil {
			r.Policy.Token = bytes.Clone(e.Data)
		}
	case Asked:
		r.asked(e.Data)
	case Answer:
		r.answered(e)
	case Answered:
		r.given(e)
	case Taken:
		r.taken(e.Data)
	case Round:
		r.Round, r.State, r.Responses = append([]byte{}, e.Data...), nil, nil
		r.Stated, r.Responded, r.RoundOver = e.N[0] != 0, false, false
		r.Rounds++
		r.dropDrafts(isRoundID)
	case State:
		if r.Stated { // else it is an earlier round's, of the same row
			r.State = bytes.Clone(e.Data)
		}
	case Responses:
		r.Responses, r.RoundOver = append([]byte{}, e.Data...), true
		r.dropDrafts(isRoundID)
	case Task:
		r.TaskState, r.TaskTTL, r.TaskHeardAt = nil, 0, 0
		r.Task, r.TaskID, r.TaskAt, r.TaskDialect = true, "", int64(e.N[0]), e.N[1]
		r.Cursor, r.Seen, r.Policy = nil, nil, nil
	case Fetching:
		r.Fetching, r.Cursor, r.Seen, r.Retry = e.N[0], nil, nil, -1
	case TaskID:
		if r.Task {
			r.TaskID = string(e.Data)
		}
	case TaskState:
		if r.Task {
			r.TaskState = bytes.Clone(e.Data)
		}
	case TaskTTL:
		if r.Task {
			r.TaskTTL, r.TaskHeardAt = int64(e.N[0]), int64(e.N[1])
		}
	case Draft:
		r.drafted(e)
	case Connection:
		r.Connection = string(e.Data)
		r.Cursor, r.Seen = nil, nil // of a stream on the one before
	case Servers:
		r.Servers = bytes.Clone(e.Data)
	case Prompt:
		r.Prompts = append(r.Prompts, StoredPrompt{ID: e.N[0], Content: bytes.Clone(e.Data)})
	case Placed:
		r.Prompts = slices.DeleteFunc(r.Prompts, func(p StoredPrompt) bool { return p.ID == e.N[0] })
	case Outcome:
		r.outcome(e)
	case Acked:
		if n := uint32(min(e.N[0], uint64(r.Position))); n > r.Acked {
			r.Acked = n
		}
	case Base:
		r.Base = max(r.Base, uint32(e.N[0]))
		r.Position = max(r.Position, r.Base)
	}
}

// outcome ends the call: what was needed to go on is not needed any more. The
// first one stands.
func (r *Record) outcome(e Entry) {
	r.Outcome, r.EndedAt = engine.Outcome(e.N[0]), int64(e.N[1])
	if r.Outcome != engine.OutcomeFailure {
		r.Data = bytes.Clone(e.Data)
	} else {
		failure, err := ParseFailure(e.Data)
		if err != nil {
			failure = &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.Head.Method, Message: "the stored outcome cannot be read"}
		}
		r.Failure = failure
	}
	r.Asked, r.Answered, r.Outbox, r.Taken, r.Withdrawn, r.Drafts = nil, nil, nil, nil, nil, nil
	r.Policy, r.Cursor, r.Seen, r.TaskState = nil, nil, nil, nil
	r.Round, r.Stated, r.State, r.Responses, r.Responded, r.RoundOver = nil, false, nil, nil, false, false
}

// Latest returns the latest time that the record tells, in ms since 1970.
func (r *Record) Latest() int64 {
	latest := max(r.Head.CreatedAt, r.EndedAt, r.TaskAt, r.TaskHeardAt)
	if r.Policy != nil {
		latest = max(latest, r.Policy.ReceivedAt)
	}
	return latest
}
