package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// A page may have told its app of events that it has not stored when another page takes the call
// over. If the call comes back to it, the server may say them once more. They are known
// by what they say, not by how many they are: another run says something else (fault 528).

// mark stands for an event that the app was told of, and that may not be stored.
type mark struct {
	position uint32
	sum      uint64
}

// markOf returns the mark of an event.
func markOf(position uint32, kind engine.EventKind, data []byte) mark {
	const part = 512 // of a long event its two ends are looked at
	sum := engine.Digest(uint64(len(data))<<8|uint64(kind), data[:min(len(data), part)])
	return mark{position, engine.Digest(sum, data[min(len(data), max(part, len(data)-part)):])}
}

// markedStored is of how many events that are stored the marks are kept: they may be stored
// behind the seal of a page that has taken the call over, and count for nothing there.
const markedStored = 256

// noteTold notes an event that the app is told of, until it is stored for sure.
func (call *call) noteTold(c *Client, kind engine.EventKind, data []byte) {
	if c.cfg.Tabs && call.isKept() {
		call.told = append(call.told, markOf(call.position, kind, data))
	}
}

// unmark forgets the events up to a position.
func (call *call) unmark(position uint32) {
	call.told = slices.DeleteFunc(call.told, func(m mark) bool { return m.position <= position })
}

// nextPosition returns the position of an event that comes now, and whether the app has had it.
// What comes again gets the position that it had; what the app has not had comes behind
// all that it has had.
func (call *call) nextPosition(kind engine.EventKind, data []byte) (position uint32, had bool) {
	if call.position >= call.heard {
		return call.position + 1, false
	}
	sum := markOf(0, kind, data).sum
	if i := slices.IndexFunc(call.again, func(m mark) bool { return m.sum == sum }); i >= 0 {
		position = call.again[i].position
		call.again = call.again[i+1:]
		return position, true
	}
	call.again = nil
	return call.heard + 1, false
}

// deliver tells the app of an event of the call's, and writes it. What it is asked it is told again:
// whoever asked waits for the answer.
func (c *Client) deliver(call *call, kind engine.EventKind, data []byte) {
	if call.role != roleApp {
		return
	}
	position, had := call.nextPosition(kind, data)
	if position > call.position+1 && call.record != nil {
		c.write(call, journal.Entry{Kind: journal.Checkpoint, N: [3]uint64{uint64(position - 1)}})
	}
	call.position = position
	if call.record != nil {
		c.write(call, journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(kind)}, Data: withoutTask(data)})
		call.noteTold(c, kind, data)
	}
	if !had || kind == engine.EventInput {
		c.effects.Add(engine.Effect{Kind: engine.Deliver, C: call.id, Event: kind, Position: call.position,
			Data: data})
	}
}
