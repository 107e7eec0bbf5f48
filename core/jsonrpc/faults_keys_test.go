package jsonrpc_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Fault 15: a member of the envelope twice, and keys that differ from one only in case. encoding/json lets
// the later one of {"jsonrpc":"2.0","JSONRPC":"9"} win.
func TestFault15_DuplicateAndMiscasedKeys(t *testing.T) {
	type member struct{ key, escaped, value string }
	request := []member{
		{`jsonrpc`, `jsonrp\u0063`, `"2.0"`}, {`id`, `\u0069d`, `1`},
		{`method`, `m\u0065thod`, `"m"`}, {`params`, `\u0070arams`, `{}`},
	}
	response := []member{request[0], request[1], {`result`, `resul\u0074`, `{}`}}
	failure := []member{request[0], request[1], {`error`, `err\u006Fr`, `{"code":1,"message":"x"}`}}
	text := func(members []member) string {
		s := ""
		for _, m := range members {
			s += `,"` + m.key + `":` + m.value
		}
		return "{" + s[1:] + "}"
	}
	for _, members := range [][]member{request, response, failure} {
		whole := parse(t, text(members))
		for i, m := range members {
			twin := member{key: m.escaped, value: m.value}
			// One of the two spellings alone is the member.
			once := slices.Clone(members)
			once[i] = twin
			if got := parse(t, text(once)); got.Kind != whole.Kind || !got.ID.Equal(whole.ID) ||
				string(got.Method) != string(whole.Method) {
				t.Errorf("%s: read as %v %s", text(once), got.Kind, got.Method)
			}
			// Both, or the same one twice, is refused, in any order, whatever the values.
			for _, second := range []member{m, twin, {key: m.key, value: `null`},
				{key: m.escaped, value: `null`}} {
				for at := range len(members) + 1 {
					both := slices.Insert(slices.Clone(members), at, second)
					if second.value == `null` && at <= i &&
						(m.key != "result" && m.key != "id" && m.key != "params") {
						// the null itself comes first and is wrong already
						refused(t, text(both), jsonrpc.Envelope)
						continue
					}
					refused(t, text(both), jsonrpc.DuplicateKey)
				}
			}
		}
	}

	// Another case is another key: left alone beside the right one, and no substitute for it.
	for _, miscased := range []string{`"JSONRPC":"9"`, `"Jsonrpc":"9"`, `"ID":2`, `"Id":2`, `"METHOD":"x"`,
		`"Params":[]`, `"Result":1`, `"ERROR":{}`} {
		m := parse(t, `{`+miscased+`,"jsonrpc":"2.0","id":1,"method":"m","params":{},`+miscased+`}`)
		if m.Kind != jsonrpc.Request || string(m.ID.Text) != "1" || string(m.Method) != "m" ||
			string(m.Params) != "{}" {
			t.Errorf("beside %s: read as %+v", miscased, m)
		}
	}
	refused(t, `{"JSONRPC":"2.0","id":1,"method":"m"}`, jsonrpc.Envelope)
	refused(t, `{"jsonrpc":"2.0","id":1,"Method":"m"}`, jsonrpc.Envelope)
	refused(t, `{"jsonrpc":"2.0","Id":1,"result":{}}`, jsonrpc.Envelope)
	if m := parse(t, `{"jsonrpc":"2.0","ID":1,"method":"m"}`); m.Kind != jsonrpc.Notification {
		t.Errorf("ID made it a %v", m.Kind)
	}
	// Keys that only begin like one, or hide one behind NUL.
	for _, key := range []string{`jsonrpc `, ` id`, `id\u0000`, `\u0000id`, `i`, `idd`, `\\u0069d`, ``} {
		if m := parse(t, `{"jsonrpc":"2.0","id":1,"result":{},"`+key+`":2}`); string(m.ID.Text) != "1" {
			t.Errorf("key %q changed the id", key)
		}
	}

	// In a payload a duplicate is not ours to refuse, and never acted upon.
	m := parse(t, `{"jsonrpc":"2.0","id":1,"result":{"taskId":"a","x":1,"task\u0049d":"b","id":1,"id":2}}`)
	if v, ok := jsonrpc.Member(m.Result, "taskId"); ok {
		t.Errorf("duplicate taskId found as %s", v)
	}
	if v, ok := jsonrpc.Member([]byte(`{"\u00e9t\u00e9":1,"\ud83d\ude39":2,"ete":3}`), "été"); !ok ||
		string(v) != "1" {
		t.Errorf("été found as %s", v)
	}
	out := make([][]byte, 3)
	jsonrpc.Members(m.Result, []string{"taskId", "x", "id"}, out)
	if out[0] != nil || string(out[1]) != "1" || out[2] != nil {
		t.Errorf("members %q", out)
	}
}

// Fault 16: keys that mean something to JavaScript objects are text like any other, never envelope members,
// and reach the page byte for byte.
func TestFault16_ProtoKeysStayData(t *testing.T) {
	for _, key := range []string{`__proto__`, `\u005f_proto__`, `constructor`, `prototype`, `toString`,
		`hasOwnProperty`, `valueOf`} {
		hostile := `{"` + key + `":{"polluted":true,"id":9,"method":"x","prototype":{"` + key + `":[]}}}`
		member := hostile[1 : len(hostile)-1]

		m := parse(t, `{`+member+`,"jsonrpc":"2.0","method":"m","params":`+hostile+`,`+member+`}`)
		if m.Kind != jsonrpc.Notification || string(m.Method) != "m" || !m.ID.IsZero() ||
			string(m.Params) != hostile {
			t.Errorf("%s: read as %v %s %s %s", key, m.Kind, m.ID.Text, m.Method, m.Params)
		}
		m = parse(t, `{"jsonrpc":"2.0","id":1,"result":`+hostile+`,`+member+`}`)
		if m.Kind != jsonrpc.Response || string(m.Result) != hostile {
			t.Errorf("%s: result %s", key, m.Result)
		}
		m = parse(t, `{"jsonrpc":"2.0","id":1,"error":`+hostile+`}`)
		if m.Kind != jsonrpc.ErrorResponse || string(m.Error) != hostile {
			t.Errorf("%s: error %s", key, m.Error)
		}

		// It is an own member under its decoded name, and lends nothing to the object around it.
		var decoded map[string]json.RawMessage
		if err := json.Unmarshal([]byte(hostile), &decoded); err != nil {
			t.Fatal(err)
		}
		for name, want := range decoded {
			if v, ok := jsonrpc.Member([]byte(hostile), name); !ok || string(v) != string(want) {
				t.Errorf("%s: member %q is %s", key, name, v)
			}
		}
		for _, inner := range []string{"polluted", "id", "method"} {
			if v, ok := jsonrpc.Member([]byte(hostile), inner); ok {
				t.Errorf("%s lent its %s: %s", key, inner, v)
			}
		}

		// An envelope inside such a key is no envelope.
		refused(t, `{"`+key+`":{"jsonrpc":"2.0","method":"m"}}`, jsonrpc.Envelope)
		refused(t, `{"jsonrpc":"2.0","`+key+`":{"method":"m","id":1,"result":{}}}`, jsonrpc.Envelope)

		// And building a request around it changes nothing in it.
		req := parse(t, string(jsonrpc.AppendRequest(nil, 1, "m", []byte(hostile), []byte(hostile))))
		if want := `{"_meta":` + hostile + `,` + member + `}`; string(req.Params) != want {
			t.Errorf("%s: params %s", key, req.Params)
		}
	}
}
