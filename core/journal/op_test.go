package journal_test

import (
	"bytes"
	"reflect"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
)

func someOps() []Op {
	return []Op{
		{Kind: OpServer, Plain: []byte{}, Secret: []byte{}},
		{Kind: OpCall, Flags: OpOwned, Call: MaxSafe, Epoch: 1, Plain: []byte("head"), Secret: []byte{}},
		{Kind: OpLog, Call: 1<<32 + 5, Epoch: 1<<32 - 1, N: 70000, Plain: []byte("plain"),
			Secret: []byte("secret")},
		{Kind: OpLog, Call: 3, N: 1, Plain: []byte{}, Secret: []byte("s")},
		{Kind: OpForget, Flags: OpOwned, Call: 255, Plain: []byte{}, Secret: []byte{}},
	}
}

func TestOpsRoundTrip(t *testing.T) {
	var b []byte
	for _, op := range someOps() {
		b = AppendOp(b, op)
	}
	ops := ReadOps(b)
	for i, want := range someOps() {
		got, ok := ops.Next()
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("op %d: %+v, want %+v", i, got, want)
		}
	}
	if op, ok := ops.Next(); ok || ops.Err() != nil {
		t.Errorf("at the end: %+v, %v", op, ops.Err())
	}
}

// The layout that web/src/runtime reads too: change both or neither.
func TestOpLayout(t *testing.T) {
	got := AppendOp([]byte{0xAA}, Op{
		Kind: OpLog, Flags: OpOwned, Call: 0x001A2B3C4D5E6F70, Epoch: 0x01020304, N: 0xA1A2A3A4,
		Plain: []byte("pln"), Secret: []byte("secr"),
	})
	want := []byte{
		0xAA,       // what was there
		3, 1, 0, 0, // kind, flags, padding
		0x04, 0x03, 0x02, 0x01, // epoch
		0xA4, 0xA3, 0xA2, 0xA1, // n
		0x70, 0x6F, 0x5E, 0x4D, // call, low word
		0x3C, 0x2B, 0x1A, 0x00, // call, high word
		3, 0, 0, 0, // length of plain
		4, 0, 0, 0, // length of secret
		'p', 'l', 'n', 's', 'e', 'c', 'r',
	}
	if !bytes.Equal(got, want) {
		t.Errorf("\n%x\n%x", got, want)
	}
	kinds := []OpKind{OpServer, OpCall, OpLog, OpForget}
	flags := []OpFlags{OpOwned}
	if !reflect.DeepEqual(kinds, []OpKind{1, 2, 3, 4}) || !reflect.DeepEqual(flags, []OpFlags{1}) {
		t.Errorf("renumbered: %v, %v", kinds, flags)
	}
}

func TestOpsCannotGrowIntoTheInput(t *testing.T) {
	b := AppendOp(AppendOp(nil, someOps()[2]), someOps()[1])
	want := bytes.Clone(b)
	op, _ := readOp(b)
	_, _ = append(op.Plain, "xxx"...), append(op.Secret, "xxx"...)
	if !bytes.Equal(b, want) {
		t.Error("appending to an op's bytes wrote into the input")
	}
}

func TestDamagedOps(t *testing.T) {
	var b []byte
	for _, op := range someOps() {
		b = AppendOp(b, op)
	}
	damages(b, func(bad []byte) { checkOps(t, bad) })
	huge := AppendOp(nil, Op{Kind: OpLog, Call: 1})
	for i := 20; i < 28; i++ {
		huge[i] = 0xff // two lengths whose sum overflows 32 bits
	}
	if op, ok := readOp(huge); ok {
		t.Errorf("%+v", op)
	}
	rounded := AppendOp(nil, Op{Kind: OpLog, Call: MaxSafe + 1, Plain: []byte("x")})
	if op, ok := readOp(rounded); ok {
		t.Errorf("%+v", op)
	}
	if op, ok := readOp(AppendOp(rounded, Op{Kind: OpLog, Call: 4})); !ok || op.Call != 4 {
		t.Errorf("hidden by a call of a number that is not ours: %+v, %v", op, ok)
	}
	if _, ok := readOp(AppendOp(nil, Op{Call: 1})); ok {
		t.Error("an op of no kind was read")
	}
	// A kind that is not known yet is the reader's to skip.
	if op, ok := readOp(AppendOp(nil, Op{Kind: 200, Call: 1})); !ok || op.Kind != 200 {
		t.Errorf("%+v, %v", op, ok)
	}
}

func readOp(b []byte) (Op, bool) {
	ops := ReadOps(b)
	return ops.Next()
}

// checkOps reads any bytes as Ops. What is read and written again is what was
// read, but for the padding.
func checkOps(t *testing.T, b []byte) {
	t.Helper()
	ops := ReadOps(b)
	for {
		op, ok := ops.Next()
		if !ok {
			break
		}
		again := AppendOp(nil, op)
		end := len(b) - len(ops.Rest())
		if op.Kind == 0 || op.Call > MaxSafe || end < len(again) {
			t.Fatalf("%+v", op)
		}
		was := b[end-len(again) : end]
		again[2], again[3] = was[2], was[3]
		if !bytes.Equal(again, was) {
			t.Fatalf("op %x, written %x", was, again)
		}
	}
	if (ops.Err() == nil) != (len(ops.Rest()) == 0) {
		t.Fatalf("%d bytes left: %v", len(ops.Rest()), ops.Err())
	}
	if _, ok := ops.Next(); ok {
		t.Fatal("goes on after the end")
	}
}
