package recorded_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

func numbered(kind journal.Kind, n ...uint64) journal.Entry {
	e := journal.Entry{Kind: kind}
	copy(e.N[:], n)
	return e
}

func said(kind journal.Kind, text string) journal.Entry {
	return journal.Entry{Kind: kind, Data: []byte(text)}
}

// before are calls of which something is stored: with a cursor and a question, of a task that
// asks, and of a round with its state.
var before = map[string][]journal.Entry{
	"stream": {numbered(journal.Sent, 1, 1), numbered(journal.Policy, 1, 2, 3),
		journal.AskedEntry([]byte("\x011"), []byte("?"))},
	"task": {numbered(journal.Sent, 1, 1), numbered(journal.Task, 5, 1),
		journal.AskedEntry([]byte("kname"), []byte("?")), journal.AskedEntry([]byte("\x011"), []byte("?"))},
	"round": {numbered(journal.Sent, 1, 1), {Kind: journal.Round, N: [3]uint64{1}, Data: []byte("?")}},
}

var sealed = []journal.Entry{
	said(journal.Cursor, "c1"), said(journal.Seen, "s1"), said(journal.Token, `"t"`),
	said(journal.TaskID, "T"),
	said(journal.TaskState, "s"), said(journal.State, "s"), said(journal.Responses, "{}"),
	journal.AnswerEntry([]byte("\x011"), []byte("a")), journal.AnswerEntry([]byte("kname"), []byte("a")),
	journal.DraftEntry([]byte("\x011"), []byte("d")), journal.DraftEntry([]byte("kname"), []byte("d")),
	journal.DraftEntry([]byte("rname"), []byte("d")),
}

var plain = []journal.Entry{
	numbered(journal.Sent, 2, 1), numbered(journal.Sent, 2, 2), numbered(journal.Joined, 2),
	numbered(journal.Task, 6, 1), numbered(journal.Fetching, 3),
	said(journal.Round, "??"), {Kind: journal.Round, N: [3]uint64{1}, Data: []byte("??")},
	said(journal.Taken, "\x011"), said(journal.Taken, "kname"),
	numbered(journal.Refused), numbered(journal.Retry, 5), numbered(journal.TaskTTL, 5, 6),
}

// goesWith is what is written in plain with a sealed entry: that there is an answer.
func goesWith(secret journal.Entry) []journal.Entry {
	switch secret.Kind {
	case journal.Answer:
		id, _ := journal.ReadReply(secret)
		return []journal.Entry{journal.AnsweredEntry(id, 0)}
	case journal.Responses:
		return []journal.Entry{journal.AnsweredEntry(nil, 0)}
	}
	return nil
}

// folded describes the call that follows from these rows.
func folded(t *testing.T, rows ...[2][]journal.Entry) string {
	t.Helper()
	r := recorded.New(journal.Head{Method: "tools/call"}, 0)
	for _, row := range rows {
		var parts [2][]byte
		for i, entries := range row {
			for _, e := range entries {
				parts[i] = journal.AppendEntry(parts[i], e)
			}
		}
		if err := r.Apply(parts[0], parts[1], nil); err != nil {
			t.Fatal(err)
		}
	}
	policy := recorded.ResumePolicy{}
	if r.Policy != nil {
		policy, r.Policy = *r.Policy, nil
	}
	r.Bytes = 0
	return fmt.Sprintf("%+v %+v", policy, *r)
}

// Fault 520: what is sealed and then made void by a plain entry is as void where both are
// written into one row as where they are in two. It used to come back: the plain part
// of a row is folded first.
func TestFault520_OneRowIsAsTwo(t *testing.T) {
	for name, entries := range before {
		for _, secret := range sealed {
			if secret.Kind == journal.Responses && name != "round" {
				continue // to nothing
			}
			for _, next := range plain {
				base, with := [2][]journal.Entry{entries, nil}, goesWith(secret)
				two := folded(t, base, [2][]journal.Entry{with, {secret}}, [2][]journal.Entry{{next}, nil})
				one := [2][]journal.Entry{append(with, next), {secret}}
				if isVoid := recorded.Voids(next, name == "task"); isVoid != nil && isVoid(secret) {
					one[1] = nil
				}
				if got := folded(t, base, one); got != two {
					t.Errorf("%s, %v, then %v:\none row %s\ntwo     %s", name, secret, next, got, two)
				}
			}
		}
	}
}
