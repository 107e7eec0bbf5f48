package recorded

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// maxSeen bounds the marks of events that are kept, in bytes: what a link.Stream
// remembers.
const maxSeen = 32 << 10

// Call is a call folded from its head and its rows: what is needed to go on with it.
// Its byte slices are its own.
type Call struct {
	durable.History
	durable.Questions

	Sent       bool   // the request may have left
	Refused    bool   // and the server has refused to run it, the last time that it was sent
	Request    uint64 // its id on the wire, of the last time it was sent
	Session    uint64 // number of the handshake in whose session that was, or in whose it goes on
	Sends      int    // how often it was sent
	MayHaveRun bool   // before it was sent for the last time: that request alone may have been refused
	Acked      uint32 // the app has done with those up to here

	Cursor []byte // id of the last event of its stream; empty for none
	Seen   []byte // marks of the events before that, maxSeen bytes at most
	Retry  int64  // the stream's reconnection time, ms; -1 for none

	Policy *ResumePolicy

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

	Fetching uint64 // id of the request for its result; 0 for none

	Outcome engine.Outcome // 0 while it has none
	Data    []byte         // of the outcome
	Failure *engine.Error  // of OutcomeFailure
	EndedAt int64          // ms since 1970; 0 while it has no outcome
}

// ResumePolicy is what SEP-975's notifications/requests/resumePolicy promised.
type ResumePolicy struct {
	Token      []byte // JSON string; nil where it could not be unsealed
	MinWait    int64  // ms
	MaxWait    int64  // ms; 0 for no promise
	ReceivedAt int64  // ms since 1970
}

// New returns the Call of which nothing but the head is known, size bytes long.
func New(head journal.Head, size int) *Call {
	return &Call{History: durable.NewHistory(head, size), Questions: durable.Questions{KeepAsked: true},
		Retry: -1}
}

// Apply folds one row into r. each, where it is not nil, is told of every event; secret
// is nil where the row has no secret part or where that could not be unsealed. A row that
// cannot be read changes nothing.
func (r *Call) Apply(plain, secret []byte, each durable.Each) error {
	return r.History.Apply(r, plain, secret, each)
}

// Reapply folds a row that has been applied or checked before, after the same rows.
func (r *Call) Reapply(plain, secret []byte, each durable.Each) {
	r.History.Reapply(r, plain, secret, each)
}

// Unsealed drops what a row's secret part may have replaced.
func (r *Call) Unsealed() {
	r.Cursor, r.Seen, r.State, r.TaskState = nil, nil, nil, nil
	if r.Policy != nil {
		r.Policy.Token = nil
	}
}

// Fold takes an entry.
func (r *Call) Fold(e journal.Entry) {
	if r.Outcome != 0 && e.Kind != journal.Acked {
		return // such as the cursor that came with the outcome
	}
	switch e.Kind {
	case journal.Sent:
		// A new stream: nothing of the last one's carries over. What is asked from here on is
		// asked by another run, under ids, and keys, that mean something else (fault 521).
		r.MayHaveRun = r.MayHaveRun || r.Sent && !r.Refused && !r.RoundOver
		r.Sent, r.Refused, r.Request, r.Session = true, false, e.N[0], e.N[1]
		r.Sends++
		r.Cursor, r.Seen, r.Retry, r.Policy = nil, nil, -1, nil
		r.Task, r.TaskID, r.TaskState, r.Fetching = false, "", nil, 0
		r.TaskTTL, r.TaskHeardAt = 0, 0
		r.Questions = durable.Questions{KeepAsked: true}
		if r.Responded = r.RoundOver; !r.Responded {
			r.Round, r.Stated, r.State = nil, false, nil
		}
	case journal.Refused:
		r.Refused, r.Responded = true, false
	case journal.Unsent:
		if r.Sent {
			r.Sent = false
			r.Sends--
		}
	case journal.Joined:
		if r.Session != e.N[0] {
			r.Session = e.N[0]
			r.Leave(isSessionID)
			if r.Task { // else the cursor is a resumable request's, in whatever session
				r.Cursor, r.Seen = nil, nil
			}
		}
	case journal.Cursor:
		r.Cursor = bytes.Clone(e.Data)
	case journal.Seen:
		r.Seen = append(r.Seen, e.Data...)
		r.Seen = r.Seen[max(len(r.Seen)-maxSeen, 0):]
	case journal.Retry:
		r.Retry = int64(e.N[0])
	case journal.Policy:
		r.Policy = &ResumePolicy{MinWait: int64(e.N[0]), MaxWait: int64(e.N[1]), ReceivedAt: int64(e.N[2])}
	case journal.Token:
		if r.Policy != nil {
			r.Policy.Token = bytes.Clone(e.Data)
		}
	case journal.Answered:
		if len(e.Data) > 0 {
			r.Questions.Fold(e, r.opensRound)
			return
		}
		r.RoundOver = r.Round != nil
		r.DropDrafts(isRoundID)
	case journal.Round:
		r.Round, r.State, r.Responses = append([]byte{}, e.Data...), nil, nil
		r.Stated, r.Responded, r.RoundOver = e.N[0] != 0, false, false
		r.Rounds++
		r.DropDrafts(isRoundID)
	case journal.State:
		if r.Stated { // else it is an earlier round's, of the same row
			r.State = bytes.Clone(e.Data)
		}
	case journal.Responses:
		if r.RoundOver { // as the Answered beside it says
			r.Responses = append([]byte{}, e.Data...)
		}
	case journal.Asked:
		if id, _ := journal.ReadAsked(e); isInputID(id) {
			r.Reopen(id) // the server has asked something else under that key
		}
		r.Questions.Fold(e, r.opensRound)
	case journal.Task:
		r.TaskState, r.TaskTTL, r.TaskHeardAt = nil, 0, 0
		r.Task, r.TaskID, r.TaskAt, r.TaskDialect = true, "", int64(e.N[0]), e.N[1]
		r.Cursor, r.Seen, r.Policy = nil, nil, nil
	case journal.Fetching:
		r.Fetching, r.Cursor, r.Seen, r.Retry = e.N[0], nil, nil, -1
	case journal.TaskID:
		if r.Task {
			r.TaskID = string(e.Data)
		}
	case journal.TaskState:
		if r.Task {
			r.TaskState = bytes.Clone(e.Data)
		}
	case journal.TaskTTL:
		if r.Task {
			r.TaskTTL, r.TaskHeardAt = int64(e.N[0]), int64(e.N[1])
		}
	case journal.Outcome:
		r.outcome(e)
	case journal.Acked:
		if n := uint32(min(e.N[0], uint64(r.Position))); n > r.Acked {
			r.Acked = n
		}
	default:
		r.Questions.Fold(e, r.opensRound)
	}
}

// outcome ends the call: what was needed to go on is not needed any more. The
// first one stands.
func (r *Call) outcome(e journal.Entry) {
	r.Outcome, r.EndedAt = engine.Outcome(e.N[0]), int64(e.N[1])
	if r.Outcome != engine.OutcomeFailure {
		r.Data = bytes.Clone(e.Data)
	} else {
		failure, err := journal.ParseFailure(e.Data)
		if err != nil {
			failure = &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.Head.Method,
				Message: "the stored outcome cannot be read"}
		}
		r.Failure = failure
	}
	r.Questions = durable.Questions{}
	r.Policy, r.Cursor, r.Seen, r.TaskState = nil, nil, nil, nil
	r.Round, r.Stated, r.State, r.Responses, r.Responded, r.RoundOver = nil, false, nil, nil, false, false
}

// Latest returns the latest time that the record tells, in ms since 1970.
func (r *Call) Latest() int64 {
	latest := max(r.Head.CreatedAt, r.EndedAt, r.TaskAt, r.TaskHeardAt)
	if r.Policy != nil {
		latest = max(latest, r.Policy.ReceivedAt)
	}
	return latest
}
