package main

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// dropLines blanks which file and line each instruction came from. Nothing but the printed
// trace of a panic reads them, which then names its functions and the offsets in them: those
// find the line in a build of the same source.
func (f functionTable) dropLines() {
	for _, record := range f.records {
		clear(record[funcFile : funcLine+4])
		clear(record[funcUnit : funcStartLine+4])
	}
	clear(f.sources)
}

// Of what a function's record refers to, who reads it. The numbers are those of internal/abi.
const (
	pcdataUnsafePoint  = 0 // what stops a goroutine at any instruction: wasm cannot
	pcdataArgLiveIndex = 3 // traces with arguments: wasmbuild takes them out
	funcdataArgInfo    = 5 // the same, and so are all after it
)

// dropUnread takes what nothing reads from the records, and moves them together. The table of functions then
// refers to where they are.
func (f functionTable) dropUnread() {
	for i, record := range f.records {
		f.records[i] = shortRecord(record)
	}
	f.moveTogether()
}

// shortRecord is a copy of a record without what nothing reads.
func shortRecord(record []byte) []byte {
	npcdata := half(record, funcNpcdata)
	pcdata := words(record[funcPcdata:], npcdata)
	funcdata := words(record[funcPcdata+4*npcdata:], int(record[funcNfuncdata]))
	for _, k := range []int{pcdataUnsafePoint, pcdataArgLiveIndex} {
		if k < len(pcdata) {
			pcdata[k] = 0
		}
	}
	pcdata = until(pcdata, 0)
	funcdata = until(funcdata[:min(len(funcdata), funcdataArgInfo)], none)
	short := bytes.Clone(record[:funcPcdata])
	binary.LittleEndian.PutUint32(short[funcNpcdata:], uint32(len(pcdata)))
	short[funcNfuncdata] = byte(len(funcdata))
	for _, word := range slices.Concat(pcdata, funcdata) {
		short = binary.LittleEndian.AppendUint32(short, word)
	}
	return short
}

// none is where there is no funcdata. There is no pcdata at 0.
const none = 1<<32 - 1

// until leaves out what is at the end and says nothing.
func until(list []uint32, nothing uint32) []uint32 {
	for len(list) > 0 && list[len(list)-1] == nothing {
		list = list[:len(list)-1]
	}
	return list
}

// moveTogether writes the records, one behind the other from where the first was.
func (f functionTable) moveTogether() {
	at := half(f.index, 4)
	for i, record := range f.records {
		binary.LittleEndian.PutUint32(f.index[8*i+4:], uint32(at))
		f.records[i] = f.index[at : at+copy(f.index[at:], record)]
		at += len(record)
	}
	clear(f.index[at:f.end])
}

func words(b []byte, n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return list
}
