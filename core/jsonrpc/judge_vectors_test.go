package jsonrpc_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func allVectors(t testing.TB) []vector {
	return slices.Concat(acceptVectors(t), rejectVectors(t), choiceVectors(t))
}

// judgeTexts are the texts on which Parse and the judge must agree: every vector bare, as each member of an
// envelope, and every combination of six members with good and bad values.
func judgeTexts(t testing.TB) []string {
	var texts []string
	for _, v := range allVectors(t) {
		texts = append(texts, v.text)
		for _, form := range []string{
			`{"jsonrpc":"2.0","method":"m","params":%s}`,
			`{"id":%s,"method":"m","jsonrpc":"2.0"}`,
			`{"jsonrpc":"2.0","id":1,"result":%s}`,
			`{"jsonrpc":"2.0","id":"x","error":%s}`,
			`{"jsonrpc":"2.0","method":%s}`,
			`{"jsonrpc":%s,"method":"m"}`,
			`[{"jsonrpc":"2.0","method":"m"},%s]`,
		} {
			texts = append(texts, fmt.Sprintf(form, v.text))
		}
	}
	choices := [][]string{
		{``, `"jsonrpc":"2.0"`, `"jsonrpc":"1.0"`, `"\u006asonrpc":"2\u002e0"`},
		{``, `"id":1`, `"id":null`, `"id":[]`, `"id":"a"`},
		{``, `"method":"a/b"`, `"method":"a\/b"`, `"method":null`},
		{``, `"params":{}`, `"params":null`},
		{``, `"result":{"a":1}`, `"result":null`, `"\u0072esult":0`},
		{``, `"error":{"code":1,"message":""}`, `"error":null`, `"error":{},"e\u0072ror":{}`},
	}
	var build func(prefix string, rest [][]string)
	build = func(prefix string, rest [][]string) {
		if len(rest) == 0 {
			texts = append(texts, "{"+prefix+"}")
			return
		}
		for _, member := range rest[0] {
			if prefix != "" && member != "" {
				member = " , " + member
			}
			build(prefix+member, rest[1:])
		}
	}
	build("", choices)
	return texts
}

func memberTexts(t testing.TB) []string {
	texts := []string{
		`{"a":1}`, `{"a":1,"a":2}`, `{"\u0061":[1,{"a":2}]}`, `{"b":{"a":3},"a" : "x" }`, ` { "a" : null } `,
		`{"\ud800":1}`,
		`{"\ud800":1,"\udc00":2}`, `{"A":1}`, `{"a\u0000":1}`, `{"a\\":1}`, `{"a":1`, `{"a":1,}`, `[{"a":1}]`,
		`"a"`, ``, `{"":1}`,
	}
	for _, v := range allVectors(t) {
		texts = append(texts, v.text, `{"a":`+v.text+`}`, `{"b":`+v.text+`,"a":0}`)
	}
	return texts
}

func TestParseAgreesWithTheJudge(t *testing.T) {
	for _, text := range judgeTexts(t) {
		checkParse(t, []byte(text))
	}
}

func TestMemberAgreesWithTheJudge(t *testing.T) {
	for _, text := range memberTexts(t) {
		for _, key := range []string{"a", "b", "", "A", "\ufffd", "\\u0061", "some other key"} {
			checkMember(t, []byte(text), key)
		}
	}
}

func TestStringAgreesWithTheJudge(t *testing.T) {
	for _, v := range allVectors(t) {
		checkString(t, []byte(v.text))
		checkString(t, []byte(`"`+v.text+`"`))
	}
}

// batchAgrees compares ParseBatch with Parse on a text that may or may not be a batch, and on a batch made of
// it.
func batchAgrees(text []byte) string {
	one, oneErr := jsonrpc.Parse(text, jsonrpc.Limits{})
	s := string(text)
	for _, batch := range []string{s, "[" + s + "]", "[" + s + "," + s + "]"} {
		b, err := jsonrpc.ParseBatch([]byte(batch), jsonrpc.Limits{})
		if err != nil {
			if oneErr == nil {
				return fmt.Sprintf("ParseBatch(%q) = %v, Parse accepts the element", batch, err)
			}
			continue
		}
		seen := 0
		for want := b.Len(); ; seen++ {
			m, ok, err := b.Next()
			if !ok {
				if seen != want {
					return fmt.Sprintf("ParseBatch(%q): %d of %d delivered", batch, seen, want)
				}
				break
			}
			if oneErr == nil && (err != nil || string(m.Raw) != string(one.Raw) || m.Kind != one.Kind ||
				!m.ID.Equal(one.ID)) {
				return fmt.Sprintf("ParseBatch(%q): element %d is %q, %v", batch, seen, m.Raw, err)
			}
		}
	}
	return ""
}
