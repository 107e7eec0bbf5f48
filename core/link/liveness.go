package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// Milliseconds of silence after which a stream counts as dead. A half-open
// TCP connection reports nothing at all (fault 40), so silence is
// the only sign.
const (
	// DefaultIdle is the limit where nothing is known of the server: MCP
	// clients in use give a silent stream 180 s.
	DefaultIdle = 180_000
	// minIdle is the lowest limit that is derived from observed keep-alives.
	minIdle = 30_000
	// ProveWithin is how long a stream has to show a sign of life after a
	// thaw: with the reconnect it stays under the 2 s of fault 85.
	ProveWithin = 1_000
	// ProveShown is the same for a tab that was only hidden: longer than the
	// 15 s at which the official SDKs' servers send keep-alives.
	ProveShown = 20_000
	// firstDoubt is how long a resumed connection may be silent before it is
	// resumed once more. Servers exist that replay what was missed and then
	// never send anything live on that connection (server-everything 2026.8.31,
	// whose event store returns the wrong stream). Doubt doubles each time, so
	// a server that is merely quiet is asked six times more, then left alone.
	firstDoubt = 5_000
	// patientDoubt is the same where the connection took more than one attempt:
	// a server that was away or had too much to do is not asked twice by everybody
	// just when it is back. The official SDKs' servers send keep-alives in less.
	patientDoubt = 20_000
	// liveAfter is when bytes on a resumed connection count as live rather
	// than as its replay.
	liveAfter = 1_000
	// firstMute is how long a resumed connection may bring keep-alives and nothing
	// more before it is resumed once more: they are signs of life of the connection, and not of
	// the call. It doubles each time, up to lastMute. So a tool that is merely quiet
	// costs its server few requests: muteBurst at once and one each lastMute, which makes 20 in any hour.
	firstMute = 30_000
	lastMute  = 300_000
	muteBurst = 8
	// keepAlives is how many are seen before their interval is believed.
	keepAlives = 3
)

// liveness watches one connection for silence.
type liveness struct {
	limit    int64 // the configured limit, ms
	lastByte engine.Time
	proveBy  engine.Time // Never unless proof is demanded
	beats    int         // keep-alives seen
	lastBeat engine.Time // the last one, or the start of the connection
	interval int64       // longest time from one to the next, ms
	held     bool        // reading is paused from our side: silence means nothing
	opened   engine.Time
	doubted  bool        // resumed, and nothing live has come since
	doubt    int64       // ms of silence that a doubted connection is given
	unproven bool        // resumed, and no event has come live since
	newsAt   engine.Time // of the last event, or the start of the connection
	mute     int64       // ms of keep-alives alone that an unproven connection is given
	paidTo   engine.Time // up to when the requests that doubt has cost are paid off
}

// start begins to watch a connection; doubted says that it was resumed and may
// turn out to be a replay and nothing more, and doubt for how many ms it may be silent at first.
func (l *liveness) start(now engine.Time, doubted bool, doubt int64) {
	l.lastByte, l.lastBeat, l.proveBy = now, now, engine.Never
	l.opened, l.newsAt = now, now
	l.doubted, l.unproven = doubted, doubted
	l.doubt, l.mute = max(l.doubt, doubt), max(l.mute, firstMute)
}

func firstDoubtAfter(attempts int) int64 {
	if attempts > 1 {
		return patientDoubt
	}
	return firstDoubt
}

// died notes that silence, or keep-alives alone, ended the connection. It reports whether that was in doubt.
func (l *liveness) died() (doubtful bool) {
	switch {
	case l.doubted:
		l.doubt = min(2*l.doubt, max(l.limit, firstDoubt)) // must not overflow in days of silence
	case l.unproven:
		l.mute = min(2*l.mute, lastMute)
	}
	return l.unproven
}

// spend notes a request that was made in doubt.
func (l *liveness) spend(now engine.Time) { l.paidTo = max(l.paidTo, now).After(lastMute) }

// affordable returns from when on another one is none too many.
func (l *liveness) affordable() engine.Time { return l.paidTo - (muteBurst-1)*lastMute }

// arrived notes bytes; beat says that they were a keep-alive, and news that they were of
// the call. The interval runs from beat to beat: a server's timer may go on while events
// come, so the quiet before a beat can be far shorter than its period.
func (l *liveness) arrived(now engine.Time, beat, news bool) {
	if beat {
		l.beats++
		l.interval = max(l.interval, now.Since(l.lastBeat))
		l.lastBeat = now
	}
	l.lastByte, l.proveBy = now, engine.Never
	if news {
		l.newsAt = now
	}
	if l.unproven && now.Since(l.opened) >= liveAfter {
		l.doubted = false
		if news {
			l.believe()
		}
	}
}

// believe ends the doubt about the connection.
func (l *liveness) believe() {
	l.doubted, l.unproven, l.doubt, l.mute = false, false, 0, 0
}

// idle returns the limit in force: lower where the server has shown at which
// interval it sends keep-alives, four of which it may miss.
func (l *liveness) idle() int64 {
	limit := l.limit
	if l.doubted {
		limit = min(limit, l.doubt)
	}
	if l.beats < keepAlives {
		return limit
	}
	return min(limit, max(minIdle, 4*l.interval))
}

// prove demands a byte within so many ms, or sooner if one was demanded.
func (l *liveness) prove(now engine.Time, within int64) {
	l.proveBy = min(l.proveBy, now.After(within))
}

// slept moves the watch on by a gap during which this side could not see.
func (l *liveness) slept(gap int64) {
	l.lastByte, l.newsAt = l.lastByte.After(gap), l.newsAt.After(gap)
}

// hold suspends the watch while reading is paused from our side.
func (l *liveness) hold(now engine.Time, held bool) {
	l.held = held
	l.lastByte, l.newsAt = now, now
	if l.proveBy != engine.Never {
		l.proveBy = max(l.proveBy, now.After(ProveWithin)) // it could not prove anything unread
	}
}

// deadline returns when the stream counts as dead.
func (l *liveness) deadline() engine.Time {
	if l.held {
		return engine.Never
	}
	by := l.proveBy
	if l.limit > 0 {
		by = min(by, l.lastByte.After(l.idle()))
	}
	if l.unproven && !l.doubted {
		by = min(by, max(l.newsAt.After(l.mute), l.affordable()))
	}
	return by
}
