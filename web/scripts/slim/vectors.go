package main

import (
	"encoding/binary"
	"slices"
)

// What Go's compiler has no instructions for: sixteen bytes at once (core spec 5.4.8). Every browser since
// Safari 16.4, Chrome 91 and Firefox 89 has them. Of an event of 2 KB the wasm had 2.3 us, of which 0.6 were
// the search for the end of its line, and 0.8 the check of its strings.
const (
	opVector = 0xfd

	vLoad     = 0x00
	vSplat8   = 0x0f
	vExtract  = 0x1d // of 64 bits
	vEqual8   = 0x23
	vOr       = 0x50
	vXor      = 0x51
	vBitmask8 = 0x64
	vMin8     = 0x77 // unsigned

	typeI32    = 0x7f
	typeVector = 0x7b
	typeNone   = 0x40
)

// vectors are the functions that are put in place of Go's, by their names; they are given Go's. Each does
// what its comment says, and Go's own does too.
var vectors = map[string]func(function) (function, error){
	"memchr": memchr,
	"github.com/holdfast-mcp/holdfast/core/jsonrpc.skipText": skipText,
	"unicode/utf8.Valid": validUTF8,
}

// vectorize puts them in place.
func vectorize(functions []function, names []string) error {
	for i, name := range names {
		vector := vectors[name]
		if vector == nil {
			continue
		}
		made, err := vector(functions[i])
		if err != nil {
			return err
		}
		functions[i] = made
	}
	return nil
}

// memchr is that of internal/bytealg: of s, c and the length it makes the address of the first c, or 0.
func memchr(function) (function, error) {
	const s, c, length, last, found, all = 0, 1, 2, 2, 3, 4
	return function{[]byte{2, 1, typeI32, 1, typeVector}, assembly{
		get(s), get(length), op(opI32Add), set(last),
		get(c), vector(vSplat8), set(all),
		block(), loop(),
		get(s), i32(16), op(opI32Add), get(last), op(opI32GtU), brIf(1),
		get(s), vectorLoad(), get(all), vector(vEqual8), vector(vBitmask8), tee(found),
		when(), get(s), get(found), op(opI32Ctz), op(opI32Add), op(opReturn), end(),
		get(s), i32(16), op(opI32Add), set(s), br(0),
		end(), end(),
		block(), loop(),
		get(s), get(last), op(opI32GeU), brIf(1),
		get(s), load8(0), get(c), op(opI32Eq), when(), get(s), op(opReturn), end(),
		get(s), i32(1), op(opI32Add), set(s), br(0),
		end(), end(),
		i32(0), end(),
	}}, nil
}

// skipText is that of core/jsonrpc: of a text t, an offset and the bits seen so far it makes the offset it
// has come to, and the bits with those of what it has passed over, or of a few bytes more. Its arguments, and
// what it returns, are on Go's stack.
func skipText(function) (function, error) {
	const (
		sp, at, last, found   = 1, 2, 3, 4
		bits, text, flipped   = 5, 6, 7
		two, limit, backslash = 8, 9, 10

		argText, argLength, argOffset, argBits = 8, 16, 32, 40
		outOffset, outBits                     = 48, 56
	)
	escape := assembly{i32(0)} // whether the byte that was found makes one
	for _, c := range "\"\\/bfnrt" {
		escape = append(escape, get(found), i32(int64(c)), op(opI32Eq), op(opI32Or))
	}
	return function{[]byte{2, 4, typeI32, 6, typeVector}, slices.Concat(assembly{
		{op: opGlobalGet}, tee(sp), load32(argText), tee(last), get(sp), load32(argOffset), op(opI32Add),
		set(at),
		get(last), get(sp), load32(argLength), op(opI32Add), set(last),
		// Flipping a bit makes the quote 0x20, and leaves what is below that there: one comparison finds
		// both.
		i32(2), vector(vSplat8), set(two), i32(0x20), vector(vSplat8), set(limit), i32('\\'), vector(vSplat8),
		set(backslash),
		block(), loop(),
		get(at), i32(16), op(opI32Add), get(last), op(opI32GtU), brIf(1),
		get(at), vectorLoad(), tee(text), get(bits), vector(vOr), set(bits),
		get(text), get(two), vector(vXor), tee(flipped), get(limit), vector(vMin8), get(flipped),
		vector(vEqual8),
		get(text), get(backslash), vector(vEqual8), vector(vOr), vector(vBitmask8), tee(found),
		when(),
		get(at), get(found), op(opI32Ctz), op(opI32Add), tee(at), load8(0), i32('\\'), op(opI32Ne), brIf(2),
		// A backslash: all escapes but \u are passed over here.
		get(at), i32(2), op(opI32Add), get(last), op(opI32GtU), brIf(2),
		get(at), load8(1), set(found),
	}, escape, assembly{
		op(opI32Eqz), brIf(2),
		get(at), i32(2), op(opI32Add), set(at), br(1),
		end(),
		get(at), i32(16), op(opI32Add), set(at), br(0),
		end(), end(),
		get(sp), get(at), get(sp), load32(argText), op(opI32Sub), op(opI64ExtendI32U), store64(outOffset),
		get(sp), get(sp), load64(argBits), get(bits), vector(vExtract, 0), op(opI64Or), get(bits),
		vector(vExtract, 1), op(opI64Or), store64(outBits),
		// It returns to whoever has called it: the stack pointer passes over the address of that, and 0 says
		// that nothing unwinds.
		get(sp), i32(8), op(opI32Add), {op: opGlobalSet}, i32(0), end(),
	})}, nil
}

// assembly is code that is written by hand.
type assembly = []instruction

func op(code byte) instruction         { return instruction{op: code} }
func get(local int64) instruction      { return instruction{op: opLocalGet, value: local} }
func set(local int64) instruction      { return instruction{op: opLocalSet, value: local} }
func tee(local int64) instruction      { return instruction{op: opLocalTee, value: local} }
func i32(value int64) instruction      { return instruction{op: opI32Const, value: value} }
func br(out int64) instruction         { return instruction{op: opBr, value: out} }
func brIf(out int64) instruction       { return instruction{op: opBrIf, value: out} }
func block() instruction               { return instruction{op: opBlock, bytes: []byte{opBlock, typeNone}} }
func loop() instruction                { return instruction{op: opLoop, bytes: []byte{opLoop, typeNone}} }
func when() instruction                { return instruction{op: opIf, bytes: []byte{opIf, typeNone}} }
func end() instruction                 { return instruction{op: opEnd} }
func load8(offset int64) instruction   { return instruction{op: opI32Load8U, value: offset} }
func load32(offset int64) instruction  { return instruction{op: opI32Load, align: 2, value: offset} }
func load64(offset int64) instruction  { return instruction{op: opI64Load, align: 3, value: offset} }
func store8(offset int64) instruction  { return instruction{op: opI32Store8, value: offset} }
func store64(offset int64) instruction { return instruction{op: opI64Store, align: 3, value: offset} }
func vectorLoad() instruction          { return vector(vLoad, 0, 0) }
func vector(code uint64, immediate ...byte) instruction {
	return instruction{op: opVector,
		bytes: append(binary.AppendUvarint([]byte{opVector}, code), immediate...)}
}
