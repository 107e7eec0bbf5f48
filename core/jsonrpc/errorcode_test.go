package jsonrpc

import "testing"

func TestErrorCode(t *testing.T) {
	for object, want := range map[string]int64{
		`{"code":-32602,"message":"no"}`:    -32602,
		`{"message":"no"}`:                  0,
		`{"code":"-32602"}`:                 0,
		`{"code":1.5}`:                      0,
		`{"code":-32602,"code":-32603}`:     0,
		`[]`:                                0,
		``:                                  0,
		`{"data":{"code":1},"code":-32000}`: -32000,
	} {
		if got := ErrorCode([]byte(object)); got != want {
			t.Errorf("ErrorCode(%s) = %d, want %d", object, got, want)
		}
	}
}
