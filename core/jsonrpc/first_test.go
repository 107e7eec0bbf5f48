package jsonrpc

import "testing"

// First finds what Member finds, where no key is there twice; of several it has the first.
func TestFirst(t *testing.T) {
	for _, object := range []string{`{}`, `{"name":"a"}`, ` { "x" : [1,{"name":2}] , "name" : {"b":3} } `,
		`{"n\u0061me":4,"x":5}`, `["name"]`, `7`, ``, `{"x":1}`} {
		want, ok := Member([]byte(object), "name")
		if got := First([]byte(object), "name"); string(got) != string(want) || (got != nil) != ok {
			t.Errorf("%s: %q, and Member has %q", object, got, want)
		}
	}
	if got := First([]byte(`{"name":1,"name":2}`), "name"); string(got) != "1" {
		t.Errorf("of two it has %q", got)
	}
}
