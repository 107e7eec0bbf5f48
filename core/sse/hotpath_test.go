package sse

import (
	"strings"
	"testing"
	"unsafe"
)

// within reports whether b lies in chunk.
func within(b, chunk []byte) bool {
	from, at := uintptr(unsafe.Pointer(unsafe.SliceData(chunk))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return from <= at && at+uintptr(len(b)) <= from+uintptr(len(chunk))
}

// Events with one data line in one chunk are handed out in place.
func TestHotPathCopiesNothing(t *testing.T) {
	for _, stream := range []string{
		"data: a\n\ndata: \u20AC\n\ndata:c\r\n\r\n", ": x\nevent: t\ndata: a\n\n", "data\n\n",
	} {
		p := New(Limits{})
		chunk := []byte(stream)
		p.Push(chunk)
		for ev, ok := p.Next(); ok; ev, ok = p.Next() {
			if !within(ev.Data, chunk) || len(ev.Type) > 0 && !within(ev.Type, chunk) {
				t.Errorf("%q: %q was copied", stream, ev.Data)
			}
		}
		if n := p.Stats().Copied; n != 0 {
			t.Errorf("%q: %d bytes copied", stream, n)
		}
	}
	// Of ids, only the last of a chunk is copied, when the chunk goes.
	p := New(Limits{})
	p.Push([]byte("id: 11\ndata: a\n\nid: 12\ndata: b\n\nid: 133\ndata: c\n\n"))
	if n, _ := drain(p); n != 3 || p.Stats().Copied != 3 {
		t.Errorf("%d events, %d bytes copied", n, p.Stats().Copied)
	}
}

// In the steady state nothing is allocated, whatever the shape of the stream.
func TestHotPathAllocatesNothing(t *testing.T) {
	for name, c := range shapes() {
		t.Run(name, func(t *testing.T) {
			p := New(Limits{})
			pass := func() { pushAll(p, c.stream, c.chunk) }
			for range 4 {
				pass() // buffers grow
			}
			if n := testing.AllocsPerRun(5, pass); n != 0 {
				t.Errorf("%v allocations per %d bytes", n, len(c.stream))
			}
		})
	}
}

type shape struct {
	stream []byte
	chunk  int
	events int
}

// shapes are the streams of the benchmarks, about a megabyte each.
func shapes() map[string]shape {
	notification := func(size int, fill string) string {
		const head, tail = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"`, `"}}`
		return head + strings.Repeat(fill, (size-len(head)-len(tail))/len(fill)) + tail
	}
	make := func(event string, size, chunk int) shape {
		n := max(1, size/len(event))
		return shape{[]byte(strings.Repeat(event, n)), chunk, n}
	}
	small, large := notification(200, "x"), notification(2000, "x")
	lines := strings.Repeat("data: "+strings.Repeat("x", 60)+"\n", 10) + "\n"
	all := map[string]shape{
		"200B":            make("data: "+small+"\n\n", 1<<20, chunkSize),
		"200B-id-event":   make("event: message\nid: 12345_678\ndata: "+small+"\n\n", 1<<20, chunkSize),
		"200B-CRLF":       make("data: "+small+"\r\n\r\n", 1<<20, chunkSize),
		"200B-non-ASCII":  make("data: "+notification(200, "\u6F22")+"\n\n", 1<<20, chunkSize),
		"200B-bad-UTF8":   make("data: "+notification(200, "xxxxxxxxxxxxxxx\xFF")+"\n\n", 1<<20, chunkSize),
		"2KB":             make("data: "+large+"\n\n", 1<<20, chunkSize),
		"10-lines-of-60B": make(lines, 1<<20, chunkSize),
		"1MiB":            make("data: "+notification(1<<20, "x")+"\n\n", 1<<20, chunkSize),
		"keep-alives":     make(": ping\n\n", 1<<20, chunkSize),
		"200B-by-bytes":   make("id: 1\ndata: "+small+"\n\n", 1<<16, 1),
	}
	all["keep-alives"] = shape{all["keep-alives"].stream, chunkSize, 0}
	one := make("data: "+small+"\n\n", 1<<20, 0)
	one.chunk = len(one.stream) / one.events
	all["200B-one-per-chunk"] = one
	return all
}

func pushAll(p *Parser, stream []byte, chunk int) (events int) {
	for from := 0; from < len(stream); from += chunk {
		p.Push(stream[from:min(from+chunk, len(stream))])
		for {
			if _, ok := p.Next(); !ok {
				break
			}
			events++
		}
	}
	return events
}
