package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Section ids of the WebAssembly binary format (core spec 5.5.2).
const (
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
)

// joinGap is how many zero bytes are cheaper written out than skipped by a new
// segment. Raw, a segment's header is worth eight zeroes, which is what Go's
// linker splits at; compressed, a run of zeroes costs next to nothing while
// each header has an address that nothing predicts.
const joinGap = 256

type section struct {
	id   byte
	body []byte
}

// segment is one active data segment: bytes that the engine copies to at.
type segment struct {
	at    int
	bytes []byte
}

func (s segment) end() int { return s.at + len(s.bytes) }

var errTorn = errors.New("the module is torn")

func sections(module []byte) ([]section, error) {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	var list []section
	for rest := module[8:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errTorn
		}
		body := rest[1+n : 1+n+int(size)]
		list = append(list, section{rest[0], body})
		rest = rest[1+n+int(size):]
	}
	return list, nil
}

// find returns the section of that id, an empty one where there is none.
func find(list []section, id byte) *section {
	for i := range list {
		if list[i].id == id {
			return &list[i]
		}
	}
	return &section{id: id, body: []byte{0}}
}

// segments reads a data section. Only what Go's linker writes is understood:
// active segments of memory 0 with a constant address.
func segments(body []byte) ([]segment, error) {
	count, n := binary.Uvarint(body)
	if n <= 0 {
		return nil, errTorn
	}
	body = body[n:]
	var list []segment
	for range count {
		if len(body) < 2 || body[0] != 0 || body[1] != 0x41 {
			return nil, errors.New("a data segment is not of the form that Go's linker writes")
		}
		r := reader{body, 2}
		at := r.signed()
		if r.at >= len(body) || body[r.at] != opEnd {
			return nil, errTorn
		}
		body = body[r.at+1:]
		size, m := binary.Uvarint(body)
		if m <= 0 || size > uint64(len(body)-m) {
			return nil, errTorn
		}
		list = append(list, segment{int(uint32(at)), body[m : m+int(size)]})
		body = body[m+int(size):]
	}
	if len(body) > 0 {
		return nil, errTorn
	}
	slices.SortFunc(list, func(a, b segment) int { return a.at - b.at })
	for i := 1; i < len(list); i++ {
		if list[i].at < list[i-1].end() {
			return nil, fmt.Errorf("data segments overlap at %#x", list[i].at)
		}
	}
	return list, nil
}

// join makes one segment of neighbours with at most joinGap bytes between.
func join(list []segment) []segment {
	var joined []segment
	for _, next := range list {
		if n := len(joined); n > 0 && next.at-joined[n-1].end() <= joinGap {
			last := &joined[n-1]
			last.bytes = append(last.bytes, make([]byte, next.at-last.end())...)
			last.bytes = append(last.bytes, next.bytes...)
			continue
		}
		joined = append(joined, segment{next.at, slices.Clone(next.bytes)})
	}
	return joined
}

// part leaves out zeroes, which memory has by itself: where there are more than joinGap, the bytes behind
// them are a segment of their own. However well they compress, the browser hands each of them to the page.
func part(list []segment) []segment {
	var parts []segment
	for _, s := range list {
		begin, zeroes := 0, 0
		for i, b := range s.bytes {
			switch {
			case b == 0:
				zeroes++
			case zeroes > joinGap:
				if end := i - zeroes; end > begin {
					parts = append(parts, segment{s.at + begin, s.bytes[begin:end]})
				}
				begin, zeroes = i, 0
			default:
				zeroes = 0
			}
		}
		if end := len(s.bytes) - zeroes; end > begin {
			parts = append(parts, segment{s.at + begin, s.bytes[begin:end]})
		}
	}
	return parts
}

func appendSegments(body []byte, list []segment) []byte {
	body = binary.AppendUvarint(body, uint64(len(list)))
	for _, s := range list {
		body = append(body, 0, 0x41)
		body = appendSleb(body, int64(int32(uint32(s.at)))) // an i32 is signed
		body = append(body, 0x0b)
		body = binary.AppendUvarint(body, uint64(len(s.bytes)))
		body = append(body, s.bytes...)
	}
	return body
}

func appendModule(module []byte, list []section) []byte {
	module = append(module, "\x00asm\x01\x00\x00\x00"...)
	for _, s := range list {
		module = appendSection(module, s)
	}
	return module
}

func appendSection(module []byte, s section) []byte {
	module = append(module, s.id)
	module = binary.AppendUvarint(module, uint64(len(s.body)))
	return append(module, s.body...)
}
