package jsonrpc_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Fault 17: an id is matched by type and text. What is not letter for letter the number that was given out is
// no id of ours.
func TestFault17_IDsByTypeAndText(t *testing.T) {
	// Each of these is an id of its own.
	ids := []string{`1`, `"1"`, `1.0`, `1e0`, `10e-1`, `-1`, `01x`, `0`, `-0`, `""`, `null`, `"null"`, `"a"`,
		`"A"`, `"\u0061"`, `"a "`,
		`9007199254740991`, `9007199254740992`, `9007199254740993`, `18446744073709551617`,
		`18446744073709551616`, `"9007199254740993"`}
	ids = slices.DeleteFunc(ids, func(s string) bool { return !json.Valid([]byte(s)) })
	read := func(text string) jsonrpc.ID {
		return parse(t, `{"jsonrpc":"2.0","id": `+text+` ,"error":{"code":1,"message":""}}`).ID
	}
	for i, a := range ids {
		if got := idText(read(a)); got != a {
			t.Errorf("id %s read as %s", a, got)
		}
		for j, b := range ids {
			if read(a).Equal(read(b)) != (i == j) {
				t.Errorf("id %s equal to %s: %v", a, b, i != j)
			}
		}
		if read(a).Equal(jsonrpc.ID{}) || read(a).IsZero() {
			t.Errorf("id %s counts as absent", a)
		}
		// A request's id goes back as it stood.
		for _, answer := range [][]byte{
			jsonrpc.AppendResult(nil, read(a), nil), jsonrpc.AppendError(nil, read(a), -32601, "no"),
		} {
			if v, ok := jsonrpc.Member(answer, "id"); !ok || string(v) != a {
				t.Errorf("id %s echoed as %s", a, v)
			}
		}
	}

	// Only the canonical text is a number of ours.
	for text, want := range map[string]uint64{`0`: 0, `1`: 1, `42`: 42, `9007199254740991`: 1<<53 - 1} {
		if n, ok := read(text).Uint(); !ok || n != want {
			t.Errorf("id %s = %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{`"1"`, `"0"`, `1.0`, `1e0`, `1E2`, `-1`, `-0`, `0.0`, `null`, `""`,
		`9007199254740992`, `9007199254740993`,
		`18446744073709551615`, `18446744073709551616`, `99999999999999999999999`} {
		if n, ok := read(text).Uint(); ok {
			t.Errorf("id %s taken for %d", text, n)
		}
	}
	for _, id := range []jsonrpc.ID{{}, {Kind: jsonrpc.IDNumber},
		{Kind: jsonrpc.IDNumber, Text: []byte("01")}, {Kind: jsonrpc.IDNumber, Text: []byte("+1")}} {
		if n, ok := id.Uint(); ok {
			t.Errorf("id %q taken for %d", id.Text, n)
		}
	}

	// Types that no id may have.
	for _, text := range []string{`true`, `false`, `[]`, `[1]`, `{}`, `{"id":1}`} {
		refused(t, `{"jsonrpc":"2.0","id":`+text+`,"result":{}}`, jsonrpc.Envelope)
		refused(t, `{"jsonrpc":"2.0","id":`+text+`,"method":"m"}`, jsonrpc.Envelope)
		refused(t, `{"jsonrpc":"2.0","id":`+text+`,"error":{"code":1,"message":""}}`, jsonrpc.Envelope)
	}
}

// Fault 575: params of null are none, as serializers write them that have a place for each member. Twice they
// are refused as any member is.
func TestFault575_NullParamsAreNone(t *testing.T) {
	for text, want := range map[string]jsonrpc.Kind{
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`:    jsonrpc.Request,
		`{"jsonrpc":"2.0","method":"m","par\u0061ms": null }`:       jsonrpc.Notification,
		`{"params":null,"jsonrpc":"2.0","id":1,"result":{"a":1}}`:   jsonrpc.Response,
		`{"params":null,"jsonrpc":"2.0","id":1,"error":{"code":1}}`: jsonrpc.ErrorResponse,
	} {
		m, err := jsonrpc.Parse([]byte(text), jsonrpc.Limits{})
		if err != nil || m.Kind != want || m.Params != nil || string(m.Raw) != text {
			t.Errorf("%s: %v with the params %q, %v", text, m.Kind, m.Params, err)
		}
	}
	refused(t, `{"jsonrpc":"2.0","method":"m","params":null,"params":{}}`, jsonrpc.DuplicateKey)
}

// Fault 19: both result and error, neither, and a batch where the revision has none.
func TestFault19_EnvelopeShape(t *testing.T) {
	const fail = `{"code":-32603,"message":"x"}`
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{},"error":` + fail + `}`,
		`{"jsonrpc":"2.0","id":1,"result":null,"error":` + fail + `}`,
		`{"jsonrpc":"2.0","error":` + fail + `,"result":{},"id":1}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, // JSON-RPC 1.0 style
		`{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","params":{}}`,
		`{}`,
		`{"jsonrpc":"2.0","result":{}}`,
		`{"jsonrpc":"2.0","id":null,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","error":` + fail + `}`,
		`{"jsonrpc":"2.0","method":"m","result":{},"error":` + fail + `}`,
		`{"id":1,"result":{}}`,
		`{"jsonrpc":"1.0","id":1,"result":{}}`,
		`{"jsonrpc":2.0,"id":1,"result":{}}`,
		`{"jsonrpc":2,"id":1,"result":{}}`,
		`{"jsonrpc":"2","id":1,"result":{}}`,
		`{"jsonrpc":"2.0 ","id":1,"result":{}}`,
		`{"jsonrpc":null,"id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":null}`,
		`{"jsonrpc":"2.0","id":1,"error":"x"}`,
		`{"jsonrpc":"2.0","id":1,"error":[]}`,
		`{"jsonrpc":"2.0","method":null}`,
		`{"jsonrpc":"2.0","method":1}`,
		`{"jsonrpc":"2.0","method":["m"]}`,
		`{"jsonrpc":"2.0","method":"m","params":"x"}`,
		`{"jsonrpc":"2.0","method":"m","params":1}`,
		`null`, `true`, `1`, `"x"`,
	} {
		refused(t, text, jsonrpc.Envelope)
	}

	batch := `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{},"error":{}}, 7 ,` +
		`{"jsonrpc":"2.0","id":1,"result":{}}]`
	for _, text := range []string{batch, " " + batch + "\n", `[]`, `[[]]`, `[1]`,
		`[{"jsonrpc":"2.0","method":"a"}]`} {
		refused(t, text, jsonrpc.BatchRefused)
	}

	// With permission the good messages of a batch arrive, each bad one is an error of its own.
	b, err := jsonrpc.ParseBatch([]byte(batch), jsonrpc.Limits{})
	if err != nil || b.Len() != 4 {
		t.Fatalf("ParseBatch = %d messages, %v", b.Len(), err)
	}
	for i, want := range []struct {
		kind jsonrpc.Kind
		code jsonrpc.Code
	}{{jsonrpc.Notification, 0}, {0, jsonrpc.Envelope}, {0, jsonrpc.Envelope}, {jsonrpc.Response, 0}} {
		if m, ok, err := b.Next(); !ok || m.Kind != want.kind || codeOf(err) != want.code {
			t.Errorf("message %d: %v, %v, %v", i, m.Kind, ok, err)
		}
	}
	if m, ok, err := b.Next(); ok || err != nil || m.Kind != 0 {
		t.Errorf("after the last: %v, %v, %v", m.Kind, ok, err)
	}
}
