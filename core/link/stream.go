package link

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/sse"
)

// stableAfter is how long a connection must have lasted, in milliseconds, for
// its end to count as a first cut although nothing progressed: a proxy that
// closes quiet streams every minute is not a failing server.
const stableAfter = 30_000

// emptyPoll is the least time between polls that bring no message, in
// milliseconds, however small the server's retry.
const emptyPoll = 250

// A stream that is cut soon after each event makes progress, and asks for a connection each time. churnFree
// times in a row that is a network's bad moment; then the wait doubles from churnFloor ms to churnCap, until
// a connection has lasted for churnOver (fault 739).
const (
	churnFree  = 4
	churnFloor = 50
	churnCap   = 1_000
	churnOver  = 1_000
)

// loopTries is how many more accepted closes without progress are borne after
// the hot-loop guard has tripped, now at the ladder's pace (about two minutes).
const loopTries = 8

// offlineDelay is how often a reconnect is tried while the browser says it is
// offline, in milliseconds: navigator.onLine is wrong often enough (loopback,
// VPN) that it may slow attempts down but never stop them (fault 47).
const offlineDelay = 30_000

// Stream is one event stream of the server's, over as many connections as it
// takes. It decides when to reconnect and when a connection is dead.
type Stream struct {
	Cursor     Cursor
	Duplicates uint32 // events dropped because they had been delivered before
	Once       bool   // lives for one connection: ids on it mean nothing, and to cut it is to cancel
	Reopen     bool   // may be opened again without a cursor (a GET stream for notifications)

	policy     *Policy
	state      State
	illegal    uint32      // states that were entered against the table
	at         engine.Time // StateWaiting: when to reconnect; StateOpening: until when to wait
	opening    opening
	heads      *Heads      // nil: nothing is known of the server
	floor      engine.Time // StateWaiting: the server allows no reconnect before this
	openedAt   engine.Time
	attempt    int
	retry      int64
	resumed    bool // this connection is not the first
	doubting   bool // this connection was ended, or is asked for, in doubt about the one before
	checking   bool // a replay may repeat events: ids are compared until a fresh one
	accepted   bool // of the bytes that come now some were a block, fresh or not
	news       bool // and some were fresh
	progressed bool // this connection has brought something new
	brought    bool // and that was a message, not only an id
	stranded   bool // no connection can follow this one by its cursor
	churn      int  // connections in a row that have ended soon after they had brought something
	live       liveness
	guard      loopGuard
	seen       seenIDs
}

// NewStream returns a Stream whose first exchange has been started. idle is
// the silence after which a connection counts as dead, in ms; 0 means never. policy
// stays the caller's, and must not change.
func NewStream(idle int64, policy *Policy) Stream {
	return Stream{policy: policy, at: engine.Never, opening: opening{sentAt: engine.Never}, retry: -1, live: liveness{limit: idle, proveBy: engine.Never}}
}

// Share has the stream take and leave its memory there.
func (s *Stream) Share(spare *SpareMarks) { s.seen.spare = spare }

// Attempts returns how many reconnects were tried since the last progress.
func (s *Stream) Attempts() int { return s.attempt }

// Watch has the stream learn there when its server sends heads, and act on it. Its
// first exchange starts now.
func (s *Stream) Watch(now engine.Time, heads *Heads) { s.heads, s.opening.sentAt = heads, now }

// Reconnecting notes that a further exchange was started, which may take answer ms
// until its head (0 or less: for ever), less where the server is known to be prompt, and
// more where the host shows heads late.
func (s *Stream) Reconnecting(now engine.Time, answer int64) {
	s.opening = opening{sentAt: now, within: s.heads.within(answer, s.live.limit)}
	s.enter(StateOpening)
	s.at, s.resumed = s.opening.due(), true
	if s.doubting {
		s.live.spend(now)
	}
}

// Opened notes that the head of an event stream has come.
func (s *Stream) Opened(now engine.Time) {
	s.enter(StateUp)
	s.openedAt, s.progressed, s.brought = now, false, false
	s.checking, s.doubting = s.resumed, false
	if s.opening.sentAt != engine.Never {
		s.heads.came(now.Since(s.opening.sentAt), s.resumed)
	}
	s.live.start(now, s.resumed && !s.Reopen, s.policy.Doubt(s.attempt))
}

// Arrived notes bytes, whose events were offered to Accept. keepAlive says that they were sent only to keep
// the connection open: they held a comment and no event.
func (s *Stream) Arrived(now engine.Time, keepAlive bool) {
	news := s.news || !s.accepted && !keepAlive // a part of an event
	s.accepted, s.news = false, false
	s.live.arrived(now, keepAlive, news)
}

// Retry notes the stream's reconnection time, in ms; negative for none.
func (s *Stream) Retry(ms int64) {
	if ms >= 0 {
		s.retry = ms
	}
}

// RetryValue returns the stream's reconnection time, in ms; -1 for none.
func (s *Stream) RetryValue() int64 { return s.retry }

// Accept adopts an event's id and reports whether the event is new. The cursor
// moves here and nowhere else: at a block that was dispatched (HTML 9.2.6),
// whether or not it had data.
func (s *Stream) Accept(e *sse.Event) bool {
	s.accepted = true
	if e.HasID && !s.Once {
		if s.checking && len(e.ID) > 0 {
			if s.seen.has(e.ID) {
				s.Duplicates++
				return false
			}
			// The first fresh id ends the replay's overlap; what follows is
			// not searched for again, which keeps a long resumed stream fast.
			s.checking = false
		}
		if len(e.ID) > 0 && s.state != StateOver {
			s.seen.add(e.ID)
		}
		s.Cursor.ID = append(s.Cursor.ID[:0], e.ID...)
	}
	// A block with neither (a retry alone) is not what anybody waits for: a
	// server that sends no more than that is a hot loop (fault 48).
	if e.HasID || len(e.Data) > 0 {
		s.progressed, s.news = true, true
		s.attempt = 0
		s.guard.progressed()
	}
	s.brought = s.brought || len(e.Data) > 0
	return true
}

// Break says what is to be done about a connection that ended.
type Break struct {
	Resumable bool  // false: nothing can continue this stream
	Looping   bool  // the hot-loop guard has tripped
	Delay     int64 // ms until the reconnect
	Attempt   int   // counted from 1 since the last progress
}

// Broken takes the end of a connection, or of an attempt at one, before the
// stream was complete.
func (s *Stream) Broken(now engine.Time, how engine.Ending, offline bool, random *engine.Random) Break {
	accepted := s.state == StateUp
	if !s.Reopen && !s.Cursor.Resumable() {
		s.End()
		return Break{}
	}
	looping := false
	switch {
	case accepted && now.Since(s.openedAt) >= churnOver:
		s.churn = 0
	case accepted && s.brought:
		s.churn++
	}
	switch {
	case !accepted || s.progressed:
	case now.Since(s.openedAt) >= stableAfter:
		s.attempt = 0
		s.guard.progressed()
	case s.guard.closed(now):
		looping = true
		if s.guard.after > loopTries && !s.Reopen {
			s.End()
			return Break{Looping: true}
		}
		s.attempt = max(s.attempt, 1) // the ladder's first step is for streams that progressed
	}
	s.floor = now
	if s.retry >= 0 {
		s.floor = now.After(ClampRetry(s.retry))
	}
	var delay int64
	if accepted && how == engine.EndClean && s.retry >= 0 && !looping {
		delay = PollDelay(s.retry, random)
		if s.progressed && !s.brought {
			// A fresh priming id each time and nothing else moves the cursor
			// without news: four polls a second are enough.
			delay = max(delay, emptyPoll)
		}
	} else {
		flaps := accepted && !looping && s.attempt > 0 && s.heads.mayProbe(now)
		if delay = s.policy.DelayAfterCut(s.attempt, flaps, s.retry, random); flaps {
			s.heads.probes(now.After(delay))
		}
		s.attempt++
	}
	if s.churn > churnFree && s.brought { // what brings no news has a pace of its own
		delay = max(delay, min(int64(churnFloor)<<min(s.churn-churnFree-1, 8), churnCap))
	}
	if offline {
		delay = max(delay, offlineDelay)
	}
	s.enter(StateWaiting)
	s.at = now.After(delay)
	return Break{Resumable: true, Looping: looping, Delay: delay, Attempt: max(s.attempt, 1)}
}

// AppendSeen appends to b marks of the events that were accepted since it was
// last called: they are stored with the cursor, so that a page that comes later
// knows a replay for what it is.
func (s *Stream) AppendSeen(b []byte) []byte { return s.seen.take(b) }

// UnstoreSeen has the next AppendSeen give all marks once more.
func (s *Stream) UnstoreSeen() { s.seen.fresh = len(s.seen.ring) }

// Restored puts a Stream where an earlier page left it: at a cursor, with the
// marks of what came before it and a reconnection time (ms, -1 for none), to be
// connected again at once.
func (s *Stream) Restored(now engine.Time, cursor, seen []byte, retry int64) {
	s.Cursor.ID = append(s.Cursor.ID[:0], cursor...)
	s.retry = retry
	s.enter(StateWaiting)
	s.at, s.floor = now, now
	s.seen.restore(seen)
}

// Due puts a waiting reconnect at exactly t.
func (s *Stream) Due(t engine.Time) {
	if s.state == StateWaiting {
		s.at = t
	}
}

// End notes that the stream is complete or given up.
func (s *Stream) End() {
	s.enter(StateOver)
	s.at = engine.Never
	s.seen.clear()
}

// Action is what a Stream wants done now.
type Action uint8

// The actions of a Stream.
const (
	ActionNone      Action = iota
	ActionReconnect        // start an exchange from the cursor, then call Reconnecting
	ActionAbort            // the connection is dead: abort it, then call Broken
)

// Advance returns what is due.
func (s *Stream) Advance(now engine.Time) Action {
	switch s.state {
	case StateWaiting:
		if now >= s.at {
			return ActionReconnect
		}
	case StateOpening:
		if now >= s.at {
			if now >= s.opening.due() {
				s.heads.gaveUp()
			}
			return ActionAbort
		}
	case StateUp:
		if now >= s.live.deadline() {
			// Silence is no fault of the server's pace: the first try is quick.
			s.attempt = 0
			s.doubting = s.live.died()
			return ActionAbort
		}
	}
	return ActionNone
}

// Deadline returns when Advance has something to say.
func (s *Stream) Deadline() engine.Time {
	switch s.state {
	case StateWaiting, StateOpening:
		return s.at
	case StateUp:
		return s.live.deadline()
	}
	return engine.Never
}

// Hear takes news. A reconnect that waits after failures is tried as soon as the server allows; of the
// network's return one that is parked hears as well.
func (s *Stream) Hear(n *News) (moved bool) {
	switch {
	case s.state != StateWaiting:
	case n.Kind == NewsOnline:
		s.at = max(n.Now, s.floor)
	default:
		s.at, moved = n.Sooner(s.at, s.floor)
	}
	if n.Kind == NewsWoke {
		s.live.slept(n.Gap) // the idle watch
	}
	if n.Kind != NewsVisit {
		s.Prove(n.Now, n.Within)
	}
	return moved
}

// Prove demands a sign of life within so many ms, after a thaw, a wake or a change of network: a
// reader that was frozen may never report anything again, neither bytes nor an
// error: so Chrome does after a thaw. A stream that cannot be resumed is left
// alone: to cut it would lose what might still come.
func (s *Stream) Prove(now engine.Time, within int64) {
	if s.state == StateOpening && s.resumed {
		// A reconnect whose answer got lost in the same way.
		s.at = min(s.at, now.After(within))
	}
	if s.state == StateUp && (s.Reopen || s.Cursor.Resumable() && !s.stranded) {
		s.live.prove(now, within)
	}
}

// Strand notes that no connection can follow this one by its cursor, whose session is gone: it need
// not prove that it lives, as one that cannot be resumed need not, unless it is to be opened again.
func (s *Stream) Strand() {
	s.stranded = true
	s.live.proveBy = engine.Never
	s.live.believe()
}

// Held returns for how many ms more a request is one too many that the server has refused since it holds the
// connection before it still (409); 0 where that one had not been given up in doubt alone.
func (s *Stream) Held(now engine.Time) int64 {
	if !s.doubting {
		return 0
	}
	return max(0, s.live.affordable().Since(now))
}

// NoIdle ends the watch for silence, on a connection whose keep-alives cannot
// be seen.
func (s *Stream) NoIdle() { s.live.limit = 0 }

// Hold suspends the idle watch while reading is paused from this side.
func (s *Stream) Hold(now engine.Time, held bool) { s.live.hold(now, held) }

// NotBefore postpones a waiting reconnect to at least t (a Retry-After).
func (s *Stream) NotBefore(t engine.Time) {
	if s.state == StateWaiting {
		s.at, s.floor = max(s.at, t), max(s.floor, t)
	}
}

// RetryAfter takes what the server asked for when it refused an attempt, in ms (0
// for nothing), and returns how long is waited now.
func (s *Stream) RetryAfter(now engine.Time, ms int64, random *engine.Random) int64 {
	if s.state != StateWaiting {
		return ms
	}
	if ms > 0 {
		s.floor = max(s.floor, now.After(ms))
		s.at = max(s.at, now.After(s.policy.DelayAfter(s.attempt-1, ms, random)))
	}
	return s.at.Since(now)
}

// Park postpones a waiting reconnect until Unpark, or Online.
func (s *Stream) Park() {
	if s.state == StateWaiting {
		s.at = engine.Never
	}
}

// Unpark lets a parked reconnect go on, as soon as the server allows.
func (s *Stream) Unpark(now engine.Time) {
	if s.state == StateWaiting && s.at == engine.Never {
		s.at = max(now, s.floor)
	}
}
