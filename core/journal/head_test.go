package journal_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
)

func fullHead() Head {
	return Head{
		Key: "order-1", Method: "tools/call", Params: []byte(`{"name":"a"}`), Meta: []byte(`"x":1`),
		Header: []engine.Field{{Name: "X-Tenant", Value: "7"}, {Name: "X-Empty"},
			{Name: "X-Tenant", Value: "8"}},
		Flags: ReadOnly | Idempotent | RerunAlways | ManualAck, CreatedAt: 1767225600123, Answer: 30000,
		Idle: -1, Total: 600000,
	}
}

func TestHeadRoundTrips(t *testing.T) {
	for _, h := range []Head{
		fullHead(),
		{Method: "m"}, {Method: "m", SendWithin: 300_000}, {Method: "m", SendWithin: -1},
		{Method: "m", Key: "\x00\xff€", Answer: -MaxSafe / 2, Idle: MaxSafe / 2, CreatedAt: MaxSafe},
	} {
		got, err := ParseHead(AppendHead(nil, &h))
		if err != nil || !reflect.DeepEqual(got, h) {
			t.Errorf("wrote %+v\nread %+v, %v", h, got, err)
		}
	}
}

// What cannot be written as it is must not make the rest unreadable.
func TestHeadCutsWhatNoReaderTakes(t *testing.T) {
	h := Head{
		Method: "m", CreatedAt: -5, Answer: math.MaxInt64, Idle: math.MinInt64, Total: MaxSafe,
		Header: []engine.Field{{Name: "A", Value: "1"}, {Value: "of nothing"}},
	}
	want := Head{Method: "m", Answer: MaxSafe / 2, Idle: -MaxSafe / 2, Total: MaxSafe / 2,
		Header: h.Header[:1]}
	got, err := ParseHead(AppendHead(nil, &h))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	h.CreatedAt = math.MaxInt64
	if got, err := ParseHead(AppendHead(nil, &h)); err != nil || got.CreatedAt != MaxSafe {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestHeadsThatNobodyWrites(t *testing.T) {
	h := func(fields ...byte) []byte { return append([]byte{Version, Oldest, TagMethod, 1, 'm'}, fields...) }
	for name, b := range map[string][]byte{
		"nothing":                   {},
		"one byte":                  {Version},
		"no version":                {0, 0},
		"no oldest":                 {1, 0},
		"oldest beyond the version": {1, 2},
		"no method":                 {Version, Oldest},
		"empty method":              {Version, Oldest, TagMethod, 0},
		"zeros at the end":          h(0, 0, 0, 0),
		"a tag alone":               h(TagKey),
		"longer than the head":      h(TagKey, 3, 'x'),
		"value before its name":     {Version, Oldest, TagMethod, 1, 'm', TagHeaderValue, 1, 'v'},
		"header without a name":     h(TagHeaderName, 0),
		"number of two":             h(TagCreatedAt, 2, 1, 1),
		"number of none":            h(TagCreatedAt, 0),
		"number padded":             h(TagFlags, 2, 0x80, 0),
	} {
		if got, err := ParseHead(b); err != ErrCorrupt || !reflect.DeepEqual(got, Head{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := ParseHead(h()); err != nil {
		t.Error("the base of the table:", err)
	}
}

func TestRepeatable(t *testing.T) {
	for f, want := range map[Flags]bool{0: false, ManualAck: false, ReadOnly: true, Idempotent: true,
		RerunAlways: true, ManualAck | RerunAlways: true,
		RerunNever: false, RerunNever | ReadOnly | Idempotent: false, RerunNever | RerunAlways: false} {
		if f.Repeatable() != want {
			t.Errorf("%b: %v", f, !want)
		}
	}
}

// A short head may not cost much more memory than its bytes.
func TestHeadAllocatesInProportion(t *testing.T) {
	b := []byte{Version, Oldest, TagMethod, 1, 'm'}
	for range 100000 {
		b = append(b, TagHeaderName, 1, 'x')
	}
	h, err := ParseHead(b)
	if err != nil || len(h.Header) != 100000 {
		t.Fatal(len(h.Header), err)
	}
	for _, b := range [][]byte{
		{Version, Oldest, TagMethod, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 'm'},
		{Version, Oldest, TagHeaderName, 0xff, 0xff, 0xff, 0x7f},
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = ParseHead(b) }); n != 0 {
			t.Errorf("%v: %v allocations", b, n)
		}
	}
}
