package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// callOf is a call as Go's compiler writes it.
func callOf(function int64) []instruction {
	return []instruction{
		{op: opLocalGet, value: 1}, {op: opI32Const, value: 8}, {op: opI32Sub}, {op: opLocalTee, value: 1},
		{op: opGlobalSet},
		{op: opLocalGet, value: 1}, {op: opI64Const, value: 4097<<16 + 3}, {op: opI64Store, align: 3},
		{op: opI32Const}, {op: opCall, value: function}, {op: opGlobalGet}, {op: opLocalSet, value: 1},
	}
}

func num(value int64) instruction  { return instruction{op: opI32Const, value: value} }
func wide(value int64) instruction { return instruction{op: opI64Const, value: value} }
func plain(op byte) instruction    { return instruction{op: op} }
func access(op, align byte, offset int64) instruction {
	return instruction{op: op, align: align, value: offset}
}

func TestShorter(t *testing.T) {
	wrap, extend, add := plain(opI32WrapI64), plain(opI64ExtendI32U), plain(opI32Add)
	sp := instruction{op: opGlobalSet}
	for name, c := range map[string]struct{ from, to []instruction }{
		"an address of 64 bits": {[]instruction{get(1), extend, wide(24), plain(opI64Add), wrap},
			[]instruction{get(1), num(24), add}},
		"two sums": {[]instruction{get(2), wide(8), plain(opI64Add), wide(-16), plain(opI64Add), wrap},
			[]instruction{get(2), wrap, num(8), add, num(-16), add}},
		"a constant": {[]instruction{wide(1<<32 + 7), wrap}, []instruction{num(7)}},
		"a pointer that is loaded": {[]instruction{get(1), access(opI64Load, 3, 16), wrap},
			[]instruction{get(1), access(opI32Load, 2, 16)}},
		"a byte that is loaded": {[]instruction{get(1), access(opI64Load8S+1, 0, 3), wrap},
			[]instruction{get(1), access(opI32Load8S+1, 0, 3)}},
		"not equal": {[]instruction{get(2), get(3), plain(opI64Eq), plain(opI32Eqz)},
			[]instruction{get(2), get(3), plain(opI64Eq + 1)}},
		"a local at once": {[]instruction{wide(1), set(3), get(3)}, []instruction{wide(1), tee(3)}},
		"another local":   {[]instruction{wide(1), set(3), get(2)}, []instruction{wide(1), set(3), get(2)}},
		"an offset of a load": {[]instruction{get(1), extend, wide(24), plain(opI64Add), wrap,
			access(opI64Load, 3, 8)}, []instruction{get(1), access(opI64Load, 3, 32)}},
		"an offset of a store": {[]instruction{get(1), num(24), add, get(1), access(opI64Load, 3, 0), wide(1),
			plain(opI64Add), access(opI64Store, 3, 8)},
			[]instruction{get(1), get(1), access(opI64Load, 3, 0), wide(1), plain(opI64Add),
				access(opI64Store, 3, 32)}},
		"an offset that is negative": {[]instruction{get(1), num(-8), add, access(opI64Load, 3, 8)},
			[]instruction{get(1), num(-8), add, access(opI64Load, 3, 8)}},
		"an offset of another local": {[]instruction{get(2), num(8), add, access(opI64Load, 3, 8)},
			[]instruction{get(2), num(8), add, access(opI64Load, 3, 8)}},
		"a value that a call makes": {[]instruction{get(1), num(8), add, num(0), {op: opCall, value: 2},
			access(opI64Store, 3, 0)}, []instruction{get(1), num(8), add, num(0), {op: opCall, value: 2},
			access(opI64Store, 3, 0)}},
		"a frame and an address": {[]instruction{get(1), num(40), add, tee(1), sp, get(1), num(8), add,
			tee(1), sp, num(0), plain(opReturn)},
			[]instruction{get(1), num(48), add, sp, num(0), plain(opReturn)}},
		"a frame and what is set yet": {[]instruction{get(1), num(40), add, tee(1), sp, get(1), num(8), add,
			tee(1), sp, get(1)}, []instruction{get(1), num(48), add, tee(1), sp, get(1)}},
		"nothing": {[]instruction{plain(opNop), get(1), plain(opNop)}, []instruction{get(1)}},
	} {
		if got := shorter(c.from); !bytes.Equal(written(got), written(c.to)) {
			t.Errorf("%s: %v, want %v", name, got, c.to)
		}
	}
}

func written(code []instruction) []byte {
	var out []byte
	for _, in := range code {
		out = in.append(out)
	}
	return out
}

// Each comparison against what is true of all pairs of numbers.
func TestOpposite(t *testing.T) {
	numbers := []uint64{0, 1, 2, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	for _, first := range []byte{opI32Eq, opI64Eq} {
		for op := first; op < first+10; op++ {
			for _, a := range numbers {
				for _, b := range numbers {
					if compare(op, a, b) == compare(opposite(op), a, b) {
						t.Errorf("%#x and %#x agree on %d and %d", op, opposite(op), a, b)
					}
				}
			}
		}
	}
}

// Random code ends with the same stack, locals, globals and memory before and after.
func TestShorterComputesTheSame(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 20_000 {
		code := randomCode(random)
		short := shorter(slices.Clone(code))
		before, after := run(code), run(short)
		if before != after {
			t.Fatalf("%v ends with\n%s\n%v with\n%s", code, before, short, after)
		}
	}
}

func TestRareCallsGoThroughAStub(t *testing.T) {
	names := []string{"main.f", "runtime.throw", "main.g", "runtime.panicIndex", "runtime.panicCheck1"}
	of := func(name string) int64 { return int64(2 + slices.Index(names, name)) }
	unwinds := []instruction{{op: opBrIf, value: 3}}
	call := func(name string) []instruction { return slices.Concat(callOf(of(name)), unwinds) }
	busy := slices.Concat(call("runtime.throw"), call("main.g"), call("runtime.panicCheck1"),
		call("runtime.throw"), call("runtime.panicCheck1"))
	once := slices.Concat(call("runtime.panicIndex"), []instruction{get(1)}, callOf(of("runtime.throw"))[:10])
	list := []function{{code: busy}, {code: slices.Clone(busy)}, {code: once}}
	stubs := rareCalls(list, 2, names)
	if len(stubs) != 2 {
		t.Fatalf("%d stubs, want two: the third is called once", len(stubs))
	}
	address := callOf(0)[returnAddress]
	through := func(stub int64) []instruction {
		return []instruction{address, {op: opCall, value: int64(2+len(list)) + stub}}
	}
	ends := append(through(0), plain(opReturn))
	goesOn := slices.Concat(through(1), []instruction{{op: opGlobalGet}, set(1)}, unwinds)
	for i, want := range [][]instruction{
		slices.Concat(ends, call("main.g"), goesOn, ends, goesOn),
		slices.Concat(ends, call("main.g"), goesOn, ends, goesOn),
		once, // behind its last call the stack pointer is not read again
	} {
		if !bytes.Equal(written(list[i].code), written(want)) {
			t.Errorf("function %d is %v, want %v", i, list[i].code, want)
		}
	}
	if got := written(stubs[0].code); !bytes.Contains(got, []byte{opDrop, opI32Const, 1, opEnd}) {
		t.Errorf("the stub of what never returns ends with %v", got)
	}
	if got := written(stubs[1].code); bytes.Contains(got, []byte{opDrop}) {
		t.Errorf("the stub of what returns is %v", got)
	}
}

// What never returns is named one by one: of panicCheck1 and its like a function goes on.
func TestFinal(t *testing.T) {
	for name, want := range map[string]bool{
		"runtime.sigpanic": true, "runtime.goPanicIndex": true, "runtime.goPanicSlice3Alen": true,
		"runtime.panicdottypeE":        true,
		"runtime.panicunsafeslicelen1": true, "runtime.gopanic": true, "runtime.throw": true,
		"runtime.panicCheck1": false, "runtime.panicCheck2": false, "runtime.printpanics": false,
		"runtime.morestack": false, "main.throw": false,
	} {
		if got := final.MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDeclaresStubs(t *testing.T) {
	types, index, err := appendStubType([]byte{1, 0x60, 0, 0})
	if want := []byte{2, 0x60, 0, 0, 0x60, 1, 0x7e, 1, 0x7f}; err != nil || index != 1 ||
		!bytes.Equal(types, want) {
		t.Errorf("types %v, index %d (%v)", types, index, err)
	}
	declared, err := appendStubs([]byte{2, 0, 0}, 2, 1)
	if want := []byte{4, 0, 0, 1, 1}; err != nil || !bytes.Equal(declared, want) {
		t.Errorf("functions %v (%v)", declared, err)
	}
}
