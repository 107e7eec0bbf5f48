package main

// Go's compiler has one way to jump: it sets the local with the number of the block to go on at, and goes
// back to a loop around the whole function, which begins with a table of where each number is. The table is
// for functions that go on in their middle, once what they called has unwound the stack. From within a
// function a block that comes later is the end of a block that is open, and can be gone to at once.

// blockNumber is the local with the number: a function's parameter (PC_B in cmd/internal/obj/wasm).
const blockNumber = 0

// dispatch is the loop with the table.
type dispatch struct {
	begin int   // the index of the instruction behind the table
	open  int   // how many blocks are around the table, the loop and what is around it among them
	loop  int   // which of them is the loop, from the outermost on
	table []int // of each number, how many blocks out its end is, counted at the table
}

// findDispatch returns the dispatch that a function begins with.
func findDispatch(code []instruction) (dispatch, bool) {
	d := dispatch{loop: -1}
	for i, in := range code {
		switch in.op {
		case opBlock:
			d.open++
		case opLoop:
			if d.loop >= 0 {
				return d, false
			}
			d.loop = d.open
			d.open++
		case opGlobalGet, opLocalSet, opLocalGet:
			if in.op == opLocalGet && i+1 < len(code) && code[i+1].op == opBrTable {
				d.begin, d.table = i+2, code[i+1].table()
				return d, in.value == blockNumber && d.loop >= 0
			}
		default:
			return d, false
		}
	}
	return d, false
}

// directJumps has a function go to a block that comes later at once.
func directJumps(code []instruction) []instruction {
	d, is := findDispatch(code)
	if !is {
		return code
	}
	out := append([]instruction{}, code[:d.begin]...)
	// how many blocks are open, of which the first ones, up to around, are open since the table
	open := d.open
	around := d.open
	for i := d.begin; i < len(code); i++ {
		in := code[i]
		condition := 0
		if in.op == opIf {
			condition = 1
		}
		if depth, size := d.jump(code[i+condition:], open+condition, around); size > 0 &&
			(condition == 0 || i+size+1 < len(code) && code[i+size+1].op == opEnd) {
			op := byte(opBr)
			if condition > 0 {
				op, size, depth = opBrIf, size+2, depth-1
			}
			out = append(out, instruction{op: op, value: int64(depth)})
			i += size - 1
			continue
		}
		switch in.op {
		case opBlock, opLoop, opIf:
			open++
		case opEnd:
			open--
			around = min(around, open)
		}
		out = append(out, in)
	}
	return out
}

// jump returns how many blocks out the end is that the jump at the begin of the code goes to, and of how many
// instructions it is; 0 where there is no jump, or it goes back.
func (d dispatch) jump(code []instruction, open, around int) (depth, size int) {
	const jumps = 3
	if len(code) < jumps || code[0].op != opI32Const || code[1].op != opLocalSet ||
		code[1].value != blockNumber || code[2].op != opBr {
		return 0, 0
	}
	number := code[0].value
	if open-1-int(code[2].value) != d.loop || number < 0 || number >= int64(len(d.table)) {
		return 0, 0
	}
	block := d.open - 1 - d.table[number] // from the outermost on
	if block <= d.loop || block >= around {
		return 0, 0
	}
	return open - 1 - block, jumps
}
