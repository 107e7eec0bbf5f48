package engine

import (
	"encoding/binary"
	"iter"
)

// replayHeader is what precedes the text of each event in a Replay, in bytes: its kind
// in one, its position and the length of its text in four each, little-endian.
const replayHeader = 9

// replayKeep is the most memory for packed events that is kept between inputs, in bytes.
const replayKeep = 128 << 10

// Replay appends an event that the journal brings back. Those of one call that follow
// one another are one effect: a page that comes back may have ten thousand events, and
// reads few of them.
func (q *Queue) Replay(c CallID, kind EventKind, position uint32, data []byte) {
	last := len(q.effects) - 1
	if last < q.next || q.effects[last].Kind != Replay || q.effects[last].C != c {
		q.effects = append(q.effects, Effect{Kind: Replay, C: c})
		last++
	}
	e := &q.effects[last]
	if need := replayHeader + len(data); cap(q.packed)-len(q.packed) < need {
		// Effects before this one hold the old block.
		q.packed = append(make([]byte, 0, max(2*cap(q.packed), len(e.Data)+need, 1<<10)), e.Data...)
	}
	from := len(q.packed) - len(e.Data)
	q.packed = append(q.packed, byte(kind))
	q.packed = binary.LittleEndian.AppendUint32(q.packed, position)
	q.packed = binary.LittleEndian.AppendUint32(q.packed, uint32(len(data)))
	q.packed = append(q.packed, data...)
	e.Position, e.Data = position, q.packed[from:len(q.packed):len(q.packed)]
}

// Unpacked returns the events of a Replay as effects of kind Deliver, and any other
// effect as it is. Their Data aliases that of e.
func Unpacked(e Effect) iter.Seq[Effect] {
	return func(yield func(Effect) bool) {
		if e.Kind != Replay {
			yield(e)
			return
		}
		for p := e.Data; len(p) >= replayHeader; {
			end := replayHeader + int(binary.LittleEndian.Uint32(p[5:]))
			one := Effect{Kind: Deliver, Event: EventKind(p[0]), C: e.C,
				Position: binary.LittleEndian.Uint32(p[1:]), Data: p[replayHeader:end:end]}
			if !yield(one) {
				return
			}
			p = p[end:]
		}
	}
}
