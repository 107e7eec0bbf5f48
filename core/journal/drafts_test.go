package journal_test

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// A draft is there while its question is open, and no longer.
func TestDraftsLastAsLongAsTheirQuestion(t *testing.T) {
	question, round := []byte("kname"), recorded.RoundID("who")
	asks := []Entry{sent(7, 1), AskedEntry(question, []byte(`{"method":"m"}`)),
		{Kind: Round, Data: []byte(`{"who":{}}`)}}
	saved := []Entry{DraftEntry(question, []byte(`"a"`)), DraftEntry(round, []byte(`"b"`))}
	for name, test := range map[string]struct {
		rows        [][]Entry
		name, round string
	}{
		"saved":       {nil, `"a"`, `"b"`},
		"saved again": {[][]Entry{{DraftEntry(question, []byte(`"c"`))}}, `"c"`, `"b"`},
		"withdrawn":   {[][]Entry{{DraftEntry(round, nil)}}, `"a"`, ""},
		"too large":   {[][]Entry{{DraftEntry(round, bytes.Repeat([]byte("x"), MaxDraft+1))}}, `"a"`, `"b"`},
		"answered":    {[][]Entry{{AnswerEntry(question, []byte(`{}`))}}, "", `"b"`},
		"answered, then not": {[][]Entry{
			{AnswerEntry(question, []byte(`{}`)), DraftEntry(question, []byte(`"late"`))}}, "", `"b"`},
		"round answered": {[][]Entry{
			{{Kind: Responses, Data: []byte(`{}`)}, DraftEntry(round, []byte(`"late"`))}}, `"a"`, ""},
		"next round": {[][]Entry{{{Kind: Round, Data: []byte(`{"who":{}}`)}}}, `"a"`, ""},
		"run again":  {[][]Entry{{sent(8, 1)}}, "", ""},
		"ended":      {[][]Entry{{someOutcomes()[0]}}, "", ""},
	} {
		r := fold(t, append([][]Entry{asks, saved}, test.rows...)...)
		if got := string(r.Draft(question)); got != test.name {
			t.Errorf("%s: the question has %q", name, got)
		}
		if got := string(r.Draft(round)); got != test.round {
			t.Errorf("%s: the round has %q", name, got)
		}
	}
	// Of what nobody has asked there is none, however many the store holds.
	r := fold(t, []Entry{sent(7, 1)})
	for i := range 1000 {
		if err := apply(r, DraftEntry([]byte(strings.Repeat("q", i)), []byte(`"x"`)),
			DraftEntry(recorded.RoundID("a"), []byte(`1`))); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Drafts) != 0 {
		t.Errorf("%d drafts of nothing", len(r.Drafts))
	}
}

// A row that waits keeps the last draft of each question alone.
func TestWithoutDraft(t *testing.T) {
	a, b := []byte("ka"), []byte("kb")
	part := AppendEntry(nil, data(Cursor, "c1"))
	part = AppendEntry(part, DraftEntry(a, []byte(`1`)))
	part = AppendEntry(part, DraftEntry(b, []byte(`2`)))
	part = WithoutDraft(WithoutDraft(part, a), []byte("k"))
	got, err := readAll(part)
	if err != nil || len(got) != 2 || string(got[0].Data) != "c1" || string(got[1].Data) != "kb2" {
		t.Errorf("%v, %v", got, err)
	}
	if left := WithoutDraft(AppendEntry(nil, DraftEntry(a, nil)), a); len(left) != 0 {
		t.Errorf("an empty part is %v", left)
	}
	if left := WithoutDraft(nil, a); left != nil {
		t.Errorf("nothing becomes %v", left)
	}
}

// What goes back with the next request about a task is that task's alone.
func TestTaskState(t *testing.T) {
	task, state := Entry{Kind: Task, N: [3]uint64{5, 2}}, data(TaskState, `"s1"`)
	for name, test := range map[string]struct {
		rows [][]Entry
		want string
	}{
		"stored":        {[][]Entry{{task, data(TaskID, "T")}, {state}}, `"s1"`},
		"replaced":      {[][]Entry{{task, state}, {data(TaskState, `"s2"`)}}, `"s2"`},
		"none any more": {[][]Entry{{task, state}, {data(TaskState, "")}}, ""},
		"no task":       {[][]Entry{{state}}, ""},
		"another task":  {[][]Entry{{task, state}, {task}}, ""},
		"run again":     {[][]Entry{{task, state}, {sent(9, 1)}}, ""},
		"ended":         {[][]Entry{{task, state}, {someOutcomes()[0]}}, ""},
	} {
		if got := string(fold(t, test.rows...).TaskState); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := fold(t, []Entry{task, state})
	if err := r.Apply(AppendEntry(nil, Entry{Kind: Sealed}), nil, nil); err != nil || r.TaskState != nil {
		t.Errorf("what could not be read back is taken for %q, %v", r.TaskState, err)
	}
}
