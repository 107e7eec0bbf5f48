//go:build !js

package wires

import (
	"bytes"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// streamState is where a stream is, as the browser sees it.
type streamState uint8

const (
	streamAsked streamState = iota // the request has come
	streamOpen                     // the answer has begun
	streamOver                     // the answer is whole, or the browser does not want it
	streamCut                      // ended by the proxy: what the server still says is dropped
)

// stream is one request and its answer.
type stream struct {
	id    uint32
	state streamState
	quiet time.Duration // since the server has said something
	held  [][]byte      // frames of the answer that are kept back
}

// link is a connection of a browser's, and the one to the server that belongs to it.
type link struct {
	proxy           *Proxy
	browser, server *side
	requests        *hpack.Decoder
	plain           bool // HTTP/1.1, of which no frames are known

	// Guarded by the proxy's lock.
	streams map[uint32]*stream // those of the proxy's path
	leaving bool
	used    bool // it has had one
	acks    int  // of SETTINGS that are the proxy's own
}

// side is one of the two connections. Frames are written whole.
type side struct {
	conn      net.Conn
	mu        sync.Mutex
	framer    *http2.Framer
	forgotten bool // what is written is lost
}

func newSide(conn net.Conn) *side { return &side{conn: conn, framer: http2.NewFramer(conn, nil)} }

// write writes frames. Errors need no care: who reads the connection sees its end.
func (s *side) write(do func(*http2.Framer) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.forgotten {
		do(s.framer)
	}
}

func (s *side) pass(raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.forgotten {
		s.conn.Write(raw)
	}
}

// forget has what is written from here on be lost.
func (s *side) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten = true
}

func newLink(p *Proxy, browser, server net.Conn) *link {
	l := &link{proxy: p, browser: newSide(browser), server: newSide(server),
		streams: make(map[uint32]*stream)}
	l.requests = hpack.NewDecoder(4096, nil)
	l.requests.SetAllowedMaxDynamicTableSize(1 << 20)
	return l
}

func (l *link) end() {
	l.browser.conn.Close()
	l.server.conn.Close()
}

// frames calls each with every frame that is read, and its bytes, until the connection ends.
func frames(conn io.Reader, each func(http2.Frame, []byte)) {
	var raw bytes.Buffer
	framer := http2.NewFramer(nil, io.TeeReader(conn, &raw))
	framer.SetMaxReadFrameSize(1<<24 - 1)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		each(frame, slices.Clone(raw.Bytes()))
		raw.Reset()
	}
}

// fromBrowser relays what the browser sends.
func (l *link) fromBrowser() {
	if l.plain {
		io.Copy(l.server.conn, l.browser.conn)
		return
	}
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(l.browser.conn, preface); err != nil {
		return
	}
	l.server.pass(preface)
	frames(l.browser.conn, func(frame http2.Frame, raw []byte) {
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			l.browsersSettings(frame, raw)
			return
		case *http2.HeadersFrame:
			l.asked(frame)
		case *http2.RSTStreamFrame:
			if s := l.stream(frame.StreamID); s != nil {
				l.enter(s, streamOver)
			}
		}
		l.server.pass(raw)
	})
}

// browsersSettings has the server compress no head by what it has said before: then heads may be kept back or
// left out.
func (l *link) browsersSettings(frame *http2.SettingsFrame, raw []byte) {
	if frame.IsAck() {
		l.proxy.mu.Lock()
		own := l.acks > 0
		if own {
			l.acks--
		}
		l.proxy.mu.Unlock()
		if !own {
			l.server.pass(raw)
		}
		return
	}
	settings := []http2.Setting{{ID: http2.SettingHeaderTableSize, Val: 0}}
	frame.ForeachSetting(func(s http2.Setting) error {
		if s.ID != http2.SettingHeaderTableSize {
			settings = append(settings, s)
		}
		return nil
	})
	l.server.write(func(f *http2.Framer) error { return f.WriteSettings(settings...) })
}

// asked notes a request.
func (l *link) asked(frame *http2.HeadersFrame) {
	fields, _ := l.requests.DecodeFull(frame.HeaderBlockFragment())
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if slices.ContainsFunc(fields,
		func(f hpack.HeaderField) bool { return f.Name == ":path" && f.Value == l.proxy.path }) {
		l.streams[frame.StreamID] = &stream{id: frame.StreamID}
		if !l.used {
			l.used = true
			l.proxy.made++
		}
	}
}

func (l *link) stream(id uint32) *stream {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	return l.streams[id]
}

// enter notes where a stream is, unless the proxy has ended it.
func (l *link) enter(s *stream, state streamState) {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if s.state < streamOver {
		s.state = state
	}
}

// fromServer relays what the server sends.
func (l *link) fromServer() {
	frames(l.server.conn, func(frame http2.Frame, raw []byte) {
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			l.serversSettings(frame, raw)
		case *http2.HeadersFrame:
			l.answered(frame.StreamID, raw, true, frame.StreamEnded(), 0)
		case *http2.DataFrame:
			l.answered(frame.StreamID, raw, false, frame.StreamEnded(), frame.Length)
		case *http2.RSTStreamFrame:
			l.answered(frame.StreamID, raw, false, true, 0)
		default:
			l.browser.pass(raw)
		}
	})
}

// serversSettings withholds the window where it is withheld by the time that the browser comes.
func (l *link) serversSettings(frame *http2.SettingsFrame, raw []byte) {
	l.proxy.mu.Lock()
	starved := l.proxy.starved
	l.proxy.mu.Unlock()
	if frame.IsAck() || !starved {
		l.browser.pass(raw)
		return
	}
	var settings []http2.Setting
	frame.ForeachSetting(func(s http2.Setting) error {
		if s.ID != http2.SettingInitialWindowSize {
			settings = append(settings, s)
		}
		return nil
	})
	settings = append(settings, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	l.browser.write(func(f *http2.Framer) error { return f.WriteSettings(settings...) })
}

// answered relays a frame of an answer: head, size bytes of a body, or its end.
func (l *link) answered(id uint32, raw []byte, head, ends bool, size uint32) {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	s := l.streams[id]
	switch {
	case s == nil:
	case s.state == streamCut:
		// Nobody reads it, and the window of the connection is given back.
		if size > 0 {
			l.server.write(func(f *http2.Framer) error { return f.WriteWindowUpdate(0, size) })
		}
		return
	case head && l.proxy.heads > 0:
		l.proxy.heads--
		l.browser.pass(raw[:len(raw)/2])
		l.end()
		return
	case l.proxy.buffers || len(s.held) > 0:
		s.held = append(s.held, raw)
		if !ends {
			return
		}
		raw = bytes.Join(s.held, nil)
		s.held = nil
	}
	if s != nil {
		s.quiet = 0
		if s.state < streamOpen {
			s.state = streamOpen
		}
		if ends {
			delete(l.streams, id)
		}
	}
	l.browser.pass(raw)
}

// reset ends a stream on both sides, at the server first. The proxy's lock is held.
func (l *link) reset(s *stream, code http2.ErrCode) {
	s.state = streamCut
	l.server.write(func(f *http2.Framer) error { return f.WriteRSTStream(s.id, http2.ErrCodeCancel) })
	l.browser.write(func(f *http2.Framer) error { return f.WriteRSTStream(s.id, code) })
}

// complete ends a stream as if that was all, and the server's with it. The proxy's lock is held.
func (l *link) complete(s *stream) {
	s.state = streamCut
	l.server.write(func(f *http2.Framer) error { return f.WriteRSTStream(s.id, http2.ErrCodeCancel) })
	l.browser.write(func(f *http2.Framer) error { return f.WriteData(s.id, true, nil) })
}
