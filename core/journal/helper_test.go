package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// row puts entries into the two parts of a row.
func row(entries ...Entry) (plain, secret []byte) {
	var d draft
	for _, e := range entries {
		d.add(e)
	}
	return d.plain, d.secret
}

// fold makes a record of one row for each list of entries.
func fold(t testing.TB, rows ...[]Entry) *recorded.Call {
	t.Helper()
	r := recorded.New(Head{Method: "tools/call"}, 0)
	for i, entries := range rows {
		if err := apply(r, entries...); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	return r
}

// apply folds one row of entries into r.
func apply(r *recorded.Call, entries ...Entry) error {
	plain, secret := row(entries...)
	return r.Apply(plain, secret, nil)
}

// dump writes everything that r holds, nil apart from empty.
func dump(r *recorded.Call) string {
	var b strings.Builder
	text := func(name string, p []byte) {
		if p != nil {
			fmt.Fprintf(&b, " %s=%q", name, p)
		}
	}
	fmt.Fprintf(&b, "head=%q/%q/%q/%q/%q/%d/%d/%d/%d/%d", r.Head.Key, r.Head.Method, r.Head.Params,
		r.Head.Meta, r.Head.Header,
		r.Head.Flags, r.Head.CreatedAt, r.Head.Answer, r.Head.Idle, r.Head.Total)
	fmt.Fprintf(&b, " sent=%v/%d/%d/%d position=%d/%d/%d", r.Sent, r.Request, r.Session, r.Sends, r.Position,
		r.Checkpoint, r.Acked)
	text("cursor", r.Cursor)
	fmt.Fprintf(&b, " retry=%d", r.Retry)
	if p := r.Policy; p != nil {
		fmt.Fprintf(&b, " policy=%d/%d/%d", p.MinWait, p.MaxWait, p.ReceivedAt)
		text("token", p.Token)
	}
	for _, q := range r.Asked {
		fmt.Fprintf(&b, " asked=%q/%q", q.ID, q.Message)
	}
	for _, a := range r.Outbox {
		fmt.Fprintf(&b, " answer=%q/%q", a.ID, a.Message)
	}
	for _, d := range r.Drafts {
		fmt.Fprintf(&b, " draft=%q/%q", d.ID, d.Message)
	}
	text("taskstate", r.TaskState)
	text("round", r.Round)
	if r.Stated {
		b.WriteString(" stated")
	}
	text("state", r.State)
	text("responses", r.Responses)
	if r.Responded {
		b.WriteString(" responded")
	}
	fmt.Fprintf(&b, " rounds=%d outcome=%d ended=%d", r.Rounds, r.Outcome, r.EndedAt)
	text("data", r.Data)
	if r.Failure != nil {
		fmt.Fprintf(&b, " failure=%s", dumpFailure(r.Failure))
	}
	fmt.Fprintf(&b, " bytes=%d", r.Bytes)
	return b.String()
}

func dumpFailure(e *engine.Error) string {
	s := fmt.Sprintf("%q/%q/%d/%v/%q", e.Code, e.Op, e.Status, e.Retryable, e.Message)
	if e.Cause != nil {
		s += fmt.Sprintf("/%q", e.Cause)
	}
	return s
}

// held is how many bytes of other people's r holds on to.
func held(r *recorded.Call) int {
	n := len(r.Cursor) + len(r.Round) + len(r.State) + len(r.Responses) + len(r.Data)
	if r.Policy != nil {
		n += len(r.Policy.Token)
	}
	for _, q := range r.Asked {
		n += len(q.ID) + len(q.Message)
	}
	for _, a := range append(r.Outbox, r.Drafts...) {
		n += len(a.ID) + len(a.Message)
	}
	return n + len(r.TaskState)
}

// everyKind holds entries of many kinds, in an order in which a call may make them. It ends
// without an outcome. All kinds are in goldenKinds.
func everyKind() []Entry {
	return []Entry{
		{Kind: Sent, N: [3]uint64{7, 2}},
		{Kind: Event, N: [3]uint64{uint64(engine.EventProgress)}, Data: []byte(`{"progress":1}`)},
		{Kind: Cursor, Data: []byte("s1_1")},
		{Kind: Retry, N: [3]uint64{1500}},
		{Kind: Policy, N: [3]uint64{500, 60000, 1767225600000}},
		{Kind: Token, Data: []byte(`"tok-1"`)},
		AskedEntry([]byte(`"q1"`), []byte(`{"id":"q1","method":"roots/list"}`)),
		AskedEntry([]byte(`2`), []byte(`{"id":2,"method":"elicitation/create"}`)),
		AnswerEntry([]byte(`2`), []byte(`{"id":2,"result":{}}`)),
		AskedEntry([]byte(`3`), []byte(`{"id":3,"method":"elicitation/create"}`)),
		AnswerEntry([]byte(`3`), []byte(`{"id":3,"result":{}}`)),
		{Kind: Taken, Data: []byte(`3`)},
		{Kind: Event, N: [3]uint64{uint64(engine.EventLog)}, Data: []byte(`{"data":"€"}`)},
		{Kind: Acked, N: [3]uint64{1}},
		{Kind: Checkpoint, N: [3]uint64{1}},
		{Kind: Resuming},
		{Kind: Round, N: [3]uint64{1}, Data: []byte(`{"a":{"method":"elicitation/create"}}`)},
		{Kind: State, Data: []byte(`"opaque"`)},
		{Kind: Responses, Data: []byte(`{"a":{}}`)},
	}
}

// someOutcomes are one outcome of each sort.
func someOutcomes() []Entry {
	failure := &engine.Error{Code: engine.CodeHTTP, Op: "tools/call", Status: 503, Retryable: true,
		Message: "busy", Cause: &engine.Error{Message: "why"}}
	return []Entry{
		{Kind: Outcome, N: [3]uint64{uint64(engine.OutcomeResult), 1767225700000},
			Data: []byte(`{"content":[]}`)},
		{Kind: Outcome, N: [3]uint64{uint64(engine.OutcomeRPCError), 1767225700000},
			Data: []byte(`{"code":-32603}`)},
		{Kind: Outcome, N: [3]uint64{uint64(engine.OutcomeFailure), 1767225700000},
			Data: AppendFailure(nil, failure)},
	}
}
