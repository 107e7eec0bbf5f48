package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// module wraps a data section, and one that is none of slim's business.
func module(list []segment) []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = appendSection(out, section{id: 0, body: []byte("\x04name")})
	return appendSection(out, section{id: sectionData, body: appendSegments(nil, list)})
}

// memory is what an engine has in memory after it copied the segments.
func memory(t *testing.T, module []byte) ([]byte, int) {
	t.Helper()
	list, err := sections(module)
	if err != nil {
		t.Fatal(err)
	}
	data, err := segments(list[len(list)-1].body)
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 1<<20)
	for _, s := range data {
		copy(memory[s.at:], s.bytes)
	}
	return memory, len(data)
}

func TestJoinsSegments(t *testing.T) {
	before := module([]segment{
		{at: 70_000, bytes: []byte("first")},
		{at: 70_005 + joinGap, bytes: []byte("as far as it may be")},
		{at: 100_000, bytes: []byte("too far")},
		{at: 64, bytes: []byte("out of order")},
		{at: 100_007, bytes: []byte(", and its neighbour")},
		{at: 200_000, bytes: functions()},
		{at: 300_000, bytes: []byte("what the table is of")},
		{at: 400_000, bytes: []byte("\x00\x00\x00\x00what is added up")},
	})
	after, err := slim(before)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := memory(t, before)
	if !dropLines(want) {
		t.Fatal("the table was not known")
	}
	got, count := memory(t, after)
	if !bytes.Equal(got, want) {
		t.Error("memory is not what it was")
	}
	if count != 6 {
		t.Errorf("%d segments, want 6", count)
	}
	list, _ := sections(after)
	if len(list) != 2 || string(list[0].body) != "\x04name" {
		t.Errorf("another section was touched: %v", list)
	}
}

func TestRefusesWhatItDoesNotUnderstand(t *testing.T) {
	whole := module(program())
	if _, err := slim(whole); err != nil {
		t.Fatal(err)
	}
	for name, module := range map[string][]byte{
		"no wasm":         []byte("text"),
		"torn":            whole[:len(whole)-1],
		"overlapping":     module([]segment{{at: 64, bytes: []byte("text")}, {at: 66, bytes: []byte("text")}}),
		"passive segment": appendSection(whole[:8:8], section{id: sectionData, body: []byte{1, 1, 0}}),
		"no table":        module([]segment{{at: 64, bytes: []byte("text")}}),
		"no data":         whole[:8],
	} {
		if _, err := slim(module); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A build that meets a toolchain that slim does not know has to stop, and to leave no
// file that looks done.
func TestStopsAtAnUnknownTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.wasm")
	list := program()
	list[0].bytes[0] = 0xf2 // the magic number of another version
	before := module(list)
	if err := os.WriteFile(file, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(file); !errors.Is(err, errUnknown) {
		t.Errorf("rewrite: %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file was written all the same: %v", err)
	}
}

func TestReadsWhatItWrites(t *testing.T) {
	for _, value := range []int32{0, 1, 63, 64, -1, -64, -65, 1 << 20, 1<<31 - 1, -1 << 31} {
		encoded := appendSleb32(nil, value)
		if got, n := sleb32(encoded); got != value || n != len(encoded) {
			t.Errorf("%d came back as %d, %d of %d bytes", value, got, n, len(encoded))
		}
	}
}

// functions is a table of one function as the linker lays it out: a header,
// five parts of 8 bytes, then the index and the record.
func functions() []byte {
	table := make([]byte, headerSize)
	copy(table, headerStart)
	binary.LittleEndian.PutUint64(table[headerNfunc:], 1)
	for i, at := range []int{headerNames, headerUnits, headerFiles, headerTables, headerFuncs} {
		binary.LittleEndian.PutUint64(table[at:], uint64(headerSize+8*i))
	}
	table = append(table, "main.f\x00\x00"...) // names
	table = append(table, "\x01\x01\x01\x01\x01\x01\x01\x01"...)
	table = append(table, "main.go\x00"...)
	table = append(table, 0, 2, 1, 0, 4, 1, 0, 0) // at 1 how deep the stack is, at 4 the lines
	table = binary.LittleEndian.AppendUint32(table, 0)
	table = binary.LittleEndian.AppendUint32(table, 16) // the record lies behind this index
	table = append(table, make([]byte, 8)...)
	record := make([]byte, funcPcdata)
	record[funcSP], record[funcFile], record[funcLine], record[funcStartLine] = 1, 4, 4, 7
	return append(table, record...)
}

// program is what slim needs to go on.
func program() []segment { return []segment{{at: 64, bytes: functions()}} }

// What a table of values says is the same, wherever it is.
func TestPacksTables(t *testing.T) {
	values := []byte{0, 9, 9, 2, 1, 0, 9, 4, 1, 2, 1, 0, 9, 9}
	record := func(sp int, pcdata ...int) []byte {
		r := make([]byte, funcPcdata)
		binary.LittleEndian.PutUint32(r[funcSP:], uint32(sp))
		binary.LittleEndian.PutUint32(r[funcNpcdata:], uint32(len(pcdata)))
		for _, at := range pcdata {
			r = binary.LittleEndian.AppendUint32(r, uint32(at))
		}
		return r
	}
	records := [][]byte{record(7, 0, 3), record(3), record(0, 7)}
	pack(values, records)
	if want := []byte{0, 4, 1, 2, 1, 0, 2, 1, 0, 0, 0, 0, 0, 0}; !bytes.Equal(values, want) {
		t.Errorf("tables %v, want %v", values, want)
	}
	for i, want := range [][]byte{record(1, 0, 6), record(6), record(0, 1)} {
		if !bytes.Equal(records[i], want) {
			t.Errorf("record %d: %v, want %v", i, records[i], want)
		}
	}
}

func TestDropsLinesAndNothingElse(t *testing.T) {
	want := functions()
	clear(want[headerSize+8 : headerSize+24])    // units and files
	clear(want[headerSize+24+4 : headerSize+32]) // the table of lines
	record := want[len(want)-funcPcdata:]
	record[funcFile], record[funcLine], record[funcStartLine] = 0, 0, 0
	got := functions()
	if !dropLines(got) {
		t.Fatal("the table was not known")
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

func TestKeepsAnUnknownTableOfFunctions(t *testing.T) {
	spoil := map[string]func(table []byte){
		"another version":     func(b []byte) { b[0] = 0xf2 },
		"parts out of order":  func(b []byte) { b[headerFiles] = 200 },
		"too many functions":  func(b []byte) { b[headerNfunc] = 200 },
		"record out of range": func(b []byte) { b[len(b)-funcPcdata-12] = 250 },
		"values out of range": func(b []byte) { b[len(b)-funcPcdata+funcSP] = 9 },
		"pcdata out of range": func(b []byte) { b[len(b)-funcPcdata+funcNpcdata] = 3 },
	}
	for name, spoil := range spoil {
		table := functions()
		spoil(table)
		before := bytes.Clone(table)
		if dropLines(table) {
			t.Errorf("%s: known", name)
		}
		if !bytes.Equal(table, before) {
			t.Errorf("%s: changed all the same", name)
		}
	}
}
