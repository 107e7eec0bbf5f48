package main

import (
	"bytes"
	"encoding/binary"
)

// The layout of runtime.moduledata and of runtime.findfuncbucket (runtime/symtab.go). A
// bucket has the index of a function, and 16 bytes to add to it.
const (
	moduleBuckets = 152
	moduleMinPC   = 160
	moduleMaxPC   = 168
	moduleSize    = 176
	bucketSize    = 20
	bucketSpan    = 4096 // how many program counters a bucket is for
)

// bucketStep is how far from its function a bucket may point. The runtime looks from
// there for the function, one after the other: each is a comparison of two words.
const bucketStep = 16

// roundBuckets has each bucket point to a function before its own, the same one as its
// neighbours: so a table of a megabyte, with 16 buckets for each function, is runs of the
// same bytes.
//
// It reports whether it knew the table.
func roundBuckets(list []segment) bool {
	module := moduleData(list)
	if len(module) < moduleSize {
		return false
	}
	from, span := word(module, moduleBuckets), word(module, moduleMaxPC)-word(module, moduleMinPC)
	end := from + (span+bucketSpan-1)/bucketSpan*bucketSize
	known := false
	for _, s := range list {
		at := from // of the first bucket in s; what is in no segment is zero
		if at < s.at {
			at += (s.at - from + bucketSize - 1) / bucketSize * bucketSize
		}
		for ; at < end && at+4 <= s.end(); at += bucketSize {
			index := s.bytes[at-s.at:]
			binary.LittleEndian.PutUint32(index, uint32(half(index, 0)&^(bucketStep-1)))
			known = true
		}
	}
	return known
}

// moduleData returns a copy of what begins with the runtime's moduledata: the addresses of the
// table of functions and of the names in it.
func moduleData(list []segment) []byte {
	for _, s := range list {
		at := bytes.Index(s.bytes, headerStart)
		if at < 0 || len(s.bytes)-at < headerSize {
			continue
		}
		start := binary.LittleEndian.AppendUint64(nil, uint64(s.at+at))
		start = binary.LittleEndian.AppendUint64(start, uint64(s.at+at+word(s.bytes[at:], headerNames)))
		// The linker leaves out zeros: a segment may begin behind those of the address.
		rest := bytes.TrimLeft(start, "\x00")
		zeros := len(start) - len(rest)
		for _, other := range list {
			if at := bytes.Index(other.bytes, rest); at >= 0 {
				return append(make([]byte, zeros), other.bytes[at:]...)
			}
		}
	}
	return nil
}
