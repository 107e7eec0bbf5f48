package main

import (
	"encoding/binary"
	"errors"
)

// The instructions of the WebAssembly binary format (core spec 5.4) that rules name.
const (
	opNop           = 0x01
	opBlock         = 0x02
	opLoop          = 0x03
	opIf            = 0x04
	opElse          = 0x05
	opEnd           = 0x0b
	opBr            = 0x0c
	opBrIf          = 0x0d
	opBrTable       = 0x0e
	opReturn        = 0x0f
	opCall          = 0x10
	opDrop          = 0x1a
	opLocalGet      = 0x20
	opLocalSet      = 0x21
	opLocalTee      = 0x22
	opGlobalGet     = 0x23
	opGlobalSet     = 0x24
	opI32Load       = 0x28
	opI64Load       = 0x29
	opI32Load8S     = 0x2c
	opI32Load8U     = 0x2d
	opI64Load8S     = 0x30
	opI64Load16U    = 0x33
	opI64Load32S    = 0x34
	opI64Load32U    = 0x35
	opI32Store      = 0x36
	opI64Store      = 0x37
	opI32Store8     = 0x3a
	opI64Store32    = 0x3e
	opI32Const      = 0x41
	opI64Const      = 0x42
	opF64Const      = 0x44
	opI32Eqz        = 0x45
	opI32Eq         = 0x46
	opI32Ne         = 0x47
	opI32GtU        = 0x4b
	opI32GeU        = 0x4f
	opI64Eqz        = 0x50
	opI64Eq         = 0x51
	opI64GeU        = 0x5a
	opI32Ctz        = 0x68
	opI32Add        = 0x6a
	opI32Sub        = 0x6b
	opI32And        = 0x71
	opI32Or         = 0x72
	opI32Rotr       = 0x78
	opI64Add        = 0x7c
	opI64Or         = 0x84
	opI64Rotr       = 0x8a
	opI32WrapI64    = 0xa7
	opI64ExtendI32U = 0xad
)

// widest is the alignment of 8 bytes, the power of two. Above are other memories than the first.
const widest = 3

// instruction is one of a function's. It has what rules ask for: the first of its immediates, or an offset
// with its alignment. Any other is its bytes alone.
type instruction struct {
	op    byte
	value int64  // of a constant; else the index, or the offset of an access to memory
	align byte   // of an access to memory
	bytes []byte // as they were read, where value does not say all
}

var errInstruction = errors.New("a function has an instruction that Go's compiler does not write")

// instructions reads the code of a function.
func instructions(code []byte) ([]instruction, error) {
	var list []instruction
	for len(code) > 0 {
		next, size, err := readInstruction(code)
		if err != nil {
			return nil, err
		}
		list = append(list, next)
		code = code[size:]
	}
	return list, nil
}

// hasIndex says whether an index is all that an instruction has: of a function, a local or a global, or how
// many blocks out the end is that it goes to.
func hasIndex(op byte) bool {
	return op == opBr || op == opBrIf || op == opCall || op >= opLocalGet && op <= opGlobalSet
}

// isAccess says whether an instruction loads from memory, or stores to it.
func isAccess(op byte) bool { return op >= opI32Load && op <= opI64Store32 }

func readInstruction(code []byte) (instruction, int, error) {
	op := code[0]
	r := reader{code, 1}
	in := instruction{op: op}
	switch {
	case op >= opBlock && op <= opIf: // block, loop, if: the type of the block
		r.skip(1)
	case hasIndex(op):
		in.value = int64(r.unsigned())
		return in, r.at, r.torn()
	case op == opBrTable:
		for left := r.unsigned() + 1; left > 0 && r.torn() == nil; left-- {
			r.unsigned()
		}
	case op == 0x11: // call_indirect
		r.unsigned()
		r.unsigned()
	case isAccess(op):
		align := r.unsigned()
		if align > widest {
			return in, 0, errInstruction
		}
		in.align, in.value = byte(align), int64(r.unsigned())
		return in, r.at, r.torn()
	case op == 0x3f || op == 0x40: // memory.size, memory.grow
		r.skip(1)
	case op == opI32Const || op == opI64Const:
		in.value = r.signed()
		return in, r.at, r.torn()
	case op == 0x43: // f32.const
		r.skip(4)
	case op == 0x44: // f64.const
		r.skip(8)
	case op == 0xfc:
		switch n := r.unsigned(); {
		case n <= 7: // conversions that saturate
		case n == 10: // memory.copy
			r.skip(2)
		case n == 11: // memory.fill
			r.skip(1)
		default:
			return in, 0, errInstruction
		}
	case op <= opNop || op == 0x05 || op == opEnd || op == opReturn || op == opDrop || op == 0x1b ||
		op >= opI32Eqz && op <= 0xc4:
	default:
		return in, 0, errInstruction
	}
	if err := r.torn(); err != nil {
		return in, 0, err
	}
	in.bytes = code[:r.at]
	return in, r.at, nil
}

// append writes the instruction.
func (in instruction) append(code []byte) []byte {
	switch {
	case in.bytes != nil:
		return append(code, in.bytes...)
	case in.op == opI32Const || in.op == opI64Const:
		return appendSleb(append(code, in.op), in.value)
	case isAccess(in.op):
		return binary.AppendUvarint(append(code, in.op, in.align), uint64(in.value))
	case hasIndex(in.op):
		return binary.AppendUvarint(append(code, in.op), uint64(in.value))
	default:
		return append(code, in.op)
	}
}

// table returns where a br_table goes to: for each number how many blocks out, and last for all others.
func (in instruction) table() []int {
	r := reader{in.bytes, 1}
	list := make([]int, r.unsigned()+1)
	for i := range list {
		list[i] = int(r.unsigned())
	}
	return list
}
