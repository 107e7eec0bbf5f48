package sse

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

const chunkSize = 64 << 10

// Fault 9. Comments and unknown fields, 256 MiB of them in one line, are
// stepped over: nothing is copied or allocated, and the stream goes on.
func TestFault09_CommentsAndUnknownFields(t *testing.T) {
	filler := []byte(strings.Repeat("data: x ", chunkSize/8))
	for _, start := range []string{": ", ":", "unknown: ", "unknown", "datax", "\xEF\xBB"} {
		p := New(Limits{Line: 1 << 10, Event: 1 << 10})
		p.Push([]byte("id: 1\ndata: a\ndata: b\n" + start))
		drain(p)
		copied := p.Stats().Copied
		allocs := testing.AllocsPerRun(1, func() {
			for range 2048 {
				p.Push(filler)
				drain(p)
			}
		})
		if allocs != 0 || p.Stats().Copied != copied {
			t.Errorf("%q: %v allocations, %d bytes copied", start, allocs, p.Stats().Copied-copied)
		}
		p.Push([]byte("\ndata: c\n\n"))
		ev, ok := p.Next()
		if !ok || string(ev.Data) != "a\nb\nc" || string(ev.ID) != "1" || p.Err() != nil {
			t.Errorf("%q: %v %q %v", start, ok, ev.Data, p.Err())
		}
		if drain(p); p.Stats().Comments+p.Stats().Unknown != 1 {
			t.Errorf("%q: %+v", start, p.Stats())
		}
	}
}

// Keep-alives are lines like others, whatever the chunk, and are counted.
func TestFault09_KeepAlivesAreCounted(t *testing.T) {
	for _, cut := range []cutter{whole, everyByte} {
		got := feed(t, Limits{}, []string{": ping\n\n:\n\nping\nretry: x\n\n:\xFF\r\r"}, cut)
		if got.stats != (Stats{Comments: 3, Unknown: 1}) || len(got.events) != 0 {
			t.Errorf("%+v", got.stats)
		}
	}
}

// A retry line and one in a chunk of its own are bounded as well.
func TestFault09_EndlessRetryLine(t *testing.T) {
	p := New(Limits{Line: 100})
	p.Push([]byte("retry: 00"))
	drain(p)
	zeros := []byte(strings.Repeat("0", chunkSize))
	allocs := testing.AllocsPerRun(1, func() {
		for range 64 {
			p.Push(zeros)
			drain(p)
		}
	})
	p.Push([]byte("12\n\n"))
	if ev, ok := p.Next(); !ok || ev.Retry != 12 || allocs != 0 {
		t.Errorf("got %v %d, %v allocations", ok, ev.Retry, allocs)
	}
}

// Fault 11. A giant event and very many tiny ones, in chunks of any size.
func TestFault11_GiantAndTinyEvents(t *testing.T) {
	giant := strings.Repeat("0123456789abcde\u00E9", 10<<20/17)
	lines := strings.ReplaceAll(giant, "abc", "\ndata: ")
	for name, stream := range map[string]string{
		"one line":    "data: " + giant + "\n\n",
		"many lines":  "data: " + lines + "\n\n",
		"blank lines": strings.Repeat("\n", 100_000) + "data: x\n\n" + strings.Repeat("\r\n", 100_000),
		"tiny events": strings.Repeat("data:x\n\n", 200_000),
	} {
		want := sizes(name, giant, lines)
		bytes := []byte(stream)
		for _, size := range []int{1, 1000, chunkSize, len(stream)} {
			p := New(Limits{})
			events, got := 0, 0
			for from := 0; from < len(stream); from += size {
				p.Push(bytes[from:min(from+size, len(bytes))])
				n, b := drain(p)
				events, got = events+n, got+b
			}
			if p.Err() != nil || events != want[0] || got != want[1] {
				t.Errorf("%s in chunks of %d: %d events, %d bytes, want %v; %v", name, size, events, got,
					want, p.Err())
			}
			// Each byte is stored once, and moved at most once more.
			if copied := p.Stats().Copied; copied > 2*uint64(len(stream)) {
				t.Errorf("%s in chunks of %d: copied %d of %d bytes", name, size, copied, len(stream))
			}
		}
	}
}

// sizes returns the number of events and bytes of data.
func sizes(name, giant, lines string) [2]int {
	switch name {
	case "one line":
		return [2]int{1, len(giant)}
	case "many lines":
		return [2]int{1, len(strings.ReplaceAll(lines, "\ndata: ", "\n"))}
	case "blank lines":
		return [2]int{1, 1}
	}
	return [2]int{200_000, 200_000}
}

// Time is linear: eight times the bytes take about eight times as long, where a
// quadratic reader takes 64 times. The bound of 28 leaves room on a busy
// machine; the best of several runs counts.
func TestFault11_LinearTime(t *testing.T) {
	for name, c := range map[string]struct {
		head, body, tail string
		chunk            int
	}{
		"one line byte by byte":     {"data: ", "x", "\n\n", 1},
		"bad UTF-8 byte by byte":    {"data: ", "x\xFF", "\n\n", 1},
		"many lines byte by byte":   {"", "data: x\n", "\n", 1},
		"an id byte by byte":        {"id: ", "x", "\n\n", 1},
		"a comment byte by byte":    {":", "x", "\n\n", 1},
		"blank lines":               {"", "\n", "", 1 << 20},
		"blank lines, CR":           {"", "\r", "", 1 << 20},
		"lines before the only CR":  {"", "data:x\n", "\r", 64 << 20},
		"lines before the only LF":  {"", "data:x\r", "\n", 64 << 20},
		"messages with a sticky id": {"id: 1\n", "data:x\n\n", "", 7},
		"pending data, then others": {"", "data:x\n\ndata:y\nid:1\n", "\n", 5},
		"type, id and retry lines":  {"", "event:t\nid:1\nretry:1\n", "\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			const small = 32 << 10
			measure := func(n int) time.Duration {
				stream := []byte(c.head + strings.Repeat(c.body, n/len(c.body)) + c.tail)
				start := time.Now()
				p := New(Limits{})
				for from := 0; from < len(stream); from += c.chunk {
					p.Push(stream[from:min(from+c.chunk, len(stream))])
					drain(p)
				}
				if p.Err() != nil {
					t.Fatal(p.Err())
				}
				return time.Since(start)
			}
			best := func(n int) time.Duration {
				d := measure(n)
				for range 4 {
					d = min(d, measure(n))
				}
				return d
			}
			var ratio float64
			// A machine that does much else can be late in any of them; a square is each time.
			for range 25 {
				// The floor is for clocks as coarse as a browser's (0.1 ms).
				ratio = float64(best(8*small)) / float64(max(best(small), 200*time.Microsecond))
				if ratio < 28 {
					return
				}
			}
			t.Errorf("8 times the bytes took %.1f times as long", ratio)
		})
	}
}

// After a huge event the parser gives its memory back, at the latest when 32
// small chunks have followed, at once at the end of the connection.
func TestFault11_HugeEventsLeaveNoMemory(t *testing.T) {
	huge := strings.Repeat("x", 8<<20)
	streams := []string{
		"data: " + huge + "\ndata: y\n\n", "data: " + huge + "\xFF\n\n", "event: " + huge + "\ndata: x\n\n",
		"id: " + huge + "\n\nid: 1\n\n", "id: " + huge + "\xFF\n\nid: 1\n\n", "id: " + huge + "\x00\n\n",
		"data: " + huge + "\nid: " + huge + "\nevent: " + huge + "\n\nid: 1\n\n",
	}
	push := func(p *Parser, s string) {
		for from := 0; from < len(s); from += chunkSize {
			p.Push([]byte(s[from:min(from+chunkSize, len(s))]))
			drain(p)
		}
	}
	for _, end := range []string{"quiet stream", "Reset", "EOF", "error"} {
		p := New(Limits{})
		for _, s := range streams {
			push(p, s)
			if end != "quiet stream" {
				continue
			}
			for range 2 * keepQuiet {
				push(p, "id: 1\ndata: a\n\nda")
				push(p, "ta: a\ndata: b\n\n")
			}
		}
		switch end {
		case "Reset":
			p.Reset()
		case "EOF":
			p.EOF()
		case "error":
			push(p, "data: "+huge+huge+huge)
			if p.Err() == nil {
				t.Fatal("no error")
			}
		}
		if held := heldBy(p); held > 2<<20 {
			t.Errorf("%s: %d bytes are still held", end, held)
		}
		runtime.KeepAlive(p)
	}
}

func heldBy(p *Parser) (n int) {
	b := &p.block
	for _, s := range [][]byte{b.buf, b.lent, b.part, b.partSpare, b.repaired, p.id.own, p.id.spare, p.id.val,
		b.id.own, b.id.spare, b.id.val, b.typ.own, b.typ.spare, b.typ.val, p.chunk} {
		n += cap(s)
	}
	return n
}
