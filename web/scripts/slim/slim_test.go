package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// program is a module as Go's linker writes it: three functions that call the imported one, the runtime's
// table of them, and a table of buckets.
func program() []section {
	call := function{[]byte{1, 1, 0x7f}, slices.Concat(callOf(0), []instruction{{op: opEnd}})}
	return []section{
		{id: 0, body: []byte("\x04name")},
		{id: sectionType, body: []byte{1, 0x60, 1, 0x7f, 1, 0x7f}},
		{id: sectionImport, body: []byte{1, 2, 'g', 'o', 1, 'f', 0, 0}},
		{id: sectionFunction, body: []byte{3, 0, 0, 0}},
		{id: sectionDataCount, body: []byte{2}},
		{id: sectionCode, body: appendFunctions(nil, []function{call, call, call})},
		{id: sectionData,
			body: appendSegments(nil,
				[]segment{{at: 64, bytes: functions("main.f", "runtime.throw", "main.g")},
					{at: 2048, bytes: buckets()}})},
	}
}

// with returns the program with another section in place of its own.
func with(id byte, body []byte) []byte {
	list := program()
	find(list, id).body = body
	return appendModule(nil, list)
}

// buckets is the linker's table of three functions, without the first one's zeroes and with two of the last
// one's.
func buckets() []byte {
	var table []byte
	for i, count := range []int{0, bucketsOf, 2} {
		for range count {
			table = append(binary.LittleEndian.AppendUint32(table, uint32(i)), make([]byte, 16)...)
		}
	}
	return table
}

// memory is what an engine has in memory after it copied the segments.
func memory(list []segment) []byte {
	memory := make([]byte, 1<<20)
	for _, s := range list {
		copy(memory[s.at:], s.bytes)
	}
	return memory
}

func TestSlims(t *testing.T) {
	before := program()
	after, err := slim(appendModule(nil, before))
	if err != nil {
		t.Fatal(err)
	}
	list, err := sections(after)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(before)-1 || string(list[0].body) != "\x04name" {
		t.Errorf("%d sections, want all but the count of the data", len(list))
	}
	data, err := segments(find(list, sectionData).body)
	if err != nil {
		t.Fatal(err)
	}
	image := memory(data)
	if table, known := readFunctionTable(image); !known || len(table.functionNames()) != 3 {
		t.Error("the table of functions is not there")
	}
	if bytes.Contains(image, buckets()[:40]) {
		t.Error("the table of buckets is there")
	}
	code, err := readFunctions(find(list, sectionCode).body)
	if err != nil || len(code) != 3 {
		t.Errorf("%d functions, want 3: nothing rare is called (%v)", len(code), err)
	}
}

// Memory is what it was, whatever the bytes of the file are.
func TestJoinsAndPartsSegments(t *testing.T) {
	before := []segment{
		{at: 64, bytes: []byte("out of order")},
		{at: 70_000, bytes: []byte("first")},
		{at: 70_005 + joinGap, bytes: []byte("as far as it may be")},
		{at: 100_000, bytes: []byte("too far")},
		{at: 100_007, bytes: []byte(", and its neighbour")},
		{at: 200_000, bytes: make([]byte, 100)},
		{at: 300_000, bytes: slices.Concat(make([]byte, joinGap+1), []byte("zeroes"), make([]byte, joinGap),
			[]byte("few"), make([]byte, joinGap+1), []byte("many"), make([]byte, 3))},
	}
	joined := join(before)
	if !bytes.Equal(memory(joined), memory(before)) {
		t.Error("memory is not what it was once they were joined")
	}
	if len(joined) != 5 {
		t.Errorf("%d segments joined, want 5", len(joined))
	}
	parts := part(joined)
	if !bytes.Equal(memory(parts), memory(before)) {
		t.Error("memory is not what it was once they were parted")
	}
	if len(parts) != 5 {
		t.Errorf("%d segments parted, want 5: one is all zero, one has many within", len(parts))
	}
	for _, s := range parts {
		if s.bytes[0] == 0 || s.bytes[len(s.bytes)-1] == 0 {
			t.Errorf("the segment at %d has zeroes at an end", s.at)
		}
	}
}

func TestRefusesWhatItDoesNotUnderstand(t *testing.T) {
	whole := appendModule(nil, program())
	if _, err := slim(whole); err != nil {
		t.Fatal(err)
	}
	data := func(list ...segment) []byte { return with(sectionData, appendSegments(nil, list)) }
	table := segment{at: 64, bytes: functions("main.f", "runtime.throw", "main.g")}
	other := buckets()
	other[20] = 9
	for name, module := range map[string][]byte{
		"no wasm":           []byte("text"),
		"torn":              whole[:len(whole)-1],
		"overlapping":       data(segment{at: 64, bytes: []byte("text")}, segment{at: 66, bytes: []byte("text")}),
		"passive segment":   with(sectionData, []byte{1, 1, 0}),
		"no table":          data(segment{at: 64, bytes: []byte("text")}),
		"no data":           whole[:8],
		"no buckets":        data(table),
		"other buckets":     data(table, segment{at: 2048, bytes: other}),
		"another count":     with(sectionCode, appendFunctions(nil, nil)),
		"imported memory":   with(sectionImport, []byte{1, 2, 'g', 'o', 1, 'm', 2, 0}),
		"torn import":       with(sectionImport, []byte{1, 2, 'g'}),
		"torn type":         with(sectionType, []byte{0x80}),
		"torn declaration":  with(sectionFunction, []byte{0x80}),
		"torn code":         with(sectionCode, []byte{3, 9, 0}),
		"torn locals":       with(sectionCode, []byte{3, 2, 9, 1}),
		"torn instruction":  with(sectionCode, []byte{3, 2, 0, opI32Const}),
		"a SIMD operation":  with(sectionCode, []byte{3, 3, 0, 0xfd, 0}),
		"another extension": with(sectionCode, []byte{3, 3, 0, 0xfc, 9}),
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
	list := functions("main.f")
	list[0] = 0xf2 // the magic number of another version
	before := with(sectionData, appendSegments(nil, []segment{{at: 64, bytes: list}}))
	if err := os.WriteFile(file, before, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func([]byte) ([]byte, error){slim, onlyCode} {
		if err := rewrite(file, step); !errors.Is(err, errUnknown) {
			t.Errorf("rewrite: %v", err)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
			t.Errorf("the file was written all the same: %v", err)
		}
	}
}

func TestReadsWhatItWrites(t *testing.T) {
	for _, value := range []int64{0, 1, 63, 64, -1, -64, -65, 1 << 20, 1<<31 - 1, -1 << 31, 1<<63 - 1,
		-1 << 63} {
		encoded := appendSleb(nil, value)
		r := reader{encoded, 0}
		if got := r.signed(); got != value || r.at != len(encoded) {
			t.Errorf("%d came back as %d, %d of %d bytes", value, got, r.at, len(encoded))
		}
	}
}

// functions is a table of functions as the linker lays it out: a header, their names, three
// parts of 8 bytes, then the index and the records.
func functions(names ...string) []byte {
	var text []byte
	var offsets []int
	for _, name := range names {
		offsets = append(offsets, len(text))
		text = append(text, name+"\x00"...)
	}
	for len(text)%8 != 0 {
		text = append(text, 0)
	}
	table := make([]byte, headerSize)
	copy(table, headerStart)
	binary.LittleEndian.PutUint64(table[headerNfunc:], uint64(len(names)))
	binary.LittleEndian.PutUint64(table[headerNames:], headerSize)
	for i, at := range []int{headerUnits, headerFiles, headerTables, headerFuncs} {
		binary.LittleEndian.PutUint64(table[at:], uint64(headerSize+len(text)+8*i))
	}
	table = append(table, text...)
	table = append(table, "\x01\x01\x01\x01\x01\x01\x01\x01"...)
	table = append(table, "main.go\x00"...)
	table = append(table, 0, 2, 1, 0, 4, 1, 0, 0) // at 1 how deep the stack is, at 4 the lines
	for i := range names {
		table = binary.LittleEndian.AppendUint32(table, uint32(4096+i))
		// the records lie behind this index
		table = binary.LittleEndian.AppendUint32(table, uint32(8*len(names)+8+i*funcPcdata))
	}
	table = append(table, make([]byte, 8)...)
	for _, name := range offsets {
		record := make([]byte, funcPcdata)
		record[funcName], record[funcSP], record[funcFile], record[funcLine], record[funcStartLine] =
			byte(name), 1, 4, 4, 7
		table = append(table, record...)
	}
	return table
}

// shrink is the step alone.
func shrink(image []byte) bool {
	table, known := readFunctionTable(image)
	if known {
		table.shrink()
	}
	return known
}

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
	want := functions("main.f")
	clear(want[headerSize+8 : headerSize+24])    // units and files
	clear(want[headerSize+24+4 : headerSize+32]) // the table of lines
	record := want[len(want)-funcPcdata:]
	record[funcFile], record[funcLine], record[funcStartLine] = 0, 0, 0
	got := functions("main.f")
	if !shrink(got) {
		t.Fatal("the table was not known")
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

func TestNamesFunctions(t *testing.T) {
	names := []string{"main.f", "runtime.throw", "main.g"}
	image := append([]byte("before"), functions(names...)...)
	table, known := readFunctionTable(image)
	if got := table.functionNames(); !known || !slices.Equal(got, names) {
		t.Errorf("the functions are %v", got)
	}
	table.entries[2]++
	if got := table.functionNames(); got != nil {
		t.Errorf("functions with a gap between them are %v", got)
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
		table := functions("main.f")
		spoil(table)
		before := bytes.Clone(table)
		if shrink(table) {
			t.Errorf("%s: known", name)
		}
		if !bytes.Equal(table, before) {
			t.Errorf("%s: changed all the same", name)
		}
	}
}

// What nothing reads is taken from each record, and what is read is what it was.
func TestDropsWhatNothingReads(t *testing.T) {
	image := functions("main.f", "main.g", "main.h")
	table, known := readFunctionTable(image)
	if !known {
		t.Fatal("the table was not known")
	}
	const unsafe, stack, none = 1, 1, 1<<32 - 1
	for _, c := range []struct {
		name                 string
		pcdata, funcdata     []uint32
		wantPcdata, wantFunc []uint32
	}{
		{"nothing", nil, nil, nil, nil},
		{"all", []uint32{unsafe, stack, 4, 4}, []uint32{10, 11, 12, 13, 14, 15, 16, 17},
			[]uint32{0, stack, 4}, []uint32{10, 11, 12, 13, 14}},
		{"what traces ask for alone", []uint32{unsafe}, []uint32{none, none, none, none, none, 15}, nil, nil},
		{"a gap", []uint32{0, stack, 0}, []uint32{10, none, none, 13, none, none}, []uint32{0, stack},
			[]uint32{10, none, none, 13}},
	} {
		record := make([]byte, funcPcdata)
		binary.LittleEndian.PutUint32(record[funcNpcdata:], uint32(len(c.pcdata)))
		record[funcNfuncdata] = byte(len(c.funcdata))
		for _, word := range slices.Concat(c.pcdata, c.funcdata) {
			record = binary.LittleEndian.AppendUint32(record, word)
		}
		short := shortRecord(record)
		if got := words(short[funcPcdata:], half(short, funcNpcdata)); !slices.Equal(got, c.wantPcdata) {
			t.Errorf("%s: pcdata %v, want %v", c.name, got, c.wantPcdata)
		}
		if got := words(short[funcPcdata+4*len(c.wantPcdata):], int(short[funcNfuncdata])); len(
			short) != recordSize(short) || !slices.Equal(got, c.wantFunc) {
			t.Errorf("%s: funcdata %v, want %v", c.name, got, c.wantFunc)
		}
	}
	before := slices.Clone(table.records)
	for i, record := range before {
		before[i] = bytes.Clone(record)
	}
	table.records[0] = table.records[0][:funcPcdata-4] // as if it were shorter
	table.records[1], table.records[2] = bytes.Clone(table.records[1]), bytes.Clone(table.records[2])
	table.moveTogether()
	for i, record := range before[1:] {
		at := half(table.index, 8*(i+1)+4)
		if got := table.index[at : at+len(record)]; !bytes.Equal(got, record) {
			t.Errorf("record %d is %v, want %v", i+1, got, record)
		}
	}
}
