package main

import "encoding/binary"

const (
	vConst   = 0x0c
	vShuffle = 0x0d
	vSwizzle = 0x0e
	vAnd     = 0x4e
	vAnyTrue = 0x53
	vShiftR8 = 0x6d // unsigned
	vSub8    = 0x73 // unsigned, and not below zero
)

// What is wrong with a byte and the one before it, as a bit each: of the first byte's upper four bits, of its
// lower four, and of the upper four of the second. It is wrong where all three say so. (J. Keiser, D. Lemire:
// Validating UTF-8 in less than one instruction per byte, 2020)
const (
	tooShort  = 1 << 0 // a lead byte without what follows
	tooLong   = 1 << 1 // ASCII, and what follows a lead byte
	overlong3 = 1 << 2
	tooLarge  = 1 << 3
	surrogate = 1 << 4
	overlong2 = 1 << 5
	overlong4 = 1 << 6 // or too large, which other bytes are
	twoConts  = 1 << 7 // which a third or a fourth byte may be: then it is right

	anyLow = tooShort | tooLong | twoConts
	beyond = anyLow | tooLarge | overlong4
	cont   = tooLong | overlong2 | twoConts
)

var (
	firstUpper = [16]byte{
		tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, twoConts, twoConts, twoConts,
		twoConts,
		tooShort | overlong2, tooShort, tooShort | overlong3 | surrogate, tooShort | tooLarge | overlong4,
	}
	firstLower = [16]byte{
		anyLow | overlong3 | overlong2 | overlong4, anyLow | overlong2, anyLow, anyLow, anyLow | tooLarge,
		beyond, beyond, beyond, beyond, beyond, beyond, beyond, beyond, beyond | surrogate, beyond, beyond,
	}
	secondUpper = [16]byte{
		tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort,
		cont | overlong3 | overlong4, cont | overlong3 | tooLarge, cont | surrogate | tooLarge,
		cont | surrogate | tooLarge,
		tooShort, tooShort, tooShort, tooShort,
	}
	// leads is what no byte may be above at the end of a text: a lead byte of four, three and two.
	leads = [16]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0xf0 - 1, 0xe0 - 1,
		0xc0 - 1}
)

// fewestVectors is how many bytes a text has at least that is read in vectors: the last of them overlaps the
// one before.
const fewestVectors = 32

// validUTF8 is utf8.Valid, with a text of so many bytes read in vectors: of an event of 2 KB of Chinese the
// wasm had 3.0 us, of which Go's took 1.6. What was read last is kept, for the bytes at the begin of the
// next.
func validUTF8(of function) (function, error) {
	locals, first, err := moreLocals(of.locals, 4, 5)
	if err != nil {
		return function{}, err
	}
	sp, at, last := first, first+1, first+2
	text, before, wrong, shifted, check := first+4, first+5, first+6, first+7, first+8
	const argText, argLength, out = 8, 16, 32
	back := func(bytes byte) instruction { // shifts the text, and what was before it, by so many
		lanes := make([]byte, 16)
		for i := range lanes {
			lanes[i] = 16 - bytes + byte(i)
		}
		return vector(vShuffle, lanes...)
	}
	splat := func(b byte) assembly { return assembly{i32(int64(b)), vector(vSplat8)} }
	var code assembly
	add := func(parts ...assembly) {
		for _, part := range parts {
			code = append(code, part...)
		}
	}
	table := func(t [16]byte) assembly { return assembly{vector(vConst, t[:]...)} }
	add(
		// Where it goes on in mid-function it is Go's that does.
		assembly{get(0), op(opI32Eqz), {op: opGlobalGet}, tee(sp), load32(argLength), i32(fewestVectors),
			op(opI32GeU), op(opI32And), when()},
		assembly{get(sp), load32(argText), tee(at), get(sp), load32(argLength), op(opI32Add), set(last)},
		splat(0), assembly{tee(before), set(wrong)},
		assembly{block(), loop()},
		assembly{get(at), get(last), op(opI32Eq), brIf(1)},
		assembly{get(at), i32(16), op(opI32Add), get(last), op(opI32GtU), when()},
		assembly{get(last), i32(16), op(opI32Sub), tee(at), i32(16), op(opI32Sub), vectorLoad(), set(before),
			end()},
		assembly{get(at), vectorLoad(), tee(text), vector(vBitmask8), op(opI32Eqz), when()},
		// All ASCII: what was before it has to be at an end.
		assembly{get(wrong), get(before)}, table(leads), assembly{vector(vSub8), vector(vOr), set(wrong)},
		assembly{{op: opElse}},
		assembly{get(before), get(text), back(1), tee(shifted), i32(4), vector(vShiftR8), set(check)},
		table(firstUpper), assembly{get(check), vector(vSwizzle)},
		table(firstLower), assembly{get(shifted)}, splat(0x0f),
		assembly{vector(vAnd), vector(vSwizzle), vector(vAnd)},
		table(secondUpper), assembly{get(text), i32(4), vector(vShiftR8), vector(vSwizzle), vector(vAnd),
			set(check)},
		// A third byte has a lead byte of three or four two before it, and a fourth one of four three before:
		// both have two continuations there.
		assembly{get(before), get(text), back(2)}, splat(0xe0-0x80), assembly{vector(vSub8)},
		assembly{get(before), get(text), back(3)}, splat(0xf0-0x80), assembly{vector(vSub8), vector(vOr)},
		splat(0x80), assembly{vector(vAnd)},
		assembly{get(check), vector(vXor), get(wrong), vector(vOr), set(wrong)},
		assembly{end()},
		assembly{get(text), set(before), get(at), i32(16), op(opI32Add), set(at), br(0)},
		assembly{end(), end()},
		assembly{get(sp), get(before)}, table(leads),
		assembly{vector(vSub8), get(wrong), vector(vOr), vector(vAnyTrue), op(opI32Eqz), store8(out)},
		assembly{get(sp), i32(8), op(opI32Add), {op: opGlobalSet}, i32(0), op(opReturn), end()},
	)
	return function{locals, append(code, of.code...)}, nil
}

// moreLocals adds locals of 32 bits and vectors to those of a function of Go's, which has one parameter. It
// returns the first one's index.
func moreLocals(locals []byte, narrow, vectors uint64) ([]byte, int64, error) {
	r := reader{locals, 0}
	groups := r.unsigned()
	begin, first := r.at, int64(1)
	for range groups {
		first += int64(r.unsigned())
		r.skip(1)
	}
	if err := r.torn(); err != nil {
		return nil, 0, err
	}
	out := append(binary.AppendUvarint(nil, groups+2), locals[begin:]...)
	out = append(binary.AppendUvarint(out, narrow), typeI32)
	return append(binary.AppendUvarint(out, vectors), typeVector), first, nil
}
