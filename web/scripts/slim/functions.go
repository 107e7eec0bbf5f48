package main

import (
	"encoding/binary"
	"fmt"
)

// function is one of the code section.
type function struct {
	locals []byte // which it has besides its parameters
	code   []instruction
}

// readFunctions reads a code section.
func readFunctions(body []byte) ([]function, error) {
	r := reader{body, 0}
	var list []function
	for range r.unsigned() {
		size := int(r.unsigned())
		if r.torn() != nil || size < 0 || size > len(body)-r.at {
			return nil, errTorn
		}
		next, err := readFunction(body[r.at : r.at+size])
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", len(list), err)
		}
		list = append(list, next)
		r.skip(size)
	}
	return list, r.torn()
}

func readFunction(body []byte) (function, error) {
	r := reader{body, 0}
	for range r.unsigned() {
		r.unsigned() // how many
		r.skip(1)    // of which type
		if err := r.torn(); err != nil {
			return function{}, err
		}
	}
	if err := r.torn(); err != nil {
		return function{}, err
	}
	code, err := instructions(body[r.at:])
	return function{locals: body[:r.at], code: code}, err
}

func appendFunctions(body []byte, list []function) []byte {
	body = binary.AppendUvarint(body, uint64(len(list)))
	for _, f := range list {
		code := append([]byte{}, f.locals...)
		for _, in := range f.code {
			code = in.append(code)
		}
		body = binary.AppendUvarint(body, uint64(len(code)))
		body = append(body, code...)
	}
	return body
}

// imports returns how many functions a module imports: theirs are the first indexes. Go imports nothing else.
func imports(body []byte) (int, error) {
	r := reader{body, 0}
	count := int(r.unsigned())
	for range count {
		r.skip(int(r.unsigned())) // the module's name
		r.skip(int(r.unsigned())) // the function's
		kind := r.unsigned()
		r.unsigned() // the type
		if err := r.torn(); err != nil {
			return 0, err
		}
		if kind != 0 {
			return 0, errUnknown
		}
	}
	return count, r.torn()
}
