package journal_test

import (
	"bytes"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// sealedRow puts entries into the two parts of a row, as writers do: the first n in
// plain.
func sealedRow(n int, entries ...Entry) (plain, secret []byte) {
	for i, e := range entries {
		if i < n {
			plain = AppendEntry(plain, e)
		} else {
			secret = AppendEntry(secret, e)
		}
	}
	return AppendEntry(plain, Entry{Kind: Sealed}), secret
}

// An answer is sealed, and that there is one is not: whoever can read it sends it,
// whoever looks on asks nobody, and whoever carries the call and cannot read it asks
// once more.
func TestFault122_AnsweredInPlain(t *testing.T) {
	id := []byte("1q")
	plain, secret := sealedRow(1, AnsweredEntry(id, 7), AnswerEntry(id, []byte(`{"canary":1}`)))
	if bytes.Contains(plain, []byte("canary")) {
		t.Fatal("the answer is in plain")
	}
	made := func() *recorded.Call { return fold(t, []Entry{AskedEntry(id, []byte("{}"))}) }

	r := made()
	if err := r.Apply(plain, secret, nil); err != nil || len(r.Asked)+len(r.Answered) > 0 ||
		len(r.Outbox) != 1 {
		t.Errorf("read: %v, %+v", err, r)
	}

	r = made()
	if err := r.Apply(plain, nil, nil); err != nil || len(r.Asked)+len(r.Outbox) > 0 ||
		len(r.Answered) != 1 || r.Answered[0].By != 7 {
		t.Errorf("looked at: %v, %+v", err, r)
	}
	if apply(r, AskedEntry(id, []byte("{}"))); len(r.Asked) > 0 {
		t.Error("asked again by a replay")
	}
	r.AskAgain()
	if len(r.Asked) != 1 || string(r.Asked[0].Message) != "{}" || len(r.Answered) > 0 {
		t.Errorf("asked again: %+v", r)
	}

	r = made()
	r.Reapply(plain, nil, nil)
	if apply(r, data(Taken, string(id))); len(r.Answered) > 0 || len(r.Withdrawn) > 0 || len(r.Taken) != 1 {
		t.Errorf("taken: %+v", r)
	}
}

// The same of the responses to a Round, which a Sent may follow in one row.
func TestFault122_RespondedInPlain(t *testing.T) {
	round := []Entry{{Kind: Round, N: [3]uint64{1}, Data: []byte(`{"a":{}}`)}}
	plain, secret := sealedRow(2, AnsweredEntry(nil, 0), sent(9, 1), data(State, `"s"`),
		data(Responses, `{"a":1}`))
	r := fold(t, round)
	if err := r.Apply(plain, secret, nil); err != nil || r.Asks() || !r.Responded ||
		string(r.Responses) != `{"a":1}` || string(r.State) != `"s"` {
		t.Errorf("read: %v, %+v", err, r)
	}
	r = fold(t, round)
	if err := r.Apply(plain, nil, nil); err != nil || r.Asks() || !r.Responded || r.Responses != nil {
		t.Errorf("looked at: %v, %+v", err, r)
	}
	if apply(r, round...); !r.Asks() || r.Responded {
		t.Errorf("the next round: %+v", r)
	}
}

// The bytes of the entries that a reader may skip.
func TestWritesSkippable(t *testing.T) {
	for want, e := range map[string]Entry{
		"01018003073171": AnsweredEntry([]byte("1q"), 7),
		"010181025b5d":   data(Servers, "[]"),
		"01018200":       {Kind: Refused},
		"01018300":       {Kind: Unsent},
		"0101840102":     number(Joined, 2),
		"010185034d3131": {Kind: TakenMark, N: [3]uint64{77}, Data: []byte("11")},
	} {
		if got := tohex(AppendEntry(nil, e)); got != want {
			t.Errorf("%d: %s, want %s", e.Kind, got, want)
		}
	}
}
