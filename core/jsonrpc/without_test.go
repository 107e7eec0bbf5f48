package jsonrpc

import "testing"

func TestAppendWithout(t *testing.T) {
	for object, want := range map[string]string{
		`{"seqNr":1,"type":"text"}`:              `{"type":"text"}`,
		`{ "a" : [1, 2] , "seqNr" : 3 }`:         `{"a":[1, 2]}`,
		`{"seqNr":1}`:                            `{}`,
		`{}`:                                     `{}`,
		`{"x\"y":"\u00e9","seq\u004er":2,"b":0}`: `{"x\"y":"\u00e9","b":0}`,
		`{"seqNr":1,"seqNr":2,"c":{"seqNr":3}}`:  `{"c":{"seqNr":3}}`,
		`[1]`:                                    `[1]`,
	} {
		if got := string(AppendWithout(nil, []byte(object), "seqNr")); got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
	}
}
