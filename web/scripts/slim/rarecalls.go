package main

import (
	"encoding/binary"
	"regexp"
)

// rare names functions that hardly ever run, though nearly every function calls one: what grows a stack, and
// what ends in a panic or prints. A call of Go's writes its return address to the stack first, in 25 bytes.
// Where such a function is called, a stub does that: the call is a constant and a call of the stub, and costs
// a step more when it runs.
var rare = regexp.MustCompile(`^runtime\.(sigpanic|morestack|morestack_noctxt|goPanic\w+|panic\w+|gopanic|` +
	`throw|fatal|fatalthrow|print\w+)$`)

// final names those of them that never return: where one is called the function ends. All unwind the stack,
// which a function reports by returning 1. panicCheck1 and panicCheck2 are not among them.
var final = regexp.MustCompile(`^runtime\.(sigpanic|goPanic(Index|Slice)\w*|panic(shift|divide|overflow|` +
	`float|mem|wrap|rangestate|dottype[EI]|nildottype|unsafe(string|slice)\w+|makeslice(len|cap))|gopanic|` +
	`throw|fatalthrow)$`)

// fewest is from how many calls on a stub is worth its own bytes.
const fewest = 4

// rareCalls has the functions call the rare ones through stubs. It returns the stubs' code, which is to
// follow that of the functions; the first stub's index is that of the functions' end.
func rareCalls(functions []function, imported int, names []string) []function {
	calls := map[int64]int{}
	for _, f := range functions {
		for i := range f.code {
			if n := callSize(f.code[i:]); n > 0 {
				calls[f.code[i+n-1].value]++
			}
		}
	}
	var stubs []function
	index := map[int64]int64{}
	for i, name := range names {
		called := int64(imported + i)
		if rare.MatchString(name) && calls[called] >= fewest {
			index[called] = int64(imported + len(functions) + len(stubs))
			stubs = append(stubs, stub(called, final.MatchString(name)))
		}
	}
	for i, f := range functions {
		var out []instruction
		code := f.code
		for len(code) > 0 {
			n := callSize(code)
			if n == 0 {
				out, code = append(out, code[0]), code[1:]
				continue
			}
			called := code[n-1].value
			to, is := index[called]
			switch {
			case !is:
				out = append(out, code[:n]...)
			case final.MatchString(names[called-int64(imported)]) && code[n+2].op == opBrIf:
				out = append(out, code[returnAddress], instruction{op: opCall, value: to},
					instruction{op: opReturn})
				n += 3
			default:
				out = append(out, code[returnAddress], instruction{op: opCall, value: to})
			}
			code = code[n:]
		}
		functions[i].code = out
	}
	return stubs
}

// returnAddress is where a call has the address that it writes.
const returnAddress = 6

// callSize returns of how many instructions the call is that the code begins with, 0 where it begins with
// none. The compiler writes each in one way (obj.ACALL in cmd/internal/obj/wasm), and reads the stack pointer
// again behind it: that the stub leaves the local as it was is not seen.
func callSize(code []instruction) int {
	const size = 10
	ops := [...]byte{opLocalGet, opI32Const, opI32Sub, opLocalTee, opGlobalSet, opLocalGet, opI64Const,
		opI64Store, opI32Const, opCall, opGlobalGet, opLocalSet}
	if len(code) <= len(ops) {
		return 0
	}
	for i, op := range ops {
		if code[i].op != op {
			return 0
		}
	}
	local, global := code[0].value, code[4].value
	if code[3].value != local || code[5].value != local || code[11].value != local || global != 0 ||
		code[10].value != global ||
		code[1].value != 8 || code[7].value != 0 || code[8].value != 0 {
		return 0
	}
	return size
}

// stub writes the return address that it is given to Go's stack, and calls the function. Whatever one that is
// final returns, the stub returns 1.
func stub(called int64, isFinal bool) function {
	code := []instruction{
		{op: opGlobalGet}, {op: opI32Const, value: 8}, {op: opI32Sub}, {op: opGlobalSet},
		{op: opGlobalGet}, {op: opLocalGet}, {op: opI64Store, align: 3},
		{op: opI32Const}, {op: opCall, value: called},
	}
	if isFinal {
		code = append(code, instruction{op: opDrop}, instruction{op: opI32Const, value: 1})
	}
	return function{[]byte{0}, append(code, instruction{op: opEnd})}
}

// appendStubType adds the stubs' type, (i64) -> i32, to the section of types, and returns its index.
func appendStubType(types []byte) ([]byte, int, error) {
	r := reader{types, 0}
	count := int(r.unsigned())
	if err := r.torn(); err != nil {
		return nil, 0, err
	}
	out := binary.AppendUvarint(nil, uint64(count+1))
	out = append(out, types[r.at:]...)
	return append(out, 0x60, 1, 0x7e, 1, 0x7f), count, nil
}

// appendStubs adds the stubs to the section of functions, which has the type of each.
func appendStubs(functions []byte, stubs, index int) ([]byte, error) {
	r := reader{functions, 0}
	count := int(r.unsigned())
	if err := r.torn(); err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(count+stubs))
	out = append(out, functions[r.at:]...)
	for range stubs {
		out = binary.AppendUvarint(out, uint64(index))
	}
	return out, nil
}
