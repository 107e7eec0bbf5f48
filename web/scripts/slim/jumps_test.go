package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbered is a function as Go's compiler writes it: its blocks, one behind the other, and a table of where
// each number is. Block 0 is what the first number goes to.
func numbered(table []byte, blocks [][]instruction) []instruction {
	nest := []instruction{{op: opGlobalGet}, set(1), void(opBlock), void(opLoop)}
	for range blocks {
		nest = append(nest, void(opBlock))
	}
	bytes := append([]byte{opBrTable, byte(len(table) - 1)}, table...)
	code := append(nest, get(blockNumber), instruction{op: opBrTable, bytes: bytes})
	for _, block := range blocks {
		code = append(append(code, plain(opEnd)), block...)
	}
	return append(code, plain(opEnd), num(1), plain(opEnd))
}

func void(op byte) instruction { return instruction{op: op, bytes: []byte{op, 0x40}} }

// jumpTo is a jump as the compiler writes it. loop is how many blocks out the loop is.
func jumpTo(number, loop int64) []instruction {
	return []instruction{num(number), set(blockNumber), {op: opBr, value: loop}}
}

func TestJumpsGoAtOnce(t *testing.T) {
	table := []byte{0, 1, 1, 2, 3}
	done := plain(opReturn)
	function := func(first ...instruction) []instruction {
		return numbered(table, [][]instruction{first, {done}, {done}, {done}})
	}
	conditional := slices.Concat([]instruction{get(2), void(opIf)}, jumpTo(3, 4), []instruction{plain(opEnd)})
	for name, c := range map[string]struct{ from, to []instruction }{
		"to the next block":        {jumpTo(1, 3), []instruction{{op: opBr, value: 0}}},
		"to one of the same block": {jumpTo(2, 3), []instruction{{op: opBr, value: 0}}},
		"to a later one":           {jumpTo(3, 3), []instruction{{op: opBr, value: 1}}},
		"on a condition":           {conditional, []instruction{get(2), {op: opBrIf, value: 1}}},
		"within a condition": {slices.Concat([]instruction{void(opIf), get(2)}, jumpTo(1, 4),
			[]instruction{plain(opEnd)}), []instruction{void(opIf), get(2), {op: opBr, value: 1},
			plain(opEnd)}},
		"back":                     {jumpTo(0, 3), jumpTo(0, 3)},
		"to the number of nothing": {jumpTo(9, 3), jumpTo(9, 3)},
		"to another block":         {jumpTo(3, 2), jumpTo(3, 2)},
		"of another local": {[]instruction{num(3), set(2), {op: opBr, value: 3}},
			[]instruction{num(3), set(2), {op: opBr, value: 3}}},
	} {
		if got := directJumps(function(c.from...)); !bytes.Equal(written(got), written(function(c.to...))) {
			t.Errorf("%s: %v, want %v", name, got, function(c.to...))
		}
	}
	for name, code := range map[string][]instruction{
		"nothing":  nil,
		"no table": {void(opBlock), void(opLoop), get(0), plain(opEnd), plain(opEnd)},
		"another table": {void(opBlock), void(opLoop), void(opBlock), get(2),
			{op: opBrTable, bytes: []byte{opBrTable, 0, 0}}, plain(opEnd)},
		"no loop":        {void(opBlock), get(0), {op: opBrTable, bytes: []byte{opBrTable, 0, 0}}, plain(opEnd)},
		"a call at once": {num(0), {op: opCall}, plain(opEnd)},
	} {
		if got := directJumps(code); !bytes.Equal(written(got), written(code)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Random functions go through the same blocks, whatever number they begin at, with jumps that go at once and
// without.
func TestJumpsGoTheSameWay(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	direct := 0
	for range 5_000 {
		n := 1 + random.IntN(7)
		table := make([]byte, 1+n+random.IntN(3))
		for i := range table {
			table[i] = byte(random.IntN(n))
		}
		blocks := make([][]instruction, n)
		for i := range blocks {
			blocks[i] = randomBlock(random, len(table), int64(n-1-i))
		}
		code := numbered(table, blocks)
		short := shorter(directJumps(slices.Clone(code)))
		if len(short) < len(code) {
			direct++
		}
		for start := range len(table) {
			decisions := random.Uint64()
			before, after := walk(code, start, decisions), walk(short, start, decisions)
			if n := min(len(before), len(after)); !slices.Equal(before[:n], after[:n]) ||
				n > 0 && n < most && (before[n-1] == left || after[n-1] == left) &&
					len(before) != len(after) {
				t.Fatalf("from %d of %v\n%v\n%v\nit goes %v, and then %v", start, table, code, short, before,
					after)
			}
		}
	}
	if direct < 2_500 {
		t.Errorf("%d of 5,000 functions have jumps that go at once", direct)
	}
}

// randomBlock marks that it was there, and jumps, or not, or returns. loop is how many blocks out the loop
// is.
func randomBlock(random *rand.Rand, numbers int, loop int64) []instruction {
	var code []instruction
	for range random.IntN(4) {
		code = append(code, instruction{op: opCall, value: int64(random.IntN(1000))}) // the mark
		number := int64(random.IntN(numbers))
		switch random.IntN(4) {
		case 0:
			code = slices.Concat(code, []instruction{get(2), void(opIf)}, jumpTo(number, loop+1),
				[]instruction{plain(opEnd)})
		case 1:
			code = slices.Concat(code, []instruction{get(2), void(opIf), {op: opCall, value: 7}},
				jumpTo(number, loop+1), []instruction{plain(opEnd)})
		case 2:
			code = append(append(code, get(2), void(opIf), num(1), plain(opReturn)), plain(opEnd))
		}
	}
	if random.IntN(2) == 0 {
		return append(code, jumpTo(int64(random.IntN(numbers)), loop)...)
	}
	return code
}

// most is how many steps of a function are walked.
const most = 40

const left = "returned"

// walk executes a function from that number on, and returns which calls it made. Each condition is the next
// of the bits.
func walk(code []instruction, number int, decisions uint64) []string {
	var steps []string
	ends := blockEnds(code)
	var open []int // of each block that is open where it begins
	var value int64
	rounds := 0
	for i := 0; i < len(code) && len(steps) < most; i++ {
		if in := code[i]; in.op == opLoop { // a function may go round for ever, and make no call
			if rounds++; rounds > 300 {
				return steps
			}
		}
		leave := func(depth int) {
			at := len(open) - 1 - depth
			begin := open[at]
			if open = open[:at]; code[begin].op == opLoop {
				i = begin - 1
			} else {
				i = ends[begin]
			}
		}
		decided := func() bool { decisions = decisions>>1 | decisions<<63; return decisions&1 == 1 }
		switch in := code[i]; in.op {
		case opBlock, opLoop:
			open = append(open, i)
		case opIf:
			if open = append(open, i); !decided() {
				leave(0)
			}
		case opEnd:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case opBr:
			leave(int(in.value))
		case opBrIf:
			if decided() {
				leave(int(in.value))
			}
		case opBrTable:
			table := in.table()
			leave(table[min(number, len(table)-1)])
		case opI32Const:
			value = in.value
		case opLocalSet:
			if in.value == blockNumber {
				number = int(value)
			}
		case opCall:
			steps = append(steps, fmt.Sprint(in.value))
		case opReturn:
			return append(steps, left)
		}
	}
	return steps
}

// blockEnds says of each block where it ends.
func blockEnds(code []instruction) map[int]int {
	ends := map[int]int{}
	var open []int
	for i, in := range code {
		switch in.op {
		case opBlock, opLoop, opIf:
			open = append(open, i)
		case opEnd:
			if len(open) > 0 {
				ends[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
	return ends
}
