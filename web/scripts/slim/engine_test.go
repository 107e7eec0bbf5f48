package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// randomCode is code without branches that uses the stack pointer, two locals of 64 bits, a global and 256
// bytes of memory, and most of what rules look for. It returns, or not.
func randomCode(random *rand.Rand) []instruction {
	var code []instruction
	frame := func() { // the stack pointer moves, as before a return
		code = append(code, get(1), num(int64(random.IntN(4)*8)), plain(opI32Add), tee(1),
			instruction{op: opGlobalSet})
	}
	var narrow, broad func(depth int)
	narrow = func(depth int) { // pushes 32 bits
		switch pick := random.IntN(6); {
		case depth == 0 || pick == 0:
			code = append(code, get(1))
		case pick == 1:
			code = append(code, num(int64(random.IntN(64))))
		case pick == 2:
			broad(depth - 1)
			broad(depth - 1)
			code = append(code, plain(opI64Eq+byte(random.IntN(10))))
			if random.IntN(2) == 0 {
				code = append(code, plain(opI32Eqz))
			}
		case pick == 3:
			narrow(depth - 1)
			code = append(code, num(int64(random.IntN(64))), plain(opI32Add))
		default:
			broad(depth - 1)
			code = append(code, plain(opI32WrapI64))
		}
	}
	address := func(depth int) { // pushes one in memory, as the compiler does
		code = append(code, get(1))
		if random.IntN(2) == 0 {
			code = append(code, plain(opI64ExtendI32U), wide(int64(random.IntN(8)*8)), plain(opI64Add),
				plain(opI32WrapI64))
		}
	}
	broad = func(depth int) { // pushes 64 bits
		switch pick := random.IntN(7); {
		case depth == 0 || pick == 0:
			code = append(code, get(2+int64(random.IntN(2))))
		case pick == 1:
			code = append(code, wide(int64(random.Uint64())))
		case pick == 2:
			narrow(depth - 1)
			code = append(code, plain(opI64ExtendI32U))
		case pick == 3:
			broad(depth - 1)
			code = append(code, tee(2+int64(random.IntN(2))))
		case pick == 4:
			broad(depth - 1)
			broad(depth - 1)
			code = append(code, plain(opI64Add))
		default:
			address(depth)
			code = append(code,
				access(opI64Load+byte(random.IntN(2))*(opI64Load8S-opI64Load+byte(random.IntN(6))), 0,
					int64(random.IntN(8))))
		}
	}
	for range 1 + random.IntN(6) {
		switch random.IntN(4) {
		case 0:
			address(2)
			broad(3)
			code = append(code, access(opI64Store, 3, int64(random.IntN(4)*8)))
		case 1:
			broad(3)
			local := 2 + int64(random.IntN(2))
			code = append(code, set(local), get(local), set(5-local))
		case 2:
			frame()
		default:
			narrow(3)
			code = append(code, instruction{op: opGlobalSet, value: 1}, plain(opNop))
		}
	}
	if random.IntN(2) == 0 {
		frame()
		frame()
		code = append(code, num(0), plain(opReturn))
	}
	return code
}

// run executes code and says how it ended. Where it returns, nothing can see its locals.
func run(code []instruction) string {
	var stack []uint64
	memory := make([]byte, 4096)
	for i := range memory {
		memory[i] = byte(i * 7)
	}
	locals := [4]uint64{0, 64, 1 << 40, 3}
	globals := [2]uint64{64, 0}
	pop := func() uint64 {
		value := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return value
	}
	push := func(value uint64) { stack = append(stack, value) }
	load := func(in instruction) []byte { return memory[pop()+uint64(in.value):] }
	for _, in := range code {
		switch in.op {
		case opNop:
		case opLocalGet:
			push(locals[in.value])
		case opLocalSet:
			locals[in.value] = pop()
		case opLocalTee:
			locals[in.value] = stack[len(stack)-1]
		case opGlobalGet:
			push(globals[in.value])
		case opGlobalSet:
			globals[in.value] = pop()
		case opI32Const:
			push(uint64(uint32(in.value)))
		case opI64Const:
			push(uint64(in.value))
		case opI32Load:
			push(uint64(binary.LittleEndian.Uint32(load(in))))
		case opI64Load:
			push(binary.LittleEndian.Uint64(load(in)))
		case opI64Load32U:
			push(uint64(binary.LittleEndian.Uint32(load(in))))
		case opI64Load32S:
			push(uint64(int32(binary.LittleEndian.Uint32(load(in)))))
		case opI64Load8S:
			push(uint64(int8(load(in)[0])))
		case opI64Load8S + 1:
			push(uint64(load(in)[0]))
		case opI64Load8S + 2:
			push(uint64(int16(binary.LittleEndian.Uint16(load(in)))))
		case opI64Load16U:
			push(uint64(binary.LittleEndian.Uint16(load(in))))
		case opI32Load8S:
			push(uint64(uint32(int8(load(in)[0]))))
		case opI32Load8S + 1:
			push(uint64(load(in)[0]))
		case opI32Load8S + 2:
			push(uint64(uint32(int16(binary.LittleEndian.Uint16(load(in))))))
		case opI32Load8S + 3:
			push(uint64(binary.LittleEndian.Uint16(load(in))))
		case opI64Store:
			value := pop()
			binary.LittleEndian.PutUint64(load(in), value)
		case opI32Eqz:
			push(bit(pop() == 0))
		case opI32Add:
			push(uint64(uint32(pop() + pop())))
		case opI64Add:
			push(pop() + pop())
		case opI32WrapI64:
			push(uint64(uint32(pop())))
		case opI64ExtendI32U:
		case opReturn:
			return fmt.Sprint("returned ", pop(), stack, globals, memory)
		default:
			b, a := pop(), pop()
			push(bit(compare(in.op, a, b)))
		}
	}
	return fmt.Sprint(stack, locals, globals, memory)
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// compare is a comparison of two whole numbers, of 32 or 64 bits.
func compare(op byte, a, b uint64) bool {
	x, y := int64(a), int64(b)
	if op <= opI32GeU {
		a, b = uint64(uint32(a)), uint64(uint32(b))
		x, y = int64(int32(a)), int64(int32(b))
		op += opI64Eq - opI32Eq
	}
	switch op - opI64Eq {
	case 0:
		return a == b
	case 1:
		return a != b
	case 2:
		return x < y
	case 3:
		return a < b
	case 4:
		return x > y
	case 5:
		return a > b
	case 6:
		return x <= y
	case 7:
		return a <= b
	case 8:
		return x >= y
	default:
		return a >= b
	}
}
