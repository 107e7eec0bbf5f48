package jsonrpc_test

import (
	"encoding/json"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func TestAppendRequest(t *testing.T) {
	for _, c := range []struct{ params, meta, want string }{
		{``, ``, ``},
		{`{}`, ``, `,"params":{}`},
		{" {\n} ", ``, `,"params":{}`},
		{``, `{}`, `,"params":{"_meta":{}}`},
		{`{}`, `{}`, `,"params":{"_meta":{}}`},
		{`{ }`, `{"progressToken":5}`, `,"params":{"_meta":{"progressToken":5}}`},
		{`{"a":1}`, ``, `,"params":{"a":1}`},
		{`{"a":1}`, ` {"t": 5} `, `,"params":{"_meta":{"t": 5},"a":1}`},
		{"\t{ \"a\" : 1 ,\n\"b\":{} }\r\n", `{}`, `,"params":{"_meta":{},"a" : 1 ,` + "\n" + `"b":{}}`},
		{`{"a":"}"}`, `{"b":"{"}`, `,"params":{"_meta":{"b":"{"},"a":"}"}`},
		{`[1,2]`, ``, `,"params":[1,2]`},
		{`[1,2]`, `{}`, `,"params":[1,2]`},
	} {
		got := string(jsonrpc.AppendRequest([]byte("x"), 18, "tools/call", []byte(c.params), []byte(c.meta)))
		if want := `x{"jsonrpc":"2.0","id":18,"method":"tools/call"` + c.want + `}`; got != want {
			t.Errorf("request with %q, %q = %s", c.params, c.meta, got)
		}
		if m := parse(t, got[1:]); m.Kind != jsonrpc.Request || !json.Valid([]byte(got[1:])) {
			t.Errorf("%s is a %v", got, m.Kind)
		}
		note := string(jsonrpc.AppendNotification(nil, "tools/call", []byte(c.params), []byte(c.meta)))
		if want := `{"jsonrpc":"2.0","method":"tools/call"` + c.want + `}`; note != want {
			t.Errorf("notification with %q, %q = %s", c.params, c.meta, note)
		}
	}
	if got := string(jsonrpc.AppendRequest(nil, 1<<53-1, "a\"b\n", nil, nil)); got !=
		`{"jsonrpc":"2.0","id":9007199254740991,"method":"a\"b\n"}` {
		t.Error(got)
	}
}

// The id that is written is the id that Uint recognizes.
func TestRequestIDsComeBack(t *testing.T) {
	for _, id := range []uint64{0, 1, 10, 1 << 32, 1<<53 - 1} {
		m := parse(t, string(jsonrpc.AppendRequest(nil, id, "m", nil, nil)))
		answer := parse(t, string(jsonrpc.AppendResult(nil, m.ID, nil)))
		if n, ok := answer.ID.Uint(); !ok || n != id || !answer.ID.Equal(m.ID) {
			t.Errorf("%d came back as %s", id, answer.ID.Text)
		}
	}
}

func TestAppendReplies(t *testing.T) {
	number := jsonrpc.ID{Kind: jsonrpc.IDNumber, Text: []byte("1.50")}
	text := jsonrpc.ID{Kind: jsonrpc.IDString, Text: []byte(`a\u0041\"`)}
	for _, c := range []struct{ got, want string }{
		{string(jsonrpc.AppendResult(nil, number, []byte(` {"a":1} `))),
			`{"jsonrpc":"2.0","id":1.50,"result":{"a":1}}`},
		{string(jsonrpc.AppendResult(nil, text, []byte(`null`))),
			`{"jsonrpc":"2.0","id":"a\u0041\"","result":null}`},
		{string(jsonrpc.AppendResult(nil, jsonrpc.ID{Kind: jsonrpc.IDNull}, nil)),
			`{"jsonrpc":"2.0","id":null,"result":{}}`},
		{string(jsonrpc.AppendError(nil, number, -32601, `no "x"`)),
			`{"jsonrpc":"2.0","id":1.50,"error":{"code":-32601,"message":"no \"x\""}}`},
		{string(jsonrpc.AppendError(nil, jsonrpc.ID{}, -32700, "")),
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}`},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestAppendObject(t *testing.T) {
	for _, c := range []struct{ base, extra, want string }{
		{``, ``, `{}`},
		{`{}`, ``, `{}`},
		{``, `"progressToken":5`, `{"progressToken":5}`},
		{` { } `, `"progressToken":5`, `{"progressToken":5}`},
		{`{"a":1}`, ``, `{"a":1}`},
		{"{\n\"a\":1\n}", `"progressToken":5`, `{"progressToken":5,"a":1}`},
	} {
		if got := string(jsonrpc.AppendObject([]byte("x"), []byte(c.base), []byte(c.extra))); got != "x"+
			c.want {
			t.Errorf("AppendObject(%q, %q) = %s", c.base, c.extra, got)
		}
	}
}
