//go:build !js

package peer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// An envelope is one JSON-RPC message from the client. Keys are matched by
// exact case, hence the maps: struct tags would also take "JSONRPC".
type envelope struct {
	id      string // raw; "" if absent
	method  string
	params  json.RawMessage
	task    json.RawMessage // beside params, as the sample of SEP-2339 has it
	outcome json.RawMessage // of a response: its result, or its error
}

func (e envelope) request() bool  { return e.method != "" && e.id != "" }
func (e envelope) response() bool { return e.method == "" }

func parseEnvelope(body []byte) (envelope, error) {
	var e envelope
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		return e, errors.New("batches are not accepted")
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return e, err
	}
	if string(top["jsonrpc"]) != `"2.0"` {
		return e, fmt.Errorf("jsonrpc is %s", top["jsonrpc"])
	}
	e.id, e.params, e.task = string(top["id"]), top["params"], top["task"]
	if e.id == "null" {
		return e, errors.New("id is null")
	}
	if m, ok := top["method"]; ok {
		if err := json.Unmarshal(m, &e.method); err != nil || e.method == "" {
			return e, fmt.Errorf("method is %s", m)
		}
		return e, nil
	}
	outcome, result := top["result"]
	broken, failure := top["error"]
	if e.outcome = outcome; failure {
		e.outcome = broken
	}
	if e.id == "" || result == failure {
		return e, errors.New("neither request, notification nor response")
	}
	return e, nil
}

// field digs raw JSON out of nested objects; nil if any level is missing.
func field(raw json.RawMessage, path ...string) json.RawMessage {
	for _, key := range path {
		var m map[string]json.RawMessage
		if json.Unmarshal(raw, &m) != nil {
			return nil
		}
		raw = m[key]
	}
	return raw
}

// text is field as a string; "" if it is none.
func text(raw json.RawMessage, path ...string) string {
	var s string
	json.Unmarshal(field(raw, path...), &s)
	return s
}

// members are the fields of a JSON object; an empty map if raw is none.
func members(raw json.RawMessage) map[string]json.RawMessage {
	m := make(map[string]json.RawMessage)
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return make(map[string]json.RawMessage)
	}
	return m
}

// object reports whether raw is a JSON object.
func object(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}

// sorted are the keys of a map in order, so that nothing depends on chance.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// quote writes v as JSON without the HTML escapes that would make payloads
// differ from what a script says.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
