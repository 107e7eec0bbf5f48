package jsonrpc

import (
	"math/bits"
	"testing"
)

// TestSpecialFindsTheFirst: of eight bytes the first that ends a run of plain ones is
// found, and no plain one before it: each of those would cost a look of its own.
func TestSpecialFindsTheFirst(t *testing.T) {
	for b := range 256 {
		stops := b < 0x20 || b == '"' || b == '\\'
		for _, around := range []byte{' ', '!', '#', '[', ']', 'a', 0x7f, 0x80, 0xff} {
			for at := range 8 {
				text := [8]byte{around, around, around, around, around, around, around, around}
				text[at] = byte(b)
				found := special(load8(text[:], 0))
				switch first := found & -found; {
				case !stops && found != 0:
					t.Fatalf("%q: a plain text stops", text)
				case stops && (found == 0 || bits.TrailingZeros64(found)/8 != at || place(first) != at):
					t.Fatalf("%q: %x is found, want byte %d", text, found, at)
				}
			}
		}
	}
}
