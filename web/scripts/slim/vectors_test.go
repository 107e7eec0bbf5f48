package main

import (
	"bytes"
	"testing"
)

// What they compute is tested where there is an engine: core/sse and core/jsonrpc in Chrome, with this in
// place (e2e/wasmtests_test.go).
func TestVectorsTakeTheirPlace(t *testing.T) {
	own := func() function { return function{[]byte{1, 2, typeI32}, assembly{i32(7), end()}} }
	functions := []function{own(), own(), own()}
	if err := vectorize(functions,
		[]string{"memchr", "unicode/utf8.Valid", "unicode/utf8.ValidString"}); err != nil {
		t.Fatal(err)
	}
	if made := functions[0]; bytes.Contains(written(made.code), written(own().code)) || len(made.code) < 20 {
		t.Errorf("memchr is %v", made)
	}
	// A text that is short, and a call that goes on in mid-function, are Go's.
	if made := functions[1]; !bytes.HasSuffix(written(made.code), written(own().code)) ||
		len(made.code) < 40 {
		t.Errorf("Valid is %v", made)
	}
	if want := []byte{3, 2, typeI32, 4, typeI32, 5, typeVector}; !bytes.Equal(functions[1].locals, want) {
		t.Errorf("its locals are %v, want %v", functions[1].locals, want)
	}
	if other := functions[2]; !bytes.Equal(written(other.code), written(own().code)) {
		t.Errorf("another function has become %v", other)
	}
	if _, first, err := moreLocals(own().locals, 4, 5); first != 3 || err != nil {
		t.Errorf("the first local is %d, want 3, behind the parameter and two more (%v)", first, err)
	}
	for _, torn := range [][]byte{{}, {1}, {1, 2}, {2, 1, typeI32}} {
		if _, _, err := moreLocals(torn, 1, 1); err == nil {
			t.Errorf("%v is taken for locals", torn)
		}
	}
}
