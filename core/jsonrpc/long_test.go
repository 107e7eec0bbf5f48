package jsonrpc

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// A long string is read in large steps: what stops it is found wherever it is, with and without an escape
// before it.
func TestLongStrings(t *testing.T) {
	for _, before := range []string{"", `\n`, `\"`, `\\`, `\t`, `\u00e9`, "\u00e9"} {
		for n := range 232 {
			plain := append([]byte(before), bytes.Repeat([]byte("abcdefg "), n/8+1)[:n]...)
			for _, stop := range []string{"", "\x00", "\x1f", "\n", `\`, `\x`, "\xff", "\xc3", "\u00e9", `\"`, "\x7f"} {
				for _, after := range []string{"", "z", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"} {
					text := append(append(append([]byte{}, plain...), stop...), after...)
					closed := append(append([]byte{}, text...), '"')
					want := stop == "" || stop == "\u00e9" || stop == `\"` || stop == "\x7f"
					end, p := skipString(closed, 0)
					if (p == fine) != want || p == fine && end != len(closed) {
						t.Fatalf("%q: ends at %d of %d, %v", closed, end, len(closed), p)
					}
					if p == fine && !utf8.Valid(text) {
						t.Fatalf("%q is no UTF-8", text)
					}
					if _, p = skipString(text, 0); want && p != unexpectedEnd {
						t.Fatalf("%q has no end: %v", text, p)
					}
				}
			}
		}
	}
}
