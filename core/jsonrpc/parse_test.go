package jsonrpc_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// parse parses a text that must be accepted.
func parse(t testing.TB, text string) jsonrpc.Message {
	t.Helper()
	m, err := jsonrpc.Parse([]byte(text), jsonrpc.Limits{})
	if err != nil {
		t.Fatalf("Parse(%s) = %v", text, err)
	}
	return m
}

// refused parses a text that must be refused with the code given.
func refused(t testing.TB, text string, want jsonrpc.Code) {
	t.Helper()
	if _, err := jsonrpc.Parse([]byte(text), jsonrpc.Limits{}); codeOf(err) != want {
		t.Errorf("Parse(%s) = %v, want %v", text, err, want)
	}
}

func TestParseReadsEachMember(t *testing.T) {
	for _, c := range []struct {
		text                          string
		kind                          jsonrpc.Kind
		id                            string
		method, params, result, error string
	}{
		{text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, kind: jsonrpc.Request,
			id: `1`, method: "tools/call", params: `{"name":"x"}`},
		{text: `{"params":[1, 2],"method":"m","id":"a\"b","jsonrpc":"2.0"}`, kind: jsonrpc.Request,
			id: `"a\"b"`, method: "m", params: `[1, 2]`},
		{text: `{"jsonrpc":"2.0","id":null,"method":"m"}`, kind: jsonrpc.Request, id: `null`, method: "m"},
		{text: `{"jsonrpc":"2.0","method":""}`, kind: jsonrpc.Notification},
		{text: `{"jsonrpc":"2.0","method":"a\/b\u00e9\ud83d\ude39"}`, kind: jsonrpc.Notification,
			method: "a/bé😹"},
		{text: "\t{ \"jsonrpc\" :\r\n\"2.0\" , \"method\" : \"m\" , \"params\" : { } } \n",
			kind: jsonrpc.Notification, method: "m", params: `{ }`},
		{text: `{"jsonrpc":"2.0","id":1,"result":null}`, kind: jsonrpc.Response, id: `1`, result: `null`},
		{text: `{"jsonrpc":"2.0","id":1,"result":"x"}`, kind: jsonrpc.Response, id: `1`, result: `"x"`},
		{text: `{"jsonrpc":"2.0","id":1,"result":{"a":[1,{}]},"params":{},"more":[]}`, kind: jsonrpc.Response,
			id: `1`, result: `{"a":[1,{}]}`},
		{text: `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, kind: jsonrpc.ErrorResponse, id: `1`,
			error: `{"code":1}`},
		{text: `{"jsonrpc":"2.0","id":null,"error":{}}`, kind: jsonrpc.ErrorResponse, id: `null`,
			error: `{}`},
		{text: `{"jsonrpc":"2.0","error":{}}`, kind: jsonrpc.ErrorResponse, error: `{}`},
	} {
		m := parse(t, c.text)
		if m.Kind != c.kind || idText(m.ID) != c.id || string(m.Method) != c.method ||
			string(m.Params) != c.params ||
			string(m.Result) != c.result || string(m.Error) != c.error ||
			string(m.Raw) != strings.TrimSpace(c.text) {
			t.Errorf("Parse(%s) = %v %s %q %s %s %s", c.text, m.Kind, idText(m.ID), m.Method, m.Params,
				m.Result, m.Error)
		}
	}
}

func TestParseReportsTheFirstFault(t *testing.T) {
	for _, c := range []struct {
		text   string
		code   jsonrpc.Code
		offset int
	}{
		{``, jsonrpc.Syntax, 0},
		{` `, jsonrpc.Syntax, 1},
		{`{"jsonrpc":"2.0","method":"m"} x`, jsonrpc.Syntax, 31},
		{`{"jsonrpc":"2.0","method":"m"`, jsonrpc.Syntax, 29},
		{`{"jsonrpc":"2.0","method":"m",}`, jsonrpc.Syntax, 30},
		{`{"jsonrpc":"1.0","method":"m"`, jsonrpc.Syntax, 29}, // broken text is broken, whatever its envelope
		{`{"id":[],"id":1}`, jsonrpc.Envelope, 6},
		{`{"id":1,"id":[]}`, jsonrpc.DuplicateKey, 8},
		{`{"id":1,"x":"` + "\xff" + `"}`, jsonrpc.Syntax, 13},
		{`{"id":1,"x":"12345678` + "\x01" + `"}`, jsonrpc.Syntax, 21},
		{`{"id":1,"x":"\q"}`, jsonrpc.Syntax, 14},
		{`  {"id":1,"jsonrpc":"2.0"}`, jsonrpc.Envelope, 2},
		{`  [] `, jsonrpc.BatchRefused, 2},
		{`  [ `, jsonrpc.Syntax, 4},
		{` 12`, jsonrpc.Envelope, 1},
		{`{"jsonrpc":"2.0","method":7}`, jsonrpc.Envelope, 26},
	} {
		_, err := jsonrpc.Parse([]byte(c.text), jsonrpc.Limits{})
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Offset != c.offset {
			t.Errorf("Parse(%q) = %v, want %v at %d", c.text, err, c.code, c.offset)
		}
	}
}

// Of a text that ends too soon the error says that it ended: a stream that was cut is
// told from a server that writes no JSON.
func TestParseTellsAnEndFromAWrongCharacter(t *testing.T) {
	for _, c := range []struct{ number, says string }{
		{`-`, "unexpected end"}, {`1.`, "unexpected end"}, {`1e`, "unexpected end"},
		{`1e+`, "unexpected end"},
		{`-x`, "unexpected character"}, {`1.x`, "unexpected character"}, {`1ex`, "unexpected character"},
		{`1e+x`, "unexpected character"},
	} {
		_, err := jsonrpc.Parse([]byte(`{"id":`+c.number), jsonrpc.Limits{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.number, err, c.says)
		}
	}
}

// An error is logged and shown; what a server sent must not get there.
func TestErrorsQuoteNothing(t *testing.T) {
	const secret = "hunter2"
	for _, text := range []string{
		`{"` + secret + `"}`, `{"jsonrpc":"` + secret + `","method":"m"}`, `"` + secret, `["` + secret + `"]`,
		`{"jsonrpc":"2.0","method":"m","params":"` + secret + `"}`,
	} {
		_, err := jsonrpc.Parse([]byte(text), jsonrpc.Limits{})
		if err == nil || strings.Contains(err.Error(), secret) ||
			!strings.HasPrefix(err.Error(), "jsonrpc: ") {
			t.Errorf("%v", err)
		}
		if !errors.Is(err, &jsonrpc.Error{Code: codeOf(err)}) ||
			errors.Is(err, &jsonrpc.Error{Code: jsonrpc.Depth}) {
			t.Errorf("%v is not compared by its code", err)
		}
	}
}

// Every slice lies in the text, and appending to one copies it instead of writing on.
func TestMessageAliasesTheText(t *testing.T) {
	text := []byte(` {"jsonrpc":"2.0","id":"abc","method":"m","params":{"a":1}} `)
	before := bytes.Clone(text)
	m, err := jsonrpc.Parse(text, jsonrpc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := jsonrpc.Member(m.Params, "a")
	low, high := uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&text[len(text)-1]))
	for name, b := range map[string][]byte{"id": m.ID.Text, "method": m.Method, "params": m.Params,
		"raw": m.Raw, "member": a} {
		if at := uintptr(unsafe.Pointer(&b[0])); at < low || at > high {
			t.Errorf("%s is a copy", name)
		}
		_ = append(b, "XXXX"...)
	}
	if !bytes.Equal(text, before) {
		t.Errorf("appending wrote into the text: %s", text)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	note := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,` +
		`"seqNr":7,"data":"déjà\nvu"}}`)
	response := []byte(
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text",` +
			`"text":"x"}],"t\u0061skId":"a"}}`)
	batch := []byte(`[` + string(note) + `,` + string(response) + `]`)
	result := parse(t, string(response)).Result
	keys := []string{"resultType", "taskId", "seqNr"}
	out := make([][]byte, len(keys))
	dst := make([]byte, 0, 512)
	for name, f := range map[string]func(){
		"Parse notification": func() { _, _ = jsonrpc.Parse(note, jsonrpc.Limits{}) },
		"Parse response":     func() { _, _ = jsonrpc.Parse(response, jsonrpc.Limits{}) },
		"ParseBatch": func() {
			b, _ := jsonrpc.ParseBatch(batch, jsonrpc.Limits{})
			for _, ok, _ := b.Next(); ok; _, ok, _ = b.Next() {
			}
		},
		"Valid":         func() { _ = jsonrpc.Valid(note, 0) },
		"Member":        func() { _, _ = jsonrpc.Member(result, "taskId") },
		"Members":       func() { jsonrpc.Members(result, keys, out) },
		"AppendRequest": func() { dst = jsonrpc.AppendRequest(dst[:0], 7, "tools/call", result, result) },
		"AppendResult":  func() { dst = jsonrpc.AppendResult(dst[:0], jsonrpc.ID{}, result) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
