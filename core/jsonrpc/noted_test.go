package jsonrpc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// ResultMember finds what Member finds, whatever the result is, and whether or not all its members are noted.
func TestResultMember(t *testing.T) {
	many := func(n int, last string) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			fmt.Fprintf(&b, `"m%d":%d,`, i, i)
		}
		return b.String() + last + "}"
	}
	results := []string{
		`{}`, `{ }`, `[]`, `"task"`, `1`, `null`, `true`,
		`{"task":{"taskId":"1"}}`, ` { "task" : [ 1 , 2 ] , "content" : "" } `,
		`{"t\u0061sk":1}`, `{"task":1,"task":2}`, `{"task":1,"t\u0061sk":2}`, `{"a":{"task":1}}`,
		`{"":1,"task":""}`,
		many(maxNoted-1, `"task":1`), many(maxNoted, `"task":1`), many(40, `"task":1`),
		many(maxNoted, `"task":1,"task":2`),
		`{"content":[{"type":"text","text":"` + strings.Repeat(`a \"quote\" `, 100) + `"}],"task":null}`,
	}
	var series Series
	for _, result := range results {
		for _, form := range []string{`{"jsonrpc":"2.0","id":1,"result":%s}`,
			`{"result":%s,"id":"a","jsonrpc":"2.0","more":{"task":3}}`} {
			m, err := series.Parse(fmt.Appendf(nil, form, result), Limits{})
			if err != nil {
				t.Fatalf("%s: %v", result, err)
			}
			for _, key := range []string{"task", "content", "", "m0", "m5", "m6", "m39", "taskId"} {
				sameMember(t, &m, key)
			}
		}
	}
}

func sameMember(t *testing.T, m *Message, key string) {
	t.Helper()
	want, has := Member(m.Result, key)
	got, ok := m.ResultMember(key)
	if ok != has || !bytes.Equal(got, want) || len(want) > 0 && &got[0] != &want[0] {
		t.Errorf("%q of %s: %q, %v; Member finds %q, %v", key, m.Result, got, ok, want, has)
	}
}

// A result may be any value: noting its members changes neither which texts are refused nor at which byte.
func TestResultIsReadAsAnyValue(t *testing.T) {
	const before = `{"jsonrpc":"2.0","id":1,"`
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	values := []string{
		`{`, `{"`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{"a":1 "b":2}`,
		`{1:2}`, `{"a":tru}`, `{"a":"\x"}`, "{\"a\":\"\xff\"}", "{\"\xff\":1}", `{"a":01}`,
		deep(3), deep(4), deep(5), `[` + deep(3) + `]`, `{}`, `{"a":[]}`,
	}
	for _, value := range values {
		for _, depth := range []int{1, 2, 4, 5} {
			text := []byte(before + `result":` + value + `}`)
			_, got := new(Series).Parse(text, Limits{Depth: depth})
			want := Valid(text, depth)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s at depth %d: %v, and %v where no members are noted", value, depth, got, want)
			}
		}
	}
}
