package journal_test

import (
	"bytes"
	"reflect"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// readAll reads a part of a row.
func readAll(b []byte) ([]Entry, error) {
	var all []Entry
	row := ReadRow(b)
	for {
		e, ok := row.Next()
		if !ok {
			return all, row.Err()
		}
		all = append(all, e)
	}
}

func TestEntriesRoundTrip(t *testing.T) {
	seen := map[Kind]bool{}
	var row []byte
	entries := append(append(everyKind(), Entry{Kind: Sealed},
		Entry{Kind: Task, N: [3]uint64{1767225600000, 1}}, Entry{Kind: TaskID, Data: []byte("t1")},
		Entry{Kind: Fetching, N: [3]uint64{9}}, Entry{Kind: Seen, Data: []byte("12345678")},
		DraftEntry([]byte("kname"), []byte(`{"a":1}`)), Entry{Kind: TaskState, Data: []byte("s")},
		Entry{Kind: Connection, Data: []byte("c1")}, Entry{Kind: Prompt, N: [3]uint64{7}, Data: []byte("[]")},
		Entry{Kind: Placed, N: [3]uint64{7}},
		Entry{Kind: TaskTTL, N: [3]uint64{60000, 1767225600000}}), someOutcomes()...)
	for _, e := range entries {
		seen[e.Kind] = true
		alone, err := readAll(AppendEntry(nil, e))
		if err != nil || len(alone) != 1 || !same(alone[0], e) {
			t.Errorf("kind %d: wrote %v, read %v, %v", e.Kind, e, alone, err)
		}
		row = AppendEntry(row, e)
	}
	for k := Sent; k <= LastKind; k++ {
		if !seen[k] {
			t.Errorf("kind %d is not tested", k)
		}
	}
	all, err := readAll(row)
	if err != nil || len(all) != len(entries) {
		t.Fatalf("%d entries of %d, %v", len(all), len(entries), err)
	}
	for i := range all {
		if !same(all[i], entries[i]) {
			t.Errorf("entry %d: wrote %v, read %v", i, entries[i], all[i])
		}
	}
}

func same(a, b Entry) bool {
	return a.Kind == b.Kind && a.N == b.N && bytes.Equal(a.Data, b.Data)
}

func TestEntryNumbers(t *testing.T) {
	for _, n := range []uint64{0, 1, 127, 128, 1<<14 - 1, 1 << 14, 1<<32 - 1, 1 << 32, 1<<49 - 1, 1 << 49,
		MaxSafe} {
		b := AppendEntry(nil, Entry{Kind: Sent, N: [3]uint64{n, MaxSafe - n}})
		all, err := readAll(b)
		if err != nil || len(all) != 1 || all[0].N != [3]uint64{n, MaxSafe - n} {
			t.Errorf("%d: %v, %v", n, all, err)
		}
	}
	// JavaScript would round them: no reader takes them, so none is written.
	for _, n := range []uint64{MaxSafe + 1, 1 << 56, 1<<64 - 1} {
		all, err := readAll(AppendEntry(nil, Entry{Kind: Retry, N: [3]uint64{n}}))
		if err != nil || len(all) != 1 || all[0].N[0] != MaxSafe {
			t.Errorf("%d: %v, %v", n, all, err)
		}
	}
}

func TestEmptyRow(t *testing.T) {
	for _, b := range [][]byte{nil, {}, {Version, Oldest}} {
		if all, err := readAll(b); len(all) != 0 || err != nil {
			t.Errorf("%v: %v, %v", b, all, err)
		}
	}
}

// Numbers have one form: what is read and written again has the same bytes.
func TestNumbersHaveOneForm(t *testing.T) {
	for name, b := range map[string][]byte{
		"padded":      {0x80, 0},
		"padded long": {0xff, 0x80, 0},
		"2^53":        {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10},
		"2^63":        {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
		"endless":     bytes.Repeat([]byte{0xff}, 20),
		"cut":         {0xff},
		"none":        {},
	} {
		in := NewInput(b)
		if n := in.Uvarint(); n != 0 || in.Err() != ErrCorrupt {
			t.Errorf("%s: %d, %v", name, n, in.Err())
		}
		if p := in.Bytes(); p != nil || in.Err() != ErrCorrupt {
			t.Errorf("%s: read on after the error", name)
		}
	}
}

func TestEntriesThatNobodyWrites(t *testing.T) {
	for name, body := range map[string][]byte{
		"kind 0":                      {0, 0},
		"kind after the last":         {byte(LastKind) + 1, 0},
		"kind before the skippable":   {byte(Skippable) - 1, 0},
		"no length":                   {byte(Resuming)},
		"longer than the row":         {byte(Cursor), 2, 'x'},
		"a number is missing":         {byte(Sent), 1, 5},
		"a number is cut":             {byte(Retry), 1, 0x80},
		"event of no kind":            {byte(Event), 1, 0},
		"event kind beyond a byte":    {byte(Event), 2, 0x81, 2},
		"outcome 0":                   {byte(Outcome), 2, 0, 0},
		"outcome 4":                   {byte(Outcome), 2, 4, 0},
		"outcome 257":                 {byte(Outcome), 3, 0x81, 2, 0},
		"base beyond 32 bits":         {byte(Checkpoint), 5, 0x80, 0x80, 0x80, 0x80, 0x10},
		"answer's id beyond its data": {byte(Answer), 2, 2, 'x'},
		"draft's id beyond its data":  {byte(Draft), 2, 2, 'x'},
		"asked without an id":         {byte(Asked), 0},
		"asked with a cut id":         {byte(Asked), 2, 2, 'x'},
		"skippable, cut":              {byte(Skippable), 1},
	} {
		good := AppendEntry(nil, Entry{Kind: Cursor, Data: []byte("c")})
		all, err := readAll(append(good, body...))
		if err != ErrCorrupt || len(all) != 1 {
			t.Errorf("%s: %v, %v", name, all, err)
		}
		r := recorded.New(Head{Method: "m"}, 1)
		before := dump(r)
		if err := r.Apply(append(good, body...), nil, nil); err != ErrCorrupt || dump(r) != before {
			t.Errorf("%s: %v, %s", name, err, dump(r))
		}
		if err := r.Apply(good, append([]byte{Version, Oldest}, body...), nil); err != ErrCorrupt ||
			dump(r) != before {
			t.Errorf("%s in the secret part: %v, %s", name, err, dump(r))
		}
	}
}

func TestDataAliasesTheRowAndCannotGrowIntoIt(t *testing.T) {
	b := AppendEntry(AppendEntry(nil, Entry{Kind: Cursor, Data: []byte("abc")}), Entry{Kind: Resuming})
	want := bytes.Clone(b)
	row := ReadRow(b)
	e, _ := row.Next()
	_ = append(e.Data, "overwritten"...)
	if !bytes.Equal(b, want) {
		t.Error("appending to an entry's data wrote into the row")
	}
}

func TestRecordOwnsItsBytes(t *testing.T) {
	head := Head{Method: "m", Params: []byte("{}"), Meta: []byte("{}")}
	r := recorded.New(head, 0)
	plain, secret := row(everyKind()...)
	if err := r.Apply(plain, secret, nil); err != nil {
		t.Fatal(err)
	}
	before := dump(r)
	for _, p := range [][]byte{head.Params, head.Meta, plain, secret} {
		for i := range p {
			p[i] = '#'
		}
	}
	if after := dump(r); after != before {
		t.Errorf("the record changed with the row:\n%s\n%s", before, after)
	}
	if !reflect.DeepEqual(head.Params, []byte("##")) {
		t.Error("the test does not overwrite what it means to")
	}
}
