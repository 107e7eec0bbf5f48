package jsonrpc_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// seriesTexts are messages of one stream as servers write them, and as they should not.
var seriesTexts = []string{
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2,` +
		`"message":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":2}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progressToken":7}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress\u0054oken":8}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,` +
		`"progressToken":8}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{"a":[1,2]},"progress":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":[1]}`,
	`{"jsonrpc":"2.0","method":"notifications/progress"}`,
	`{"jsonrpc":"2.0","method":"notifications\/progress","params":{"progressToken":7,"progress":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1},` +
		`"params":{}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1},"id":1}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1} }`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}} `,
	` {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":01}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"data":[[[[1]]]]}}`,
	`{"params":{"progressToken":7,"progress":1},"jsonrpc":"2.0","method":"notifications/progress"}`,
	`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`,
	`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`,
	`{"jsonrpc":"2.0","id":7,"method":"ping"}`,
}

// told is what a message says, without where its members are noted.
func told(m jsonrpc.Message) jsonrpc.Message {
	return jsonrpc.Message{Kind: m.Kind, ID: m.ID, Method: m.Method, Params: m.Params, Result: m.Result,
		Error: m.Error, Param: m.Param, Raw: m.Raw}
}

// sameAsParse holds what a Series makes of a text against Parse and Member.
func sameAsParse(t *testing.T, s *jsonrpc.Series, text []byte, l jsonrpc.Limits) {
	t.Helper()
	got, gotErr := s.Parse(text, l)
	want, wantErr := jsonrpc.Parse(text, l)
	if wantErr == nil && want.Kind == jsonrpc.Notification {
		want.Param, _ = jsonrpc.Member(want.Params, s.Param)
	}
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
		t.Fatalf("%s: error %v, Parse says %v", text, gotErr, wantErr)
	}
	if !reflect.DeepEqual(told(got), told(want)) {
		t.Fatalf("%s:\n%+v, Parse says\n%+v", text, got, want)
	}
	for _, part := range [][]byte{got.Params, got.Param, got.Raw} {
		if len(part) != cap(part) {
			t.Fatalf("%s: %s can be appended to", text, part)
		}
	}
}

func TestSeriesIsParse(t *testing.T) {
	for _, depth := range []int{0, 2, 4} {
		for _, first := range seriesTexts {
			for _, second := range seriesTexts {
				s := jsonrpc.Series{Param: "progressToken"}
				l := jsonrpc.Limits{Depth: depth}
				for _, text := range []string{first, first, second, first} {
					sameAsParse(t, &s, []byte(text), l)
				}
				sameAsParse(t, &s, []byte(first), jsonrpc.Limits{Depth: 3})
			}
		}
	}
}

// The texts are overwritten between messages, as the memory of chunks is.
func TestSeriesOfChangedTexts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := jsonrpc.Series{Param: "progressToken"}
	for range 20_000 {
		text := []byte(seriesTexts[random.IntN(len(seriesTexts))])
		for range random.IntN(3) {
			switch at := random.IntN(len(text)); random.IntN(3) {
			case 0:
				text[at] = `"\{}[],:1 a`[random.IntN(11)]
			case 1:
				text = append(text[:at], text[at+1:]...)
			case 2:
				text = bytes.Replace(text, []byte("progress"), []byte("progressToken"), 1)
			}
		}
		sameAsParse(t, &s, text, jsonrpc.Limits{})
		clear(text)
	}
}

func TestSeriesAllocatesNothing(t *testing.T) {
	s := jsonrpc.Series{Param: "progressToken"}
	a, b := []byte(seriesTexts[0]), []byte(seriesTexts[1])
	for _, text := range [][]byte{a, b} {
		if _, err := s.Parse(text, jsonrpc.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100,
		func() { s.Parse(a, jsonrpc.Limits{}); s.Parse(b, jsonrpc.Limits{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkSeries is BenchmarkParse for a stream of notifications that begin alike, with a look at one
// member.
func BenchmarkSeries(b *testing.B) {
	for _, c := range benchTexts()[:5] {
		text := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			s := jsonrpc.Series{Param: "seqNr"}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if m, err := s.Parse(text, jsonrpc.Limits{}); err != nil || m.Param == nil {
					b.Fatal(err)
				}
			}
		})
	}
}
