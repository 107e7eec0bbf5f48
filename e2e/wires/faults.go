//go:build !js

package wires

import (
	"time"

	"golang.org/x/net/http2"
)

// Reset ends every open stream by RST_STREAM, on both sides, and says how many there were.
func (p *Proxy) Reset(code http2.ErrCode) int {
	n := 0
	p.each(func(l *link, s *stream) {
		l.reset(s, code)
		n++
	})
	return n
}

// GoAway tells browsers that their connections take no further stream; those that are open, or on their way,
// go on. As nginx, Envoy and Go's server do at first, it names no last stream (RFC 9113 section 6.8): one
// that was on its way would be refused.
func (p *Proxy) GoAway() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if !l.leaving && !l.plain {
			l.leaving = true
			l.browser.write(
				func(f *http2.Framer) error { return f.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil) })
		}
	}
}

// Close closes every connection at once.
func (p *Proxy) Close() { p.closeIf(func(*link) bool { return true }) }

// CloseLeaving closes those that GoAway was told of.
func (p *Proxy) CloseLeaving() { p.closeIf(func(l *link) bool { return l.leaving }) }

func (p *Proxy) closeIf(which func(*link) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if which(l) {
			l.end()
		}
	}
}

// Buffer keeps answers back, with their heads, until they are whole.
func (p *Proxy) Buffer(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buffers = on
}

// Withhold gives browsers no window for the bodies of further requests, or gives it back: their
// heads come, and the bodies do not.
func (p *Proxy) Withhold(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.starved == on {
		return
	}
	p.starved = on
	window := http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}
	if on {
		window.Val = 0
	}
	for l := range p.links {
		if l.plain {
			continue
		}
		l.acks++ // of this one the server knows nothing
		l.browser.write(func(f *http2.Framer) error { return f.WriteSettings(window) })
	}
}

// window is what a browser may send of a body before the server has read any.
const window = 1 << 20

// TruncateHeads has the next n heads of answers end in their middle, with their connections.
func (p *Proxy) TruncateHeads(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heads = n
}

// IdleLimit has the proxy end streams on which the server has been silent for that long. The clock is
// Advance.
func (p *Proxy) IdleLimit(limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = limit
}

// Advance lets time go by, for the limit of silence alone, and says how many streams reached it.
// properly ends them as if they were complete, which a browser cannot tell; else it is RST_STREAM.
func (p *Proxy) Advance(d time.Duration, properly bool) int {
	n := 0
	p.each(func(l *link, s *stream) {
		if s.quiet += d; p.limit == 0 || s.quiet < p.limit {
			return
		}
		n++
		if properly {
			l.complete(s)
		} else {
			l.reset(s, http2.ErrCodeInternal)
		}
	})
	return n
}

// Downgrade has the server speak HTTP/1.1, as behind another proxy: connections that are made from here on
// are of that, and those that are there end.
func (p *Proxy) Downgrade() {
	p.mu.Lock()
	p.old = true
	p.mu.Unlock()
	p.Close()
}

// Forget has every connection be silent for ever, as after a NAT or a VPN has forgotten it: nothing passes,
// and nothing says so. Connections that are made later work.
func (p *Proxy) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.browser.forget()
		l.server.forget()
	}
}
