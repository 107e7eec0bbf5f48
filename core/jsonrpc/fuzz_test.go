//go:build !js

package jsonrpc_test

// In a browser there is no corpus folder, and a fuzz test that cannot list it fails. What the fuzz tests
// check is also run over all vectors by judge_vectors_test.go, there too.

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func FuzzParse(f *testing.F) {
	for i, text := range judgeTexts(f) {
		if i%11 == 0 { // a sample of every kind; all of them would be most of a short run
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkParse(t, text)
		if err := batchAgrees(text); err != "" {
			t.Fatal(err)
		}
	})
}

func FuzzMember(f *testing.F) {
	for _, text := range memberTexts(f) {
		f.Add([]byte(text), "a")
		f.Add([]byte(text), "\ufffd")
	}
	f.Fuzz(func(t *testing.T, object []byte, key string) { checkMember(t, object, key) })
}

func FuzzString(f *testing.F) {
	for _, v := range allVectors(f) {
		f.Add([]byte(v.text))
	}
	f.Fuzz(func(t *testing.T, value []byte) { checkString(t, value) })
}

// FuzzSeries: what a Series makes of a text does not depend on the texts before.
func FuzzSeries(f *testing.F) {
	for i, text := range seriesTexts {
		f.Add([]byte(seriesTexts[i/2]), []byte(text))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		s := jsonrpc.Series{Param: "progressToken"}
		for _, text := range [][]byte{first, first, second} {
			sameAsParse(t, &s, text, jsonrpc.Limits{})
		}
	})
}
