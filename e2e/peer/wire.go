//go:build !js

package peer

import "sync/atomic"

// wire is how bytes leave the Peer, whatever they are.
type wire struct {
	bytes  atomic.Int64
	buffer atomic.Bool
}

func (w *wire) piece(whole int) int {
	if n := int(w.bytes.Load()); n > 0 {
		return n
	}
	return max(whole, 1)
}

func (w *wire) buffering() bool { return w.buffer.Load() }

// Dribble makes event streams leave n bytes per chunk, each flushed by itself;
// 0 goes back to one chunk per event.
func (p *Peer) Dribble(n int) { p.wire.bytes.Store(int64(n)) }

// Buffer keeps the bodies of event streams back until they end, as a buffering
// proxy does (fault 32). Headers still leave at once.
func (p *Peer) Buffer(on bool) { p.wire.buffer.Store(on) }
