package main

import "slices"

// rules are ways to say the same with fewer or shorter instructions. Go's compiler computes addresses in 64
// bits and takes the low half, and changes the stack pointer twice where a function returns. None of them
// changes what memory, a local or a global has when anything can see it: between the instructions of a rule
// nothing branches, and none is a place that a branch goes to.
//
// Each looks at the end of what is written so far and returns what stands for it, and how many instructions
// that is in place of; 0 is none.
var rules = []func(list []instruction) ([]instruction, int){
	lowHalf, truth, kept, returned, offset,
}

// shorter rewrites the code of a function by the rules, until none applies.
func shorter(code []instruction) []instruction {
	var out []instruction
	var write func(in instruction)
	write = func(in instruction) {
		out = append(out, in)
		for _, rule := range rules {
			if instead, n := rule(out); n > 0 {
				instead = slices.Clone(instead)
				out = out[:len(out)-n]
				for _, in := range instead {
					write(in)
				}
				return
			}
		}
	}
	for _, in := range code {
		if in.op != opNop {
			write(in)
		}
	}
	return out
}

// last returns the n-th instruction from the end, from 1 on.
func last(list []instruction, n int) instruction {
	if n > len(list) {
		return instruction{op: opNop}
	}
	return list[len(list)-n]
}

// ends says whether the list ends with these operations.
func ends(list []instruction, ops ...byte) bool {
	if len(list) < len(ops) {
		return false
	}
	for i, op := range ops {
		if list[len(list)-len(ops)+i].op != op {
			return false
		}
	}
	return true
}

// lowHalf computes in 32 bits what is only used as 32 bits.
func lowHalf(list []instruction) ([]instruction, int) {
	if !ends(list, opI32WrapI64) {
		return nil, 0
	}
	wrap := last(list, 1)
	wrapped := last(list, 2)
	switch {
	case wrapped.op == opI64ExtendI32U:
		return nil, 2
	case wrapped.op == opI64Const:
		return []instruction{{op: opI32Const, value: int64(int32(wrapped.value))}}, 2
	case wrapped.op == opI64Add && last(list, 3).op == opI64Const:
		return []instruction{wrap, {op: opI32Const, value: int64(int32(last(list, 3).value))},
			{op: opI32Add}}, 3
	case wrapped.op == opI64Load, wrapped.op == opI64Load32S, wrapped.op == opI64Load32U:
		return []instruction{{op: opI32Load, align: min(wrapped.align, 2), value: wrapped.value}}, 2
	case wrapped.op >= opI64Load8S && wrapped.op <= opI64Load16U:
		return []instruction{{op: wrapped.op - opI64Load8S + opI32Load8S, align: wrapped.align,
			value: wrapped.value}}, 2
	}
	return nil, 0
}

// truth asks the opposite in place of asking whether it is not so.
func truth(list []instruction) ([]instruction, int) {
	if !ends(list, opI32Eqz) {
		return nil, 0
	}
	asked := last(list, 2)
	switch {
	case asked.op >= opI32Eq && asked.op <= opI32GeU, asked.op >= opI64Eq && asked.op <= opI64GeU:
		return []instruction{{op: opposite(asked.op)}}, 2
	}
	return nil, 0
}

// opposite is the comparison of whole numbers that is true where op is not.
func opposite(op byte) byte {
	base := byte(opI32Eq)
	if op >= opI64Eq {
		base = opI64Eq
	}
	// eq, ne, lt_s, lt_u, gt_s, gt_u, le_s, le_u, ge_s, ge_u
	return base + [...]byte{1, 0, 8, 9, 6, 7, 4, 5, 2, 3}[op-base]
}

// kept sets a local and leaves the value on the stack, in place of getting it again.
func kept(list []instruction) ([]instruction, int) {
	if ends(list, opLocalSet, opLocalGet) && last(list, 1).value == last(list, 2).value {
		return []instruction{{op: opLocalTee, value: last(list, 1).value}}, 2
	}
	return nil, 0
}

// returned takes a frame and the return address from the stack at once, and sets no local before a return.
func returned(list []instruction) ([]instruction, int) {
	if ends(list, opI32Const, opI32Add, opLocalTee, opGlobalSet, opLocalGet, opI32Const, opI32Add, opLocalTee,
		opGlobalSet) &&
		last(list, 7).value == last(list, 5).value && last(list, 5).value == last(list, 2).value &&
		last(list, 6).value == last(list, 1).value {
		frame := instruction{op: opI32Const, value: int64(int32(last(list, 9).value + last(list, 4).value))}
		return []instruction{frame, {op: opI32Add}, last(list, 2), last(list, 1)}, 9
	}
	if ends(list, opLocalTee, opGlobalSet, opI32Const, opReturn) {
		return list[len(list)-3:], 4
	}
	return nil, 0
}

// stackPointer is the local that has Go's stack pointer: of a function's locals the one besides its parameter
// that is of 32 bits (cmd/internal/obj/wasm).
const stackPointer = 1

// offset adds to the stack pointer in the access to memory and not before it. What it points to is far from
// the end of what 32 bits can address: a sum that would begin again at 0 is no address.
func offset(list []instruction) ([]instruction, int) {
	access := last(list, 1)
	if !isAccess(access.op) {
		return nil, 0
	}
	at := len(list) - 1
	if access.op >= opI32Store {
		if at = operand(list, at); at < 0 {
			return nil, 0
		}
	}
	if at < 3 || !ends(list[:at], opLocalGet, opI32Const, opI32Add) || list[at-3].value != stackPointer ||
		list[at-2].value < 0 {
		return nil, 0
	}
	access.value += list[at-2].value
	return append(append([]instruction{list[at-3]}, list[at:len(list)-1]...), access), len(list) - at + 3
}

// operand returns where the instructions begin that make the last operand before end, -1 where that is not
// told by counting.
func operand(list []instruction, end int) int {
	for wanted := 1; end > 0; {
		end--
		switch op := list[end].op; {
		case op == opLocalGet, op == opGlobalGet, op >= opI32Const && op <= opF64Const: // makes one
			if wanted--; wanted == 0 {
				return end
			}
		// makes one of one
		case op == opLocalTee, op >= opI32Load && op < opI32Store, op == opI32Eqz, op == opI64Eqz,
			op == opI32WrapI64, op == opI64ExtendI32U:
		// makes one of two
		case op >= opI32Eq && op <= opI32GeU, op >= opI64Eq && op <= opI64GeU,
			op >= opI32Add && op <= opI32Rotr, op >= opI64Add && op <= opI64Rotr:
			wanted++
		default:
			return -1
		}
	}
	return -1
}
