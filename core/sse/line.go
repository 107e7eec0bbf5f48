package sse

import (
	"bytes"
	"unicode/utf8"
)

// mode is how much of the line under way is understood.
type mode uint8

const (
	lineStart mode = iota // nothing seen yet: a line end here is a blank line
	inName                // head holds the beginning of a name that may be known
	atValue               // the name is read; one space may still be dropped
	inValue
	inComment
	inUnknown
)

// line is the line under way. Its parts outlive a chunk, so all of it is here
// or in the buffers of block.
type line struct {
	mode   mode
	field  field
	held   bool // a beginning of the value is in block.data or block.part
	head   [longestPrefix]byte
	seen   int // bytes in head
	prefix int // bytes before the value: name, colon, space
	size   int // bytes of value so far
	retry  digits
}

// lineEnd returns where in the chunk the line at pos ends: the index of the
// next CR or LF, or len(chunk). Each search starts where the last one of its
// kind stopped, so a chunk is scanned once for LF and once for CR.
func (p *Parser) lineEnd() int {
	if p.lf < p.pos {
		p.lf = p.find('\n')
	}
	if p.cr < p.pos {
		p.cr = p.find('\r')
	}
	return min(p.lf, p.cr)
}

func (p *Parser) find(c byte) int {
	i := bytes.IndexByte(p.chunk[p.pos:], c)
	if i < 0 {
		return len(p.chunk)
	}
	return p.pos + i
}

// after returns where the next line starts. A CR ends its line now; when its LF
// could still come with the next chunk, Push will drop that.
func (p *Parser) after(end int) int {
	if p.chunk[end] == '\n' {
		return end + 1
	}
	if end+1 == len(p.chunk) {
		p.skipLF = true
		return end + 1
	}
	if p.chunk[end+1] == '\n' {
		return end + 2
	}
	return end + 1
}

// take reads the next piece of the line under way; end says that the line ends
// behind it. A blank line never gets here.
func (p *Parser) take(b []byte, end bool) {
	l := &p.line
	if l.mode <= inName {
		b = l.takeName(b, end)
	}
	switch l.mode {
	case atValue, inValue:
		p.takeValue(b, end)
	case inComment:
		if end {
			p.stats.Comments++
		}
	case inUnknown:
		if end {
			p.stats.Unknown++
		}
	}
	if end {
		*l = line{}
	}
}

// whole reads a line that lies in the chunk from end to end, as nearly all do,
// and whose value is in order; false leaves it to take, which minds everything
// else: half of what an event of 200 bytes costs in wasm was its bookkeeping.
func (p *Parser) whole(b []byte) bool {
	f, prefix := classify(b, true)
	if f <= other || f == fieldRetry {
		return false
	}
	v := b[prefix:]
	if len(v) > 0 && v[0] == ' ' {
		v = v[1:]
	}
	block := &p.block
	// With the length of the line for that of its value, to be on the safe side.
	if len(b) > p.limits.line() || f == fieldData && block.joined()+len(b) > p.limits.event() ||
		!utf8.Valid(v) {
		return false
	}
	switch f {
	case fieldData:
		block.addData(v, false, true)
	case fieldEvent:
		block.typ.set(v)
	case fieldID:
		if bytes.IndexByte(v, 0) < 0 {
			block.id.set(v)
			block.hasID = true
		}
	}
	return true
}

// takeName decides which field the line is, and returns what of b is behind
// the name and its colon.
func (l *line) takeName(b []byte, end bool) []byte {
	text, seen := b, l.seen
	if seen > 0 {
		text = l.head[:seen+copy(l.head[seen:], b)]
	}
	f, prefix := classify(text, end)
	switch f {
	case undecided:
		if seen == 0 {
			copy(l.head[:], b)
		}
		l.mode, l.seen = inName, len(text)
		return nil
	case other:
		l.mode = inUnknown
		if len(text) > 0 && text[0] == ':' {
			l.mode = inComment
		}
		return nil
	}
	l.mode, l.field, l.prefix = atValue, f, prefix
	return b[prefix-seen:]
}

func (p *Parser) takeValue(b []byte, end bool) {
	l := &p.line
	if l.mode == atValue && len(b) > 0 {
		if b[0] == ' ' {
			b = b[1:]
			l.prefix++
		}
		l.mode = inValue
	}
	if l.field == fieldRetry {
		l.retry.add(b)
		if n, ok := l.retry.ms(); end && ok {
			p.retry = millis{n, true}
			p.block.retry = millis{n, true}
		}
		return
	}
	l.size += len(b)
	if !p.fits(end) {
		return
	}
	if !end {
		p.hold(b)
		return
	}
	if l.held {
		p.hold(b)
		b = p.heldValue()
	}
	p.apply(b)
}

// fits checks the limits against the line so far. A chunk may exceed both
// limits at once; the one that the first excess byte belongs to is reported,
// so that the error does not depend on the chunking.
func (p *Parser) fits(end bool) bool {
	l := &p.line
	lineRoom := p.limits.line() - l.prefix
	overLine := l.size > lineRoom
	if l.field == fieldData {
		eventRoom := p.limits.event() - p.block.joined()
		overEvent := l.size > eventRoom && (l.size > 0 || end)
		if overEvent && !(overLine && lineRoom <= max(eventRoom, 0)) {
			return p.fail(CodeEventTooLong, p.limits.event())
		}
	}
	if overLine {
		return p.fail(CodeLineTooLong, p.limits.line())
	}
	return true
}

// apply gives the block the value of a finished data, event or id line.
func (p *Parser) apply(v []byte) {
	valid := utf8.Valid(v)
	if !valid {
		v = p.block.repair(v)
	}
	switch p.line.field {
	case fieldData:
		if p.block.joined()+len(v) > p.limits.event() {
			p.fail(CodeEventTooLong, p.limits.event())
			return
		}
		p.block.addData(v, p.line.held, valid)
	case fieldEvent:
		p.block.typ.set(v)
	case fieldID:
		if bytes.IndexByte(v, 0) < 0 {
			p.block.id.set(v)
			p.block.hasID = true
		}
	}
}
