package jsonrpc_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Strings are read eight bytes at a time, so every byte is tried at every place of a word, alone and beside
// every other byte that stops the scanner, in strings that end with a word and strings that do not.
func TestEveryByteAtEveryPlace(t *testing.T) {
	beside := []byte{'x', '"', '\\', 0x1f, 0x20, 0x21, 0x23, 0x80}
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				for _, next := range beside {
					text := []byte(`"aaaaaaaaaaaaaaaaaaaaaaaa`)[:length+1]
					text[at+1] = byte(c)
					if at+1 < length {
						text[at+2] = next
					}
					text = append(text, '"')
					want := json.Valid(text) && utf8.Valid(text)
					if got := jsonrpc.Valid(text, 0) == nil; got != want {
						t.Fatalf("Valid(%q) = %v", text, got)
					}
				}
			}
		}
	}
}

// Every two bytes in a row, where one's borrow in the word arithmetic might touch the other.
func TestEveryPairOfBytes(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			text := []byte{'"', 'x', byte(a), byte(b), 'x', 'x', 'x', 'x', 'x', 'x', '"'}
			want := json.Valid(text) && utf8.Valid(text)
			if got := jsonrpc.Valid(text, 0) == nil; got != want {
				t.Fatalf("Valid(%q) = %v", text, got)
			}
		}
	}
}

// Every character of Unicode, as it is and escaped, read back.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if r == 0xd800 {
			r = 0xe000 // no characters in between
		}
		s := string(r)
		quoted := jsonrpc.AppendString(nil, s)
		if back, ok := jsonrpc.String(quoted); !ok || back != s {
			t.Fatalf("%U: written as %s, read as %q", r, quoted, back)
		}
		escaped := []byte(`"\u`)
		if r > 0xffff {
			high, low := 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff
			escaped = append(appendHex(escaped, high), `\u`...)
			escaped = appendHex(escaped, low)
		} else {
			escaped = appendHex(escaped, r)
		}
		if back, ok := jsonrpc.String(append(escaped, '"')); !ok || back != s {
			t.Fatalf("%U: %s read as %q", r, escaped, back)
		}
	}
}

func appendHex(dst []byte, r rune) []byte {
	const digits = "0123456789abcdefABCDEF"
	for shift := 12; shift >= 0; shift -= 4 {
		d := r >> shift & 15
		if d >= 10 && shift == 4 {
			d += 6 // both cases of letters
		}
		dst = append(dst, digits[d])
	}
	return dst
}
