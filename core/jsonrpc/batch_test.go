package jsonrpc_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func TestParseBatchRefuses(t *testing.T) {
	const note = `{"jsonrpc":"2.0","method":"m"}`
	many := func(n int) string { return "[" + strings.Repeat(note+",", n-1) + note + "]" }
	deep := strings.Repeat("[", 10) + strings.Repeat("]", 10)
	for _, c := range []struct {
		text string
		l    jsonrpc.Limits
		want jsonrpc.Code
	}{
		{text: ``, want: jsonrpc.Syntax},
		{text: `[`, want: jsonrpc.Syntax},
		{text: `[]`, want: jsonrpc.Envelope},
		{text: ` [ ] `, want: jsonrpc.Envelope},
		{text: `[]x`, want: jsonrpc.Syntax},
		{text: `[` + note, want: jsonrpc.Syntax},
		{text: `[` + note + `,`, want: jsonrpc.Syntax},
		{text: `[` + note + `,]`, want: jsonrpc.Syntax},
		{text: `[,` + note + `]`, want: jsonrpc.Syntax},
		{text: `[` + note + ` ` + note + `]`, want: jsonrpc.Syntax},
		{text: `[` + note + `}`, want: jsonrpc.Syntax},
		{text: `[` + note + `]]`, want: jsonrpc.Syntax},
		{text: note + note, want: jsonrpc.Syntax},
		{text: many(1000)},
		{text: many(1001), want: jsonrpc.BatchRefused},
		{text: many(3), l: jsonrpc.Limits{Batch: 3}},
		{text: many(4), l: jsonrpc.Limits{Batch: 3}, want: jsonrpc.BatchRefused},
		{text: `[` + strings.Repeat("[", 600), want: jsonrpc.Depth},
		// The limit is each message's own; the array around it does not count.
		{text: `[` + deep + `]`, l: jsonrpc.Limits{Depth: 10}},
		{text: `[` + deep + `]`, l: jsonrpc.Limits{Depth: 9}, want: jsonrpc.Depth},
		{text: `[` + strings.Repeat("1,", 100_000), want: jsonrpc.BatchRefused},
	} {
		b, err := jsonrpc.ParseBatch([]byte(c.text), c.l)
		if codeOf(err) != c.want || err != nil && b.Len() != 0 {
			t.Errorf("ParseBatch(%.60s) = %d messages, %v; want %v", c.text, b.Len(), err, c.want)
		}
	}
}

func TestBatchOfOneMessage(t *testing.T) {
	for text, want := range map[string]jsonrpc.Code{
		` {"jsonrpc":"2.0","id":1,"result":{}} `: 0,
		`{"jsonrpc":"2.0"}`:                      jsonrpc.Envelope,
		`7`:                                      jsonrpc.Envelope,
	} {
		b, err := jsonrpc.ParseBatch([]byte(text), jsonrpc.Limits{})
		if err != nil || b.Len() != 1 {
			t.Errorf("ParseBatch(%s) = %d messages, %v", text, b.Len(), err)
		}
		m, ok, err := b.Next()
		if !ok || codeOf(err) != want || want == 0 && m.Kind != jsonrpc.Response {
			t.Errorf("%s: %v, %v, %v", text, m.Kind, ok, err)
		}
		if _, ok, err := b.Next(); ok || err != nil {
			t.Errorf("%s: a second message, %v", text, err)
		}
	}
}

func TestBatchElements(t *testing.T) {
	text := `[ {"jsonrpc":"2.0","method":"a","params":{"n":[1,2]}} ,{"id":1,"id":2},[],` + "\n" +
		`{"jsonrpc":"2.0","id":"b","result":0}]`
	b, err := jsonrpc.ParseBatch([]byte(text), jsonrpc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := b.Next()
	if string(first.Raw) != `{"jsonrpc":"2.0","method":"a","params":{"n":[1,2]}}` ||
		string(first.Params) != `{"n":[1,2]}` {
		t.Errorf("first: %s", first.Raw)
	}
	_, _, err = b.Next()
	if e, _ := err.(*jsonrpc.Error); e == nil || e.Code != jsonrpc.DuplicateKey ||
		e.Offset != strings.Index(text, `"id":2`) {
		t.Errorf("second: %v, which must count from the beginning of the text", err)
	}
	if _, ok, err := b.Next(); !ok || codeOf(err) != jsonrpc.Envelope {
		t.Errorf("third: %v, %v", ok, err)
	}
	if last, ok, err := b.Next(); !ok || err != nil || idText(last.ID) != `"b"` || b.Len() != 0 {
		t.Errorf("fourth: %s, %v, %v", last.Raw, ok, err)
	}
}

// A caller that overwrites the text under a Batch gets an error, never a panic or an endless loop.
func TestBatchSurvivesItsTextChanging(t *testing.T) {
	text := []byte(`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]`)
	b, err := jsonrpc.ParseBatch(text, jsonrpc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = '['
	}
	if _, ok, err := b.Next(); !ok || err == nil {
		t.Errorf("%v, %v", ok, err)
	}
	if _, ok, _ := b.Next(); ok {
		t.Error("went on after a broken text")
	}
}
