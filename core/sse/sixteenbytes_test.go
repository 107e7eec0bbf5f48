package sse

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// In the wasm utf8.Valid and bytes.IndexByte read sixteen bytes at once (web/scripts/slim/vectors.go). Here
// they are held against loops that read one: texts of all lengths, with one broken byte or none, wherever it
// is.
func TestReadsInVectors(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{"a", "plain ASCII of some length, ", "\u00e9", "\u6e32\u67d3", "\U0001f3ac", "\uffff",
		"\u0800", "\ud7ff", "\ue000", "\U00010000", "\U0010ffff", "\x7f", "\u0080", "\u07ff"}
	broken := []string{"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80",
		"\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"\xff", "\xfe", "\xc3", "\xe6\xb8", "\xf0\x9f\x8e", "\xe6\xb8\xb2\xb8", "\xf0\x9f\x8e\xac\xac"}
	for range 40_000 {
		var text []byte
		for want := random.IntN(150); len(text) < want; {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		switch at := random.IntN(len(text) + 1); random.IntN(4) {
		case 0: // whole
		case 1:
			text = text[:at]
		case 2:
			text = append(text[:at:at], append([]byte(broken[random.IntN(len(broken))]), text[at:]...)...)
		case 3:
			text = bytes.Clone(text)
			if at < len(text) {
				text[at] = byte(random.Uint32())
			}
		}
		text = amid(random, text)
		if got, want := utf8.Valid(text), validByRunes(text); got != want {
			t.Fatalf("seed %d: Valid(%q) is %v, want %v", seed, text, got, want)
		}
		c := byte(random.Uint32())
		if around := text[:cap(text)]; random.IntN(2) == 0 {
			c = around[random.IntN(len(around))]
		}
		if got, want := bytes.IndexByte(text, c), indexByBytes(text, c); got != want {
			t.Fatalf("seed %d: IndexByte(%q, %q) is %d, want %d", seed, text, c, got, want)
		}
	}
}

// amid returns the text at any address, among bytes that are none of it: those before it would break it, and
// those behind it go on with it.
func amid(random *rand.Rand, text []byte) []byte {
	before := random.IntN(17)
	whole := append(bytes.Repeat([]byte{0xf0}, before), text...)
	for range 17 {
		whole = append(whole, "\x80\xbfa\n"[random.IntN(4)])
	}
	return whole[before : before+len(text)]
}

func validByRunes(text []byte) bool {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			return false
		}
		text = text[n:]
	}
	return true
}

func indexByBytes(text []byte, c byte) int {
	for i, b := range text {
		if b == c {
			return i
		}
	}
	return -1
}
