package sse

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Fault 2. "A U+000D CARRIAGE RETURN U+000A LINE FEED (CRLF) character pair, a
// single LF not preceded by a CR, and a single CR not followed by a LF being the
// ways in which a line can end" (9.2.6). Every word of up to six line ends,
// before, in and behind blocks, against the reference reader, cut everywhere.
func TestFault02_LineEnds(t *testing.T) {
	words := []string{""}
	for from, size := 0, 1; size <= 6; size++ {
		to := len(words)
		for _, w := range words[from:to] {
			words = append(words, w+"\n", w+"\r")
		}
		from = to
	}
	for _, w := range words {
		conns := []string{"data: a" + w + "data: b" + w + w + ": c" + w + "id: 1" + w}
		want := reference(conns)
		for i := range len(w) {
			if diff := want.diff(feed(t, Limits{}, conns, cutAt(7+i))); diff != "" {
				t.Errorf("%q cut at %d: %s", w, i, diff)
			}
		}
		for _, cut := range []cutter{whole, everyByte} {
			if diff := want.diff(feed(t, Limits{}, conns, cut)); diff != "" {
				t.Errorf("%q: %s", w, diff)
			}
		}
	}
}

// CR CR ends an event now, not at the next byte, and a LF that comes a chunk
// later belongs to the second CR.
func TestFault02_CarriageReturnDispatchesNow(t *testing.T) {
	f := feeder{t: t, p: New(Limits{})}
	for _, step := range []struct {
		push   string
		events int
	}{
		{"data: a\r", 0}, {"\r", 1}, {"\n", 0}, {"data: b\r", 0}, {"\n", 0}, {"\r", 1},
		{"", 0}, {"\n", 0}, {"data: c\r\n\r", 1}, {"\ndata: d\r\r", 1}, {"data: e\n\r", 1},
	} {
		if got := f.push(step.push); got != step.events {
			t.Fatalf("%q gave %d events, want %d", step.push, got, step.events)
		}
	}
}

// Fault 3. Exactly one BOM is stripped, only at the start, of each connection,
// wherever it is cut.
func TestFault03_ByteOrderMark(t *testing.T) {
	const bom = "\xEF\xBB\xBF"
	pieces := []string{bom, bom + bom, "\xEF\xBB", "\xEF", "\xBB\xBF", "\n" + bom, "\r", ":", " ", ""}
	for _, start := range pieces {
		for _, next := range pieces {
			conns := []string{
				start + next + "data: a\n\n" + bom + "data: no\n\n",
				next + start + "id: 1\n\n",
				bom + "data: b\n\n",
			}
			want := reference(conns)
			for _, cut := range []cutter{whole, everyByte, cutAt(1), cutAt(2), cutAt(3), cutAt(2, 4),
				cutAt(1, 3, 5)} {
				if diff := want.diff(feed(t, Limits{}, conns, cut)); diff != "" {
					t.Errorf("%q, %q: %s", start, next, diff)
				}
			}
		}
	}
	got := feed(t, Limits{}, []string{bom + "data: a\n\n", bom + "data: b\n\n" + bom + "data: no\n\n"},
		everyByte)
	if len(got.events) != 2 || got.events[0].data != "a" || got.events[1].data != "b" {
		t.Errorf("got %+v", got.events)
	}
}

// Fault 4. U+FFFD by maximal subpart, the line end not eaten: every sequence
// of up to four bytes out of those where the decoder of the Encoding standard
// changes its mind, in a value, cut in two places.
func TestFault04_InvalidUTF8(t *testing.T) {
	edges := "\x00\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC2\xDF\xE0\xE1\xED\xEE\xEF\xF0\xF1\xF4\xF5\xFF\n"
	n := len(edges)
	var seq [4]byte
	var stream strings.Builder
	for i := range n * n * n * n {
		k := i
		for j := range seq {
			seq[j] = edges[k%n]
			k /= n
		}
		stream.WriteString("data:")
		stream.Write(seq[:])
		stream.WriteString("\n\n")
		if i%n == n-1 && i/n%997 == 0 || i == n*n*n*n-1 {
			conns := []string{stream.String()}
			want := reference(conns)
			for _, size := range []int{7, 1 << 16} {
				got := feed(t, Limits{}, conns, func(int, int) int { return size })
				if diff := want.diff(got); diff != "" {
					t.Fatal(diff)
				}
				for _, ev := range got.events {
					if !utf8.ValidString(ev.data) {
						t.Fatalf("%q is not valid", ev.data)
					}
				}
			}
			stream.Reset()
		}
	}
}

// A character cut by the end of a line becomes one U+FFFD and the line ends.
func TestFault04_InvalidUTF8DoesNotEatTheLineEnd(t *testing.T) {
	for _, cutOff := range []string{"\xC3", "\xE2", "\xE2\x82", "\xF0", "\xF0\x9F", "\xF0\x9F\x98"} {
		for _, end := range []string{"\n", "\r", "\r\n"} {
			conns := []string{"data: x" + cutOff + end + "data: y" + cutOff + end + end + "data: z" + end +
				end}
			for _, cut := range []cutter{whole, everyByte} {
				got := feed(t, Limits{}, conns, cut)
				if len(got.events) != 2 || got.events[0].data != "x\uFFFD\ny\uFFFD" ||
					got.events[1].data != "z" {
					t.Errorf("%q %q: %v", cutOff, end, got.events)
				}
			}
		}
	}
}
