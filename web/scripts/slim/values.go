package main

import "encoding/binary"

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
