package sse

import "slices"

const (
	// A data buffer above keepData bytes is freed after keepQuiet pushes that needed
	// less than a quarter of keepData. Without the wait, a steady stream of 1 MiB events
	// would allocate the buffer again each time.
	keepData  = 1 << 20
	keepQuiet = 32

	// keepRepaired is the same for text that needed UTF-8 repair: a chunk of 64
	// KiB, three times as long when no byte of it is good, and room to grow into.
	keepRepaired = 256 << 10
)

// block is the event under way, with the buffers that it and the events of
// the current push live in.
type block struct {
	hasData bool
	inBuf   bool   // the data is buf[mark:], else it is lent
	lent    []byte // one data line, in the chunk or in repaired
	size    int    // bytes of finished data lines, joined
	typ     slot
	id      slot
	hasID   bool
	retry   millis

	// buf holds the data that cannot alias a chunk: up to mark that of events
	// of this push, behind it that of the block. It only grows during a
	// push. A growing append leaves the old array to the events that point into it.
	buf       []byte
	mark      int
	lastInBuf bool // the data of the event that was made last lies in buf
	raw       int  // where in buf the value of the line under way starts, if held
	quiet     int  // pushes in a row that used little of a large buf

	// part holds the value of an id or event line that is split over chunks. The
	// next such line takes the other buffer, since events may point into this one.
	part, partSpare []byte

	repaired []byte // values that needed UTF-8 repair; emptied by each push

	copied uint64 // Stats.Copied
}

// joined is the length of the data if one more, empty, line were added.
func (b *block) joined() int {
	if b.hasData {
		return b.size + 1
	}
	return b.size
}

// intoBuf moves lent data to buf.
func (b *block) intoBuf() {
	if !b.inBuf {
		b.store(b.lent)
		b.inBuf, b.lent = true, nil
	}
}

// store doubles buf where it is too small: append's own steps of a quarter copy
// a large event four times.
func (b *block) store(v []byte) {
	if len(b.buf)+len(v) > cap(b.buf) {
		b.buf = slices.Grow(b.buf, max(len(v), cap(b.buf)))
	}
	b.buf = append(b.buf, v...)
	b.copied += uint64(len(v))
}

// hold stores a piece of a value that is split over chunks.
func (p *Parser) hold(v []byte) {
	if len(v) == 0 {
		return
	}
	b, l := &p.block, &p.line
	if !l.held {
		l.held = true
		if l.field == fieldData {
			b.intoBuf()
			if b.hasData {
				b.buf = append(b.buf, '\n')
			}
			b.raw = len(b.buf)
		} else {
			b.part, b.partSpare = b.partSpare[:0], b.part
		}
	}
	if l.field == fieldData {
		b.store(v)
	} else {
		b.part = append(b.part, v...)
		b.copied += uint64(len(v))
	}
}

func (p *Parser) heldValue() []byte {
	if p.line.field == fieldData {
		return p.block.buf[p.block.raw:]
	}
	return p.block.part
}

// repair returns v decoded, in a buffer that lives until the next push.
func (b *block) repair(v []byte) []byte {
	from := len(b.repaired)
	b.repaired = appendDecoded(b.repaired, v)
	return b.repaired[from:]
}

// addData adds a data line. A held one stands in buf already, in its place but
// as received.
func (b *block) addData(v []byte, held, valid bool) {
	b.size = b.joined() + len(v)
	switch {
	case held && valid:
	case held:
		b.buf = b.buf[:b.raw]
		b.store(v)
	case !b.hasData:
		b.lent = v
	default:
		b.intoBuf()
		b.buf = append(b.buf, '\n')
		b.store(v)
	}
	b.hasData = true
}

// data returns the data of the block and hands its part of buf over to the
// event that is made of it.
func (b *block) data() []byte {
	if b.lastInBuf = b.inBuf; !b.lastInBuf {
		return b.lent
	}
	v := b.buf[b.mark:]
	b.mark = len(b.buf)
	return v
}

// end starts the next block.
func (b *block) end() {
	b.hasData, b.inBuf, b.lent, b.size = false, false, nil, 0
	if b.hasID {
		b.id.clear()
	}
	b.hasID, b.retry = false, millis{}
	b.typ.clear()
}

// keep copies what the block has lent, so that the chunk can go.
func (b *block) keep() {
	b.copied += b.typ.keep() + b.id.keep()
	if b.hasData {
		b.intoBuf()
	}
}

// letGo leaves buf to the event that was made last, and to those before it in the push. No block
// has begun behind it.
func (b *block) letGo() bool {
	if !b.lastInBuf {
		return false
	}
	b.buf, b.mark, b.quiet, b.lastInBuf = nil, 0, 0, false
	return true
}

// reclaim takes back what the events of the last push lived in. Data of an
// unfinished block moves to the front of buf, at most once per block. partHeld
// says that the line under way is an id or event line in part.
func (b *block) reclaim(partHeld bool) {
	used := len(b.buf)
	if b.mark > 0 {
		b.buf = b.buf[:copy(b.buf, b.buf[b.mark:])]
		b.copied += uint64(len(b.buf))
		b.raw -= b.mark
		b.mark = 0
	}
	if cap(b.buf) > keepData {
		b.quiet++
		if used > keepData/4 {
			b.quiet = 0
		} else if b.quiet >= keepQuiet {
			b.buf = append([]byte(nil), b.buf...)
			b.quiet = 0
		}
	}
	if !partHeld {
		b.part = trim(b.part, keepSmall)
	}
	b.partSpare = trim(b.partSpare, keepSmall)
	b.repaired = trim(b.repaired, keepRepaired)
}

// discard drops the unfinished block and large buffers.
func (b *block) discard() {
	b.end()
	b.buf, b.mark, b.quiet = trim(b.buf, keepData), 0, 0
	b.part = trim(b.part, keepSmall)
	b.partSpare = trim(b.partSpare, keepSmall)
	b.repaired = trim(b.repaired, keepRepaired)
}
