package main

import "encoding/binary"

// reader reads LEB128 numbers. Past the end it reads none, and is torn.
type reader struct {
	bytes []byte
	at    int
}

func (r *reader) torn() error {
	if r.at > len(r.bytes) {
		return errTorn
	}
	return nil
}

func (r *reader) skip(n int) { r.at += n }

func (r *reader) unsigned() uint64 {
	if r.at > len(r.bytes) {
		return 0
	}
	value, n := binary.Uvarint(r.bytes[r.at:])
	if n <= 0 {
		r.at = len(r.bytes) + 1
		return 0
	}
	r.at += n
	return value
}

func (r *reader) signed() int64 {
	var value int64
	for shift := 0; r.at < len(r.bytes) && shift < 64; shift += 7 {
		b := r.bytes[r.at]
		r.at++
		value |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 57 {
				value |= -1 << (shift + 7)
			}
			return value
		}
	}
	r.at = len(r.bytes) + 1
	return 0
}

func appendSleb(b []byte, value int64) []byte {
	for {
		low := byte(value & 0x7f)
		value >>= 7
		if value == 0 && low&0x40 == 0 || value == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
