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
)

var headerStart = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// dropLines blanks which file and line each instruction came from. Nothing but
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
	used := make([]bool, len(values))
	used[0] = true // offset 0 is "there is no table"
	records := make([][]byte, nfunc)
	for i := range records {
		offset := half(table, funcs+8*i+4)
		if offset < 0 || offset > len(table)-funcs-funcPcdata {
			return false
		}
		record := table[funcs+offset:]
		npcdata := half(record, funcNpcdata)
		if npcdata < 0 || npcdata > 16 || len(record) < funcPcdata+4*npcdata {
			return false
		}
		records[i] = record
		if !mark(used, values, half(record, funcSP)) {
			return false
		}
		for k := range npcdata {
			if !mark(used, values, half(record, funcPcdata+4*k)) {
				return false
			}
		}
	}
	for _, record := range records {
		clear(record[funcFile : funcLine+4])
		clear(record[funcUnit : funcStartLine+4])
	}
	for i := range values {
		if !used[i] {
			values[i] = 0
		}
	}
	clear(table[units:tables])
	return true
}

// mark books the bytes of the table of values at offset: pairs of varints, of
// a value's change and of how far it holds, until a change of zero that is not
// the first (runtime.step).
func mark(used []bool, values []byte, offset int) bool {
	if offset == 0 {
		return true
	}
	if offset < 0 || offset >= len(values) {
		return false
	}
	for at := offset; ; {
		change, n := binary.Uvarint(values[at:])
		if n <= 0 {
			return false
		}
		isEnd := change == 0 && at > offset
		m := 0
		if !isEnd {
			if _, m = binary.Uvarint(values[at+n:]); m <= 0 {
				return false
			}
		}
		for i := range n + m {
			used[at+i] = true
		}
		if isEnd {
			return true
		}
		at += n + m
	}
}

func word(b []byte, at int) int { return int(binary.LittleEndian.Uint64(b[at:])) }

func half(b []byte, at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
