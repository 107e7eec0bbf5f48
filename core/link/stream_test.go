package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/sse"
)

// up returns a stream whose first connection is open and has given it a cursor.
func up(now engine.Time) *Stream {
	s := NewStream(DefaultIdle, &policy)
	s.Opened(now)
	s.Accept(&sse.Event{Kind: sse.Bare, HasID: true, ID: []byte("p")})
	return &s
}

// TestStreamStates walks a stream through its life.
func TestStreamStates(t *testing.T) {
	random := engine.NewRandom(1)
	s := up(0)
	if s.State() != StateUp || s.Deadline() != DefaultIdle {
		t.Fatalf("opened: state %d, deadline %d", s.State(), s.Deadline())
	}
	b := s.Broken(1_000, engine.EndNetwork, false, &random)
	if !b.Resumable || b.Looping || b.Attempt != 1 || b.Delay >= 250 ||
		s.Deadline() != engine.Time(1_000+b.Delay) {
		t.Fatalf("broken: %+v, deadline %d", b, s.Deadline())
	}
	at := s.Deadline()
	if s.Advance(at-1) != ActionNone || s.Advance(at) != ActionReconnect {
		t.Fatal("not due when its time has come, or due before")
	}
	s.Reconnecting(at, 40_000)
	if s.State() != StateOpening || s.Attempts() != 1 || s.Advance(at+39_999) != ActionNone ||
		s.Advance(at+40_000) != ActionAbort {
		t.Fatal("a reconnect is not waited for as long as it should be")
	}
	s.End()
	if s.State() != StateOver || s.Deadline() != engine.Never || s.Advance(engine.Never-1) != ActionNone {
		t.Fatal("over, and something is due")
	}
}

// TestStreamWithoutCursor: what cannot be resumed is over at its first cut,
// unless it may be opened again.
func TestStreamWithoutCursor(t *testing.T) {
	random := engine.NewRandom(1)
	for _, reopen := range []bool{false, true} {
		s := NewStream(DefaultIdle, &policy)
		s.Reopen = reopen
		s.Opened(0)
		if b := s.Broken(1, engine.EndNetwork, false, &random); b.Resumable != reopen ||
			(s.State() == StateOver) == reopen {
			t.Errorf("reopen %v: %+v, state %d", reopen, b, s.State())
		}
	}
}

// TestStreamFloor: what the server allows outlasts everything but its own word.
func TestStreamFloor(t *testing.T) {
	random := engine.NewRandom(1)
	s := up(0)
	s.Retry(4_000)
	s.Retry(-1) // a connection that names none leaves it as it is
	s.Broken(0, engine.EndClean, false, &random)
	s.Hear(&News{Kind: NewsOnline, Now: 100, At: 100, Within: ProveWithin})
	if d := s.Deadline(); d != 4_000 {
		t.Errorf("online: due at %d", d)
	}
	s.NotBefore(9_000)
	s.Hear(&News{Kind: NewsOnline, Now: 200, At: 200, Within: ProveWithin})
	if d := s.Deadline(); d != 9_000 {
		t.Errorf("after Retry-After: due at %d", d)
	}
	s.Park()
	if d := s.Deadline(); d != engine.Never {
		t.Errorf("parked: due at %d", d)
	}
	s.Hear(&News{Kind: NewsOnline, Now: 300, At: 300, Within: ProveWithin})
	if d := s.Deadline(); d != 9_000 {
		t.Errorf("woken: due at %d", d)
	}
	s.Hear(&News{Kind: NewsOnline, Now: 20_000, At: 20_000, Within: ProveWithin})
	if d := s.Deadline(); d != 20_000 {
		t.Errorf("woken late: due at %d", d)
	}
}

// TestStreamRepeats: ids are compared from a reconnect until the first fresh
// one, and a repeated event never moves the cursor.
func TestStreamRepeats(t *testing.T) {
	random := engine.NewRandom(1)
	s := up(0)
	accept := func(id string) bool {
		return s.Accept(&sse.Event{Kind: sse.Message, HasID: true, ID: []byte(id), Data: []byte("x")})
	}
	again := func() {
		s.Broken(1, engine.EndNetwork, false, &random)
		s.Reconnecting(2, 0)
		s.Opened(3)
	}
	if !accept("1") || !accept("2") {
		t.Fatal("fresh ids are refused")
	}
	again()
	if accept("1") || accept("p") || accept("2") || !accept("3") || string(s.Cursor.ID) != "3" ||
		s.Duplicates != 3 {
		t.Fatalf("cursor %s, %d duplicates", s.Cursor.ID, s.Duplicates)
	}
	again()
	if accept("3") {
		t.Fatal("accepted again")
	}
	if s.Attempts() != 1 {
		t.Errorf("%d attempts: a repeated event counts as progress", s.Attempts())
	}
	if !s.Accept(&sse.Event{Kind: sse.Message, Data: []byte("x")}) || string(s.Cursor.ID) != "3" {
		t.Error("an event without an id is refused, or moves the cursor")
	}
	if !s.Accept(&sse.Event{Kind: sse.Message, HasID: true}) || s.Cursor.Resumable() {
		t.Error("an empty id does not clear the cursor")
	}
}

// A server that sends a fresh priming id each time and closes at once moves the
// cursor for ever without news: it is not polled at the pace of its retry: 0.
func TestEmptyPollsAreSlow(t *testing.T) {
	random := engine.NewRandom(1)
	s := NewStream(0, &policy)
	now := engine.Time(0)
	for i := range 20 {
		s.Opened(now)
		s.Retry(0)
		s.Accept(&sse.Event{Kind: sse.Bare, HasID: true, ID: []byte{byte('a' + i)}})
		if b := s.Broken(now, engine.EndClean, false, &random); b.Delay < 250 || !b.Resumable {
			t.Fatalf("poll %d after %d ms", i, b.Delay)
		}
		s.Reconnecting(now, 0)
	}
	s.Opened(now)
	s.Accept(&sse.Event{Kind: sse.Message, HasID: true, ID: []byte("z"), Data: []byte("{}")})
	if b := s.Broken(now, engine.EndClean, false, &random); b.Delay >= 250 {
		t.Errorf("a poll that brought a message is followed by one after %d ms", b.Delay)
	}
}
