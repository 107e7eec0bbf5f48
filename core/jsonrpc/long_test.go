package jsonrpc

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// A long string is read in large steps: what stops it is found wherever it is, with and without an escape
// before it.
func TestLongStrings(t *testing.T) {
	for _, before := range []string{"", `\n`, `\"`, `\\`, `\t`, `\u00e9`, "\u00e9"} {
		for n := range 232 {
			plain := append([]byte(before), bytes.Repeat([]byte("abcdefg "), n/8+1)[:n]...)
			for _, stop := range []string{"", "\x00", "\x1f", "\n", `\`, `\x`, "\xff", "\xc3", "\u00e9", `\"`,
				"\x7f"} {
				for _, after := range []string{"", "z",
					"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"} {
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

// A byte that ends a large step has the same meaning at each place of the step: a backslash makes an escape
// with a few bytes only, a string ends with its quote whatever follows, and what is behind the text is not
// read.
func TestWhatFollowsInLongStrings(t *testing.T) {
	for n := range 64 {
		plain, rest := strings.Repeat("a", n), strings.Repeat("0", 40)
		for c := range 256 {
			follows := string([]byte{byte(c)}) + rest
			want := badEscape
			if escapes[c] || c == 'u' {
				want = fine
			}
			if _, p := skipString([]byte(plain+`\`+follows+`"`), 0); p != want {
				t.Fatalf("a backslash and %q behind %d bytes: %v, want %v", byte(c), n, p, want)
			}
			if end, p := skipString([]byte(plain+`"`+follows), 0); end != n+1 || p != fine {
				t.Fatalf("a quote and %q behind %d bytes: ends at %d, %v", byte(c), n, end, p)
			}
			if end, p := skipString([]byte(plain+"\x1f"+follows), 0); end != n || p != controlInString {
				t.Fatalf("a control character and %q behind %d bytes: ends at %d, %v", byte(c), n, end, p)
			}
			if at, _ := skipText([]byte(plain + `\` + follows)[:n+1], 0, 0); at > n+1 {
				t.Fatalf("text of %d bytes that ends with a backslash is passed over to %d", n+1, at)
			}
		}
		if _, p := skipString([]byte(plain+`\u00g0`+rest+`"`), 0); p != badEscape {
			t.Fatalf("digits that are none behind %d bytes: %v", n, p)
		}
	}
}

// Plain text is passed over to within a step of its end, whatever its characters are; and that some are not
// ASCII is seen.
func TestTextIsPassedOver(t *testing.T) {
	for _, piece := range []string{"abcdefg ", "\u00e9", "\u6e32\u67d3", "\U0001f3ac", "\x7f", "\u0080",
		"~!#[]^_\u07ff"} {
		text := bytes.Repeat([]byte(piece), 40)
		for begin := range 17 {
			at, high := skipText(text, begin, 0)
			if len(text)-at >= 32 || (high&tops != 0) != (utf8.RuneCount(text) != len(text)) {
				t.Errorf("%q from %d: at %d of %d, bits %x", piece, begin, at, len(text), high)
			}
		}
		text[len(text)/2] = '"'
		if at, _ := skipText(text, 0, 0); at > len(text)/2 {
			t.Errorf("%q: at %d, behind the quote at %d", piece, at, len(text)/2)
		}
	}
}
