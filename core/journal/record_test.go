package journal_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

func sent(id, session uint64) Entry { return Entry{Kind: Sent, N: [3]uint64{id, session}} }
func event(data string) Entry {
	return Entry{Kind: Event, N: [3]uint64{uint64(engine.EventLog)}, Data: []byte(data)}
}
func data(k Kind, data string) Entry { return Entry{Kind: k, Data: []byte(data)} }
func stated(data string) Entry       { return Entry{Kind: Round, N: [3]uint64{1}, Data: []byte(data)} }
func number(k Kind, n uint64) Entry  { return Entry{Kind: k, N: [3]uint64{n}} }
func policy(min, max, received int64) Entry {
	return Entry{Kind: Policy, N: [3]uint64{uint64(min), uint64(max), uint64(received)}}
}

// What rows fold to. Words of want have to be in the dump, those after a "!"
// may not be.
func TestFold(t *testing.T) {
	q := func(id string) Entry { return AskedEntry([]byte(id), []byte("q"+id)) }
	a := func(id string) Entry { return AnswerEntry([]byte(id), []byte("a"+id)) }
	for name, c := range map[string]struct {
		rows [][]Entry
		want string
	}{
		"nothing":               {nil, `sent=false/0/0/0 position=0/0/0 retry=-1 outcome=0`},
		"head alone never left": {[][]Entry{{}}, `sent=false`},
		"sent twice":            {[][]Entry{{sent(7, 2)}, {sent(9, 3)}}, `sent=true/9/3/2`},
		"event and cursor":      {[][]Entry{{event("1"), data(Cursor, "c1")}}, `position=1/0/0 cursor="c1"`},
		"a new stream has no cursor": {[][]Entry{
			{sent(1, 1), data(Cursor, "c"), number(Retry, 5), policy(1, 2, 3)}, {sent(2, 1)}},
			`retry=-1 !cursor !policy`},
		"nor in the same row": {[][]Entry{{sent(1, 1), data(Cursor, "c"), sent(2, 1)}},
			`sent=true/2/1/2 !cursor`},
		"but its own":      {[][]Entry{{data(Cursor, "old"), sent(2, 1), data(Cursor, "new")}}, `cursor="new"`},
		"an empty cursor":  {[][]Entry{{data(Cursor, "c")}, {data(Cursor, "")}}, `cursor=""`},
		"policy and token": {[][]Entry{{policy(1, 2, 3), data(Token, "t")}}, `policy=1/2/3 token="t"`},
		"a later policy": {[][]Entry{{policy(1, 2, 3), data(Token, "t"), policy(4, 5, 6)}},
			`policy=4/5/6 !token`},
		"a token of no policy": {[][]Entry{{data(Token, "t")}}, `!policy !token`},

		"asked":                 {[][]Entry{{q("1"), q("2")}}, `asked="1"/"q1" asked="2"/"q2"`},
		"asked twice":           {[][]Entry{{q("1"), q("1")}}, `asked="1"/"q1" rounds=0`},
		"answered":              {[][]Entry{{q("1"), q("2")}, {a("1")}}, `asked="2"/"q2" answer="1"/"a1" !asked="1"`},
		"answered, asked again": {[][]Entry{{q("1")}, {a("1")}, {q("1")}}, `answer="1"/"a1" !asked`},
		"answered twice": {[][]Entry{{q("1")}, {a("1")}, {AnswerEntry([]byte("1"), []byte("other"))}},
			`answer="1"/"a1" !other`},
		"answer to nothing": {[][]Entry{{a("1")}}, `answer="1"/"a1"`},
		"taken":             {[][]Entry{{q("1"), a("1")}, {data(Taken, "1")}}, `!asked !answer`},
		"withdrawn":         {[][]Entry{{q("1"), q("2")}, {data(Taken, "1")}}, `asked="2"/"q2" !asked="1" !answer`},
		"withdrawn, asked again": {[][]Entry{{q("1")}, {data(Taken, "1")}, {q("1")}},
			`asked="1"/"q1" !answer`},
		"taken, asked again": {[][]Entry{{q("1"), a("1")}, {data(Taken, "1")}, {q("1")}}, `!asked !answer`},
		"taken, of another":  {[][]Entry{{q("1"), a("1")}, {data(Taken, "2")}}, `answer="1"/"a1"`},
		"sent again, same session": {[][]Entry{{sent(1, 1), q("1"), q("2"), a("1")}, {sent(2, 1)}},
			`!answer !asked`},
		"sent again, taken before": {[][]Entry{{sent(1, 1), q("1"), a("1")}, {data(Taken, "1")},
			{sent(2, 1), q("1")}}, `asked="1"/"q1" !answer`},
		"sent again, other session": {[][]Entry{{sent(1, 1), q("1"), a("1")}, {sent(2, 2), q("1")}},
			`asked="1"/"q1" !answer`},

		"round": {[][]Entry{{stated("r"), data(State, "s")}}, `round="r" state="s" rounds=1 !responses`},
		"round answered": {[][]Entry{{stated("r"), data(State, "s")}, {data(Responses, "x")}},
			`round="r" state="s" responses="x" !responded`},
		"answered with nothing": {[][]Entry{{data(Round, "r")}, {data(Responses, "")}}, `responses=""`},
		"round sent": {[][]Entry{{stated("r"), data(State, "s")}, {data(Responses, "x")}, {sent(2, 1)}},
			`round="r" state="s" responses="x" responded`},
		"second round": {[][]Entry{
			{stated("r"), data(State, "s"), data(Responses, "x"), sent(2, 1), data(Round, "r2")}},
			`round="r2" rounds=2 !stated !state= !responses !responded`},
		"state of no round": {[][]Entry{{data(Round, "r")}, {data(State, "s")}}, `round="r" !stated !state=`},
		"round given up": {[][]Entry{{stated("r"), data(State, "s"), sent(2, 1)}},
			`rounds=1 !round= !stated !state=`},
		"acked": {[][]Entry{{event("1"), event("2"), number(Acked, 1)}}, `position=2/0/1`},
		"acked backwards": {[][]Entry{{event("1"), event("2"), number(Acked, 2), number(Acked, 1)}},
			`position=2/0/2`},
		"acked ahead": {[][]Entry{{event("1"), number(Acked, MaxSafe)}}, `position=1/0/1`},
		"base":        {[][]Entry{{number(Checkpoint, 10), event("11")}}, `position=11/10/0`},
		"base of what was read": {[][]Entry{{event("1"), event("2")}, {number(Checkpoint, 1)}},
			`position=2/1/0`},
		"base backwards": {[][]Entry{{number(Checkpoint, 10)}, {number(Checkpoint, 3)}}, `position=10/10/0`},
		"the last position": {[][]Entry{{number(Checkpoint, 1<<32-2)}, {event("x")}},
			`position=4294967295/4294967294/0`},
		"outcome": {[][]Entry{everyKind(), {someOutcomes()[0]}},
			`outcome=1 ended=1767225700000 data="{\"content\":[]}" position=2/1/1 !cursor !policy !asked ` +
				`!answer !round= !stated !state= !responses !responded`},
		"outcome of a round": {[][]Entry{{stated("r"), data(Responses, "x"), sent(2, 1), someOutcomes()[0]}},
			`outcome=1 !round= !stated !responses !responded`},
		"cursor with the outcome": {[][]Entry{{someOutcomes()[1], data(Cursor, "c")}}, `outcome=2 !cursor`},
		"events after the end": {[][]Entry{{someOutcomes()[0]}, {event("1"), number(Acked, 1)}},
			`outcome=1 position=1/0/1`},
		"nothing else after it": {append([][]Entry{{someOutcomes()[0]}}, everyKind(), someOutcomes()[1:]),
			`sent=false outcome=1 rounds=0 retry=-1 !cursor !policy !asked !answer`},
		"failure": {[][]Entry{{someOutcomes()[2]}},
			`outcome=3 failure="http_error"/"tools/call"/503/true/"busy"/"why" !data`},
		"unreadable failure": {[][]Entry{{{Kind: Outcome, N: [3]uint64{3, 5}, Data: []byte("junk")}}},
			`outcome=3 ended=5 failure="outcome_unknown"/"tools/call"`},
	} {
		got := " " + dump(fold(t, c.rows...)) + " "
		for word := range strings.FieldsSeq(c.want) {
			if no, ok := strings.CutPrefix(word, "!"); ok == strings.Contains(
				got, strings.TrimPrefix(no, "!")) {
				t.Errorf("%s: %s\nin %s", name, word, got)
			}
		}
	}
}

func TestApplyTellsOfEvents(t *testing.T) {
	var got []string
	each := func(kind engine.EventKind, position uint32, data []byte) {
		got = append(got, string(rune('0'+kind))+" "+string(rune('0'+position))+" "+string(data))
	}
	r := recorded.New(Head{Method: "m"}, 100)
	size := 100
	for _, entries := range [][]Entry{{sent(1, 1), event("a"), data(Cursor, "1")}, {event("b"), event("")},
		{number(Checkpoint, 3), event("d")}} {
		plain, secret := row(entries...)
		size += len(plain) + len(secret)
		if err := r.Apply(plain, secret, each); err != nil {
			t.Fatal(err)
		}
	}
	if want := "2 1 a,2 2 b,2 3 ,2 4 d"; strings.Join(got, ",") != want {
		t.Errorf("%q", got)
	}
	if r.Bytes != size {
		t.Errorf("%d bytes, want %d", r.Bytes, size)
	}
}

// A secret part that could not be unsealed costs what it held and no more.
func TestWithoutTheSecretPart(t *testing.T) {
	plain, secret := row(everyKind()...)
	if len(secret) == 0 {
		t.Fatal("no secret part")
	}
	r := recorded.New(Head{Method: "m"}, 0)
	if err := r.Apply(plain, nil, nil); err != nil {
		t.Fatal(err)
	}
	if r.Policy == nil || r.Policy.Token != nil || r.Cursor != nil || r.State != nil || r.Round == nil ||
		r.Position != 2 {
		t.Error(dump(r))
	}
}
