//go:build !js

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"
)

// pieceSize is how much of a burst goes into one write, or a little more.
const pieceSize = 64 << 10

// prose is what messages are made of: text as servers send it, ASCII with a
// character here and there that JSON escapes.
const prose = `rendering \"scene 7\": pass 3 of 9, tile 114 of 400, 1.8 s left; `

// wideProse is text of which hardly a character is ASCII: three bytes of UTF-8 each, and four.
const wideProse = `渲染「场景七」：第三遍，共九遍，还剩一秒八 🎬✨ `

// text is so many bytes of JSON string, between the quotes.
func text(size int) string {
	out := strings.Repeat(prose, size/len(prose)+1)[:size]
	if strings.HasSuffix(out, `\`) {
		out = out[:size-1] + "."
	}
	return out
}

// wideText is so many bytes of that; where a character does not fit, ASCII.
func wideText(size int) string {
	out := strings.Repeat(wideProse, size/len(wideProse)+1)[:size]
	for whole := len(out); whole > 0; whole-- {
		if utf8.ValidString(out[:whole]) {
			return out[:whole] + strings.Repeat(".", size-whole)
		}
	}
	return strings.Repeat(".", size)
}

// bursts remembers what was streamed: building it would cost more than sending
// it, and the server must not be what is measured.
type bursts struct {
	mu    sync.Mutex
	built map[shape]*stream
}

// shape is what the bytes of a burst depend on. The length of the token counts,
// so that every client gets events of one size.
type shape struct {
	count, size, token int
	ids, wide          bool
}

// stream is a burst without its progress token, which is put in on the way out.
type stream struct {
	body []byte
	gaps []int // where the token goes
	ends []int // where each event ends
}

// burst streams notifications/progress, as many and as large as the arguments
// say, and then the result. Events carry ids on the older wire, as those of a
// server that can resume do; the newer one has none.
func (s *server) burst(w http.ResponseWriter, m *message) {
	a, token := m.Params.Arguments, m.Params.Meta.Token
	built := s.bursts.get(shape{a.Count, a.Size, len(token), !m.modern(), a.Wide})
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	built.send(w, token)
	w.Write(event(!m.modern(), a.Count+1, m.result(`"content":[{"type":"text","text":"done"}]`)))
}

// send writes pieces of 64 KB.
func (b *stream) send(w io.Writer, token []byte) {
	piece := make([]byte, 0, pieceSize+4<<10)
	from := 0
	for i, end := range b.ends {
		piece = append(append(append(piece, b.body[from:b.gaps[i]]...), token...), b.body[b.gaps[i]:end]...)
		from = end
		if len(piece) >= pieceSize {
			w.Write(piece)
			piece = piece[:0]
		}
	}
	w.Write(piece)
}

func (b *bursts) get(of shape) *stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	if built := b.built[of]; built != nil {
		return built
	}
	if b.built == nil || len(b.built) >= 8 {
		b.built = make(map[shape]*stream)
	}
	built := build(of)
	b.built[of] = built
	return built
}

// build writes the events of a burst; the size is that of an event's JSON.
func build(of shape) *stream {
	built := &stream{}
	const head, tail = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`, `"}}`
	for i := 1; i <= of.count; i++ {
		rest := fmt.Sprintf(`,"progress":%d,"message":"`, i)
		room := max(0, of.size-len(head)-of.token-len(rest)-len(tail))
		filler := text(room)
		if of.wide {
			filler = wideText(room)
		}
		one := event(of.ids, i, []byte(head+rest+filler+tail))
		built.gaps = append(built.gaps, len(built.body)+bytes.Index(one, []byte(rest)))
		built.body = append(built.body, one...)
		built.ends = append(built.ends, len(built.body))
	}
	return built
}

// event writes one event of a stream.
func event(id bool, number int, data []byte) []byte {
	if !id {
		return fmt.Appendf(nil, "event: message\ndata: %s\n\n", data)
	}
	return fmt.Appendf(nil, "event: message\nid: s-%d\ndata: %s\n\n", number, data)
}
