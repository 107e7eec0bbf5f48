package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// Milliseconds of silence after which a stream counts as dead. A half-open
// TCP connection reports nothing at all (RELIABILITY fault 40), so silence is
// the only sign.
const (
	// DefaultIdle is the limit where nothing is known of the server: the
	// HTTP-stream seed closes a stream after 180 s.
	DefaultIdle = 180_000
	// minIdle is the lowest limit that is derived from observed keep-alives.
	minIdle = 30_000
	// ProveWithin is how long a stream has to show a sign of life after a
	// thaw: with the reconnect it stays under the 2 s of fault 85.
	ProveWithin = 1_000
	// keepAlives is how many are seen before their interval is believed.
	keepAlives = 3
)

// liveness watches one connection for silence.
type liveness struct {
	limit    int64 // the configured limit, ms
	lastByte engine.Time
	proveBy  engine.Time // Never unless proof is demanded
	beats    int         // keep-alives: arrivals that held no event
	interval int64       // longest gap before a keep-alive, ms
	held     bool        // reading is paused from our side: silence means nothing
}

// start begins to watch a connection.
func (l *liveness) start(now engine.Time) {
	l.lastByte, l.proveBy, l.held = now, engine.Never, false
}

// arrived notes bytes; beat says that they held no event (a comment).
func (l *liveness) arrived(now engine.Time, beat bool) {
	if beat {
		l.beats++
		l.interval = max(l.interval, now.Since(l.lastByte))
	}
	l.lastByte, l.proveBy = now, engine.Never
}

// idle returns the limit in force: lower where the server has shown at which
// interval it sends keep-alives, four of which it may miss.
func (l *liveness) idle() int64 {
	if l.beats < keepAlives {
		return l.limit
	}
	return min(l.limit, max(minIdle, 4*l.interval))
}

// prove demands a byte within ProveWithin.
func (l *liveness) prove(now engine.Time) {
	if l.proveBy == engine.Never {
		l.proveBy = now.After(ProveWithin)
	}
}

// slept moves the watch on by a gap during which this side could not see.
func (l *liveness) slept(gap int64) { l.lastByte = l.lastByte.After(gap) }

// hold suspends the watch while reading is paused from our side.
func (l *liveness) hold(now engine.Time, held bool) {
	l.held = held
	l.lastByte = now
}

// deadline returns when the stream counts as dead.
func (l *liveness) deadline() engine.Time {
	if l.held {
		return engine.Never
	}
	if l.limit <= 0 {
		return l.proveBy
	}
	return min(l.lastByte.After(l.idle()), l.proveBy)
}
