//go:build !js

package jsonrpc

// In a browser there is no corpus folder: see fuzz_test.go.

import "testing"

func FuzzResultMember(f *testing.F) {
	f.Add([]byte(`{"task":{},"content":[],"task":1}`), "task")
	f.Add([]byte(`{"\u0074ask":"\u0061"}`), "task")
	f.Fuzz(func(t *testing.T, result []byte, key string) {
		m, err := new(Series).Parse(
			append(append([]byte(`{"jsonrpc":"2.0","id":1,"result":`), result...), '}'), Limits{})
		if err == nil && m.Kind == Response {
			sameMember(t, &m, key)
		}
	})
}
