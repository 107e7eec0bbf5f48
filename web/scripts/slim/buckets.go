package main

import (
	"bytes"
	"encoding/binary"
)

// bucketsOf is how many buckets of the table of buckets a function has: one for each 4096 of the 65,536
// program counters that it has on wasm (findfunctab in the linker's pcln).
const bucketsOf = 16

// dropBuckets blanks the linker's table that finds the function of a program counter. It is 20 bytes for each
// bucket, 0.9 MB in all, and says of each function that its index is its index: the runtime is edited not to
// ask (web/scripts/wasmbuild/runtime.go). A table that says anything else is left as it is.
//
// It reports whether it knew the table.
func dropBuckets(list []segment, functions int) bool {
	// The first function's buckets are all zero, and may be no bytes of the file. The last one has as many as
	// its size asks for.
	var table []byte
	for i := 1; i < functions-1; i++ {
		bucket := make([]byte, 20)
		binary.LittleEndian.PutUint32(bucket, uint32(i))
		table = append(table, bytes.Repeat(bucket, bucketsOf)...)
	}
	if len(table) == 0 {
		return false
	}
	for _, s := range list {
		if at := bytes.Index(s.bytes, table); at >= 0 {
			clear(s.bytes[at : at+len(table)])
			return true
		}
	}
	return false
}
