package sse

import "slices"

// Parser reads one event source: a connection at a time, its bytes in any
// pieces. The zero value is ready, with default limits. It is not safe for
// concurrent use.
type Parser struct {
	limits Limits
	err    *Error
	stats  Stats

	chunk  []byte // nil once Next has said false
	pos    int    // what is before it has been read
	lf, cr int    // the next LF and CR at or behind pos; before pos: not searched yet

	bom    int  // bytes of a leading byte order mark seen; len(byteOrderMark): past it
	skipLF bool // the last chunk ended in CR: a LF at the start of the next belongs to it

	line  line
	block block

	id    slot   // the last event ID of the source
	retry millis // the reconnection time of the source
}

const byteOrderMark = "\xEF\xBB\xBF"

// New returns a parser with the given limits.
func New(limits Limits) *Parser { return &Parser{limits: limits} }

// Reset prepares for a new connection: an unfinished line and block, the rest
// of an undrained chunk and an error are dropped, and a byte order mark is
// allowed again. The last event ID, the reconnection time and the counters
// stay: in WHATWG HTML 9.2.2 they belong to the source, not the connection.
func (p *Parser) Reset() {
	p.discard()
	p.err = nil
	p.bom = 0
}

// SetLastEventID makes a copy of id the last event ID, e.g. one read from a
// journal. Every block without an id field reports it from now on.
func (p *Parser) SetLastEventID(id []byte) { p.id.replace(id) }

// LastEventID returns the ID that the last finished block left behind, empty
// for none; an id in an unfinished block is not adopted. The slice is valid
// until the next call of Push, Reset or EOF.
func (p *Parser) LastEventID() []byte { return slices.Clip(p.id.val) }

// Retry returns the reconnection time in ms as the last valid retry line set
// it, -1 for none yet. Per 9.2.6 it counts from the end of its line on, whether
// or not the block is ever finished. At most 1<<53; clamping is the caller's.
func (p *Parser) Retry() int64 { return p.retry.orNone() }

// Err returns an *Error once a limit was exceeded. The parser then yields
// nothing more until Reset.
func (p *Parser) Err() error {
	if p.err == nil {
		return nil
	}
	return p.err
}

// Stats returns the counters.
func (p *Parser) Stats() Stats {
	s := p.stats
	s.Copied += p.block.copied
	return s
}

// Push lends chunk to the parser until the next call of Push, Reset or EOF, and
// ends the life of all events before. It panics unless Next has said false
// since the last Push: events would be lost.
func (p *Parser) Push(chunk []byte) {
	if p.chunk != nil {
		panic("sse: Push before Next returned false")
	}
	if p.err != nil || len(chunk) == 0 {
		return
	}
	p.block.reclaim(p.line.held && p.line.field != fieldData)
	p.chunk, p.pos, p.lf, p.cr = chunk, 0, -1, -1
	p.readBOM()
	if p.skipLF && p.pos < len(chunk) {
		p.skipLF = false
		if chunk[p.pos] == '\n' {
			p.pos++
		}
	}
}

// readBOM drops one byte order mark from the start of the connection. Only a
// whole one: a part of it is ill-formed text, and since no known field
// starts with that, the rest of such a line need not be looked at.
func (p *Parser) readBOM() {
	for p.bom < len(byteOrderMark) && p.pos < len(p.chunk) {
		if p.chunk[p.pos] != byteOrderMark[p.bom] {
			if p.bom > 0 {
				p.line.mode = inUnknown
			}
			p.bom = len(byteOrderMark)
			return
		}
		p.bom++
		p.pos++
	}
}

// Next returns the next finished block, or false when the chunk is used up or a
// limit was exceeded (see Err).
func (p *Parser) Next() (Event, bool) {
	for p.pos < len(p.chunk) {
		end := p.lineEnd()
		text := p.chunk[p.pos:end]
		if end == len(p.chunk) {
			p.pos = end
			p.take(text, false)
			break
		}
		p.pos = p.after(end)
		switch {
		case p.line.mode != lineStart:
			p.take(text, true)
		case len(text) > 0:
			if !p.whole(text) {
				p.take(text, true)
			}
		default:
			if ev, ok := p.dispatch(); ok {
				return ev, true
			}
		}
	}
	p.keep()
	return Event{}, false
}

// KeepData makes the data of the event that Next has just returned the caller's own: it outlives
// the next Push. False for data that lies in the chunk, which has to be copied.
// It costs the parser its memory: it is for large data that would have to be copied otherwise.
func (p *Parser) KeepData() bool { return p.block.letGo() }

// dispatch ends the block: 9.2.6 "dispatch the event". The last event ID is set
// even when nothing is dispatched.
func (p *Parser) dispatch() (Event, bool) {
	b := &p.block
	if b.hasID {
		p.id.set(b.id.val)
	}
	ev := Event{Kind: Message, HasID: b.hasID, Retry: b.retry.orNone()}
	switch {
	case b.hasData:
		ev.Data = slices.Clip(b.data())
		p.stats.Messages++
	case b.hasID || b.retry.set:
		ev.Kind = Bare
		p.stats.Bares++
	default:
		b.end()
		return Event{}, false
	}
	ev.Type = slices.Clip(b.typ.val)
	ev.ID = slices.Clip(p.id.val)
	b.end()
	return ev, true
}

// EOF ends the connection. 9.2.6: "any pending data must be discarded": an
// unfinished line or block yields no event, and its id is not adopted. Reset
// before the bytes of another connection.
func (p *Parser) EOF() { p.discard() }

// fail ends the stream with an error and lets go of all memory it holds.
func (p *Parser) fail(code Code, limit int) bool {
	p.discard()
	p.block = block{copied: p.block.copied}
	p.err = &Error{Code: code, Limit: limit}
	return false
}

func (p *Parser) discard() {
	p.line, p.skipLF = line{}, false
	p.block.discard()
	p.keep()
}

// keep makes the parser independent of the chunk.
func (p *Parser) keep() {
	p.stats.Copied += p.id.keep()
	p.block.keep()
	p.chunk, p.pos = nil, 0
}
