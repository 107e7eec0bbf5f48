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
	funcName      = 4
	funcSP        = 16
	funcFile      = 20
	funcLine      = 24
	funcNpcdata   = 28
	funcUnit      = 32
	funcStartLine = 36
	funcNfuncdata = 43
	funcPcdata    = 44
	maxPcdata     = 16
)

var headerStart = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// functionTable is the runtime's table of functions in an image of memory.
type functionTable struct {
	names   []byte // the functions' names, each with a zero behind it
	sources []byte // units of compilation, and files
	values  []byte // what changes from instruction to instruction
	// of each function its number and where its record is from here on, and behind all the records
	index   []byte
	entries []int // the functions' numbers
	records [][]byte
	end     int // of the records, in index
}

// readFunctionTable finds the table. It reports whether it knew it: that of a toolchain that lays it out in
// another way is none.
func readFunctionTable(image []byte) (functionTable, bool) {
	at := bytes.Index(image, headerStart)
	if at < 0 || len(image)-at < headerSize || bytes.Contains(image[at+1:], headerStart) {
		return functionTable{}, false
	}
	table := image[at:]
	names, units, files, tables, funcs :=
		word(table, headerNames), word(table, headerUnits), word(table, headerFiles),
		word(table, headerTables), word(table, headerFuncs)
	nfunc := word(table, headerNfunc)
	if !(headerSize <= names && names < units && units < files && files < tables && tables < funcs &&
		funcs < len(table)) ||
		nfunc <= 0 || nfunc > (len(table)-funcs)/8 {
		return functionTable{}, false
	}
	t := functionTable{names: table[names:units], sources: table[units:tables], values: table[tables:funcs],
		index: table[funcs:]}
	for i := range nfunc {
		offset := half(table, funcs+8*i+4)
		// Each record lies behind the one before, at the next multiple of 8.
		if offset < t.end || i > 0 && offset-t.end >= 8 || offset > len(table)-funcs-funcPcdata {
			return t, false
		}
		record := table[funcs+offset:]
		npcdata := half(record, funcNpcdata)
		if npcdata < 0 || npcdata > maxPcdata || len(record) < recordSize(record) {
			return t, false
		}
		record = record[:recordSize(record)]
		for _, field := range valueFields(record) {
			if valuesSize(t.values, half(field, 0)) < 0 {
				return t, false
			}
		}
		t.end = offset + len(record)
		t.records, t.entries = append(t.records, record), append(t.entries, half(table, funcs+8*i))
	}
	return t, true
}

func recordSize(record []byte) int {
	return funcPcdata + 4*half(record, funcNpcdata) + 4*int(record[funcNfuncdata])
}

// functionNames returns the functions' names. It has none where the function's indexes do not follow each
// other.
func (f functionTable) functionNames() []string {
	var list []string
	for i, record := range f.records {
		name := half(record, funcName)
		if f.entries[i] != f.entries[0]+i || name < 0 || name > len(f.names) {
			return nil
		}
		text, _, _ := bytes.Cut(f.names[name:], []byte{0})
		list = append(list, string(text))
	}
	return list
}

// shrink takes out what nothing reads, and packs what is left so that it compresses.
func (f functionTable) shrink() {
	f.dropLines()
	f.dropUnread()
	pack(f.values, f.records)
}

func word(b []byte, at int) int { return int(binary.LittleEndian.Uint64(b[at:])) }

func half(b []byte, at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
