//go:build js && wasm

package jsbridge

import (
	"testing"
	"unsafe"
)

// TestTableLayout pins the layout of the package comment from this side;
// web/test/table.test.ts pins it from the other.
func TestTableLayout(t *testing.T) {
	if n := unsafe.Sizeof(Record{}); n != 8*4 {
		t.Errorf("a record has %d bytes, want 32", n)
	}
	if n := unsafe.Sizeof(header{}); n != 5*4 {
		t.Errorf("the header has %d bytes, want 20", n)
	}
	var table Table
	head := (*[5]uint32)(table.Header())
	if head[3] != ChunkBytes || head[2] != address(table.Input(1)) {
		t.Errorf("header %v does not name the input buffer", *head)
	}
	table.Begin()
	payload := []byte("payload")
	table.Add(Record{Kind: KindDeliver, Client: 1, ID: 2, Number: 3, Sub: 4, Extra: 5}, payload)
	table.Timeout(6, 7)
	table.Answer(8)
	if n := table.Finish(); n != 2 {
		t.Fatalf("%d records, want 2", n)
	}
	if head[0] != 2 || head[4] != 8 {
		t.Errorf("header %v, want 2 records and the answer 8", *head)
	}
	first := unsafe.Pointer(unsafe.SliceData(table.records))
	if head[1] != uint32(uintptr(first)) {
		t.Errorf("the table is said to be at %d", head[1])
	}
	words := (*[16]uint32)(first)
	want := [16]uint32{
		uint32(KindDeliver), 1, 2, 3, 4, address(payload), 7, 5,
		uint32(KindWake), 6, 0, 7, 0, 0, 0, 0,
	}
	if *words != want {
		t.Errorf("table\n%v, want\n%v", *words, want)
	}
}

func TestFetchRecord(t *testing.T) {
	var table Table
	table.Header()
	table.Begin()
	table.Fetch(Request{
		Client: 1, Exchange: 2, Method: "POST", URL: "https://x/",
		Header: []Field{{"A", "\xe2\x80\xa6"}}, Body: []byte("body"),
	})
	table.Finish()
	r := table.records[0]
	body, frame := table.kept[0], table.kept[1]
	if r.Address != address(frame) || int(r.Length) != len(frame) || r.Number != address(body) ||
		int(r.Extra) != len(body) {
		t.Errorf("record %+v does not name the frame and the body", r)
	}
	parts, err := Parts(frame)
	if err != nil || len(parts) != 4 {
		t.Fatalf("parts %q, %v", parts, err)
	}
	for i, want := range []string{"POST", "https://x/", "A", "\xe2\x80\xa6"} {
		if string(parts[i]) != want {
			t.Errorf("part %d is %q, want %q", i, parts[i], want)
		}
	}
	if string(body) != "body" {
		t.Errorf("body %q", body)
	}
}

// TestSocketRecords pins what the records of a WebSocket hold, and their numbers.
func TestSocketRecords(t *testing.T) {
	var table Table
	table.Header()
	table.Begin()
	message := []byte(`{"id":1}`)
	table.Socket(1, 2, "wss://x/", []string{"bearer", "abc"}, 70_000)
	table.Add(Record{Kind: KindFrame, Client: 1, ID: 2}, message)
	if n := table.Finish(); n != 2 {
		t.Fatalf("%d records, want 2", n)
	}
	frame := table.kept[0]
	if want := (Record{Kind: 14, Client: 1, ID: 2, Number: 70_000, Address: address(frame),
		Length: uint32(len(frame))}); table.records[0] != want {
		t.Errorf("record %+v, want %+v", table.records[0], want)
	}
	parts, err := Parts(frame)
	if err != nil || len(parts) != 3 || string(parts[0]) != "wss://x/" || string(parts[1]) != "bearer" ||
		string(parts[2]) != "abc" {
		t.Errorf("parts %q, %v", parts, err)
	}
	if want := (Record{Kind: 15, Client: 1, ID: 2, Address: address(message), Length: 8}); table.records[1] !=
		want {
		t.Errorf("record %+v, want %+v", table.records[1], want)
	}
}

// TestReserve: a large input lives until it was read, then the buffer is small again.
func TestReserve(t *testing.T) {
	var table Table
	head := (*[5]uint32)(table.Header())
	table.Reserve(3 * ChunkBytes)
	if head[3] != 3*ChunkBytes {
		t.Fatalf("reserved %d bytes", head[3])
	}
	large := table.Input(3 * ChunkBytes)
	large[len(large)-1] = 7
	table.Begin()
	table.Add(Record{Kind: KindDeliver}, large[len(large)-1:])
	table.Finish()
	if head[3] != ChunkBytes {
		t.Errorf("the buffer keeps %d bytes", head[3])
	}
	if table.records[0].Address != address(large)+3*ChunkBytes-1 || large[len(large)-1] != 7 {
		t.Error("the payload in the large input is gone before it was read")
	}
}

func TestPartsRefusesWhatDoesNotAddUp(t *testing.T) {
	for _, frame := range []string{"\x01", "\x05\x00\x00\x00abc", "\xff\xff\xff\xffabc",
		"\x01\x00\x00\x00a\x02"} {
		if _, err := Parts([]byte(frame)); err != ErrFrame {
			t.Errorf("Parts(%q) = %v", frame, err)
		}
	}
}

// TestAddIsFree: nothing is allocated for an event once the table has grown.
func TestAddIsFree(t *testing.T) {
	var table Table
	table.Header()
	payload := []byte("p")
	fill := func() {
		table.Begin()
		for range 700 {
			table.Add(Record{Kind: KindDeliver}, payload)
		}
		table.Finish()
	}
	fill()
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%v allocations for 700 events", n)
	}
}
