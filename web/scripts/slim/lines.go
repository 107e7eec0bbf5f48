package main

import (
	"bytes"
	"encoding/binary"
)

// The layout of the runtime's table of functions, which is the same from Go
// 1.20 to 1.26: runtime.pcHeader in runtime/symtab.go and runtime._func in
// runtime/runtime2.go. Little endian, pointers of 8 bytes on wasm.
const (
	headerSize    = 72
	headerNfunc   = 8
	headerNames   = 32
	headerUnits   = 40
	headerFiles   = 48
	headerTables  = 56
	headerFuncs   = 64
	funcSP        = 16
	funcFile      = 20
	funcLine      = 24
	funcNpcdata   = 28
	funcUnit      = 32
	funcStartLine = 36
	funcPcdata    = 44
	maxPcdata     = 16
)

var headerStart = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// dropLines blanks which file and line each instruction came from, and packs the tables
// that are left. Nothing but
// the printed trace of a panic reads them, which then names its functions and
// the offsets in them: those find the line in a build of the same source.
//
// It reports whether it knew the table: that of a toolchain that lays it out in
// another way is left as it is.
func dropLines(image []byte) bool {
	at := bytes.Index(image, headerStart)
	if at < 0 || len(image)-at < headerSize || bytes.Contains(image[at+1:], headerStart) {
		return false
	}
	table := image[at:]
	names, units, files, tables, funcs :=
		word(table, headerNames), word(table, headerUnits), word(table, headerFiles), word(table, headerTables), word(table, headerFuncs)
	nfunc := word(table, headerNfunc)
	if !(headerSize <= names && names < units && units < files && files < tables && tables < funcs && funcs < len(table)) ||
		nfunc <= 0 || nfunc > (len(table)-funcs)/8 {
		return false
	}
	values := table[tables:funcs]
	records := make([][]byte, nfunc)
	for i := range records {
		offset := half(table, funcs+8*i+4)
		if offset < 0 || offset > len(table)-funcs-funcPcdata {
			return false
		}
		record := table[funcs+offset:]
		npcdata := half(record, funcNpcdata)
		if npcdata < 0 || npcdata > maxPcdata || len(record) < funcPcdata+4*npcdata {
			return false
		}
		records[i] = record
		for _, field := range valueFields(record) {
			if valuesSize(values, half(field, 0)) < 0 {
				return false
			}
		}
	}
	for _, record := range records {
		clear(record[funcFile : funcLine+4])
		clear(record[funcUnit : funcStartLine+4])
	}
	pack(values, records)
	clear(table[units:tables])
	return true
}

// valueFields returns those fields of a function's record that are offsets into the
// tables of values, but for its files and lines.
func valueFields(record []byte) [][]byte {
	fields := [][]byte{record[funcSP:]}
	for k := range half(record, funcNpcdata) {
		fields = append(fields, record[funcPcdata+4*k:])
	}
	return fields
}

// pack moves the tables of values that are left to the front, field by field and in the
// order of the functions: an offset that is small, and near to the one of the function
// before, compresses better.
func pack(values []byte, records [][]byte) {
	packed, moved := []byte{0}, map[int]int{0: 0} // offset 0 is "there is no table"
	for k := range 1 + maxPcdata {
		for _, record := range records {
			fields := valueFields(record)
			if k >= len(fields) {
				continue
			}
			from := half(fields[k], 0)
			to, known := moved[from]
			if !known {
				to = len(packed)
				moved[from] = to
				packed = append(packed, values[from:from+valuesSize(values, from)]...)
			}
			binary.LittleEndian.PutUint32(fields[k], uint32(to))
		}
	}
	clear(values[copy(values, packed):])
}

// valuesSize returns how long the table of values at offset is, negative where it is
// torn. It has pairs of varints, of a value's change and of how far it holds, until a
// change of zero that is not the first (runtime.step).
func valuesSize(values []byte, offset int) int {
	if offset == 0 {
		return 0
	}
	if offset < 0 || offset >= len(values) {
		return -1
	}
	for at := offset; ; {
		change, n := binary.Uvarint(values[at:])
		if n <= 0 {
			return -1
		}
		isEnd := change == 0 && at > offset
		at += n
		if isEnd {
			return at - offset
		}
		if _, n = binary.Uvarint(values[at:]); n <= 0 {
			return -1
		}
		at += n
	}
}

func word(b []byte, at int) int { return int(binary.LittleEndian.Uint64(b[at:])) }

func half(b []byte, at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
