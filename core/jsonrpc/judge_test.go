package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// The judge is a second, slow reading of the same rules on encoding/json. It shares nothing with the package.

// isJSON is the oracle for whole texts. encoding/json replaces invalid UTF-8 where we refuse it, and has a
// nesting limit of its own (10,000), far above ours.
func isJSON(text []byte, depth int) bool {
	return json.Valid(text) && utf8.Valid(text) && nesting(text) <= depth
}

// nesting counts the levels of a valid JSON text.
func nesting(text []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// pair is one member of an object as it stood.
type pair struct {
	key   string
	value json.RawMessage
}

// pairs lists the members of an object, duplicates included.
func pairs(object []byte) ([]pair, bool) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, false
	}
	var all []pair
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, false
		}
		var p pair
		p.key = key.(string)
		if err := dec.Decode(&p.value); err != nil {
			return nil, false
		}
		all = append(all, p)
	}
	return all, true
}

// judge tells what a text is as a message, or with which code it must be refused.
func judge(text []byte) (jsonrpc.Kind, map[string]json.RawMessage, jsonrpc.Code) {
	if !json.Valid(text) || !utf8.Valid(text) {
		return 0, nil, jsonrpc.Syntax
	}
	if nesting(text) > jsonrpc.DefaultDepth {
		return 0, nil, jsonrpc.Depth
	}
	list, ok := pairs(text)
	if !ok {
		if bytes.TrimLeft(text, " \t\r\n")[0] == '[' {
			return 0, nil, jsonrpc.BatchRefused
		}
		return 0, nil, jsonrpc.Envelope
	}
	m := map[string]json.RawMessage{}
	for _, p := range list {
		first := string(p.value[:1])
		known, good := true, true
		switch p.key {
		case "jsonrpc":
			var s string
			good = json.Unmarshal(p.value, &s) == nil && s == "2.0"
		case "id":
			good = strings.Contains(`"-0123456789n`, first)
		case "method":
			good = first == `"`
		case "params":
			good = first == "{" || first == "[" || first == "n"
		case "error":
			good = first == "{"
		case "result":
		default:
			known = false
		}
		if _, twice := m[p.key]; twice && known {
			return 0, nil, jsonrpc.DuplicateKey
		}
		if !good {
			return 0, nil, jsonrpc.Envelope
		}
		m[p.key] = p.value
	}
	if string(m["params"]) == "null" {
		delete(m, "params")
	}
	has := func(key string) bool { _, ok := m[key]; return ok }
	shape := ""
	for _, key := range []string{"method", "result", "error"} {
		if has(key) {
			shape += key[:1]
		}
	}
	switch {
	case !has("jsonrpc"):
	case shape == "m" && has("id"):
		return jsonrpc.Request, m, 0
	case shape == "m":
		return jsonrpc.Notification, m, 0
	case shape == "r" && has("id") && string(m["id"]) != "null":
		return jsonrpc.Response, m, 0
	case shape == "e":
		return jsonrpc.ErrorResponse, m, 0
	}
	return 0, nil, jsonrpc.Envelope
}

// checkParse holds Parse against the judge.
func checkParse(t testing.TB, text []byte) {
	t.Helper()
	before := bytes.Clone(text)
	m, err := jsonrpc.Parse(text, jsonrpc.Limits{})
	if !bytes.Equal(before, text) {
		t.Fatalf("Parse changed its input %q", before)
	}
	kind, want, code := judge(text)
	if code != 0 {
		got := codeOf(err)
		if json.Valid(text) && code == jsonrpc.Syntax && got == jsonrpc.Depth {
			return // invalid UTF-8 somewhere behind the level that was one too many
		}
		if !json.Valid(text) && got == jsonrpc.Depth {
			return // broken somewhere behind that level
		}
		if got != code {
			t.Fatalf("Parse(%q) = %v, the judge says %v", text, err, code)
		}
		var e *jsonrpc.Error
		if errors.As(err, &e); e.Offset < 0 || e.Offset > len(text) {
			t.Fatalf("Parse(%q): offset %d of %d bytes", text, e.Offset, len(text))
		}
		return
	}
	if err != nil {
		t.Fatalf("Parse(%q) = %v, the judge accepts it", text, err)
	}
	if m.Kind != kind {
		t.Fatalf("Parse(%q) is a %v, the judge says %v", text, m.Kind, kind)
	}
	if id := idText(m.ID); id != string(want["id"]) {
		t.Fatalf("Parse(%q): id %s, the judge says %s", text, id, want["id"])
	}
	var method string
	if raw, ok := want["method"]; ok {
		if err := json.Unmarshal(raw, &method); err != nil {
			t.Fatal(err)
		}
	}
	if string(m.Method) != method {
		t.Fatalf("Parse(%q): method %q, the judge says %q", text, m.Method, method)
	}
	if kind == jsonrpc.Response || kind == jsonrpc.ErrorResponse {
		delete(want, "params") // not a member of a reply
	}
	for key, got := range map[string][]byte{"params": m.Params, "result": m.Result, "error": m.Error} {
		if string(got) != string(want[key]) || (got == nil) != (want[key] == nil) {
			t.Fatalf("Parse(%q): %s %q, the judge says %q", text, key, got, want[key])
		}
	}
	if raw := strings.Trim(string(text), " \t\r\n"); string(m.Raw) != raw {
		t.Fatalf("Parse(%q): raw %q", text, m.Raw)
	}
}

// idText writes an id back as it must have stood in the text.
func idText(id jsonrpc.ID) string {
	switch id.Kind {
	case jsonrpc.IDNumber:
		return string(id.Text)
	case jsonrpc.IDString:
		return `"` + string(id.Text) + `"`
	case jsonrpc.IDNull:
		return "null"
	}
	return ""
}

// checkMember holds Member and Members against the judge, on any text that Valid accepts.
func checkMember(t testing.TB, object []byte, key string) {
	t.Helper()
	got, ok := jsonrpc.Member(object, key)
	keys := []string{"some other key", key}
	if key == keys[0] {
		keys = keys[1:]
	}
	out := make([][]byte, len(keys))
	jsonrpc.Members(object, keys, out)
	if last := out[len(out)-1]; !bytes.Equal(last, got) || (last != nil) != ok {
		t.Fatalf("%q of %q: Member says %q, Members %q", key, object, got, last)
	}
	if jsonrpc.Valid(object, 0) != nil {
		return // never asked for; it only must not panic
	}
	list, is := pairs(object)
	if is != jsonrpc.IsObject(object) {
		t.Fatalf("IsObject(%q) = %v", object, !is)
	}
	var found []json.RawMessage
	for _, p := range list {
		if p.key == key {
			found = append(found, p.value)
		}
	}
	if ok != (len(found) == 1) || ok && !bytes.Equal(got, found[0]) {
		t.Fatalf("Member(%q, %q) = %q, %v; the judge found %q", object, key, got, ok, found)
	}
}

// checkString holds String and AppendString against encoding/json.
func checkString(t testing.TB, value []byte) {
	t.Helper()
	got, ok := jsonrpc.String(value)
	var want string
	wantOK := json.Unmarshal(value, &want) == nil && utf8.Valid(value) && len(value) > 0 && value[0] == '"' &&
		value[len(value)-1] == '"'
	if ok != wantOK || ok && got != want {
		t.Fatalf("String(%q) = %q, %v; encoding/json says %q, %v", value, got, ok, want, wantOK)
	}
	quoted := jsonrpc.AppendString(nil, string(value))
	if err := jsonrpc.Valid(quoted, 0); err != nil {
		t.Fatalf("AppendString(%q) = %s: %v", value, quoted, err)
	}
	back, ok := jsonrpc.String(quoted)
	if !ok || back != strings.ToValidUTF8(string(value), "\ufffd") && utf8.Valid(value) {
		t.Fatalf("AppendString(%q) = %s, read back as %q", value, quoted, back)
	}
	var std string
	if err := json.Unmarshal(quoted, &std); err != nil || std != back {
		t.Fatalf("AppendString(%q) = %s, encoding/json reads %q, %v", value, quoted, std, err)
	}
}

// codeOf returns the code of an error of this package, 0 for nil.
func codeOf(err error) jsonrpc.Code {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		panic(fmt.Sprintf("%T is not an error of jsonrpc", err))
	}
	return 0
}
