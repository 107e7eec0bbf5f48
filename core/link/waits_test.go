package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// heard is something that waits, and notes what it hears.
type heard struct {
	last  News
	moves bool
}

func (h *heard) Hear(n *News) bool {
	h.last = *n
	return h.moves
}

// TestWaitsTellEachAlike: all that waits hears the same of its page, and whoever has come hastens no more
// often than visits may.
func TestWaitsTellEachAlike(t *testing.T) {
	var effects engine.Queue
	w := NewWaits(&effects, ProveShown)
	first, second := &heard{}, &heard{moves: true}
	w.Register(first)
	w.Register(second)
	for _, row := range []struct {
		name  string
		input func(engine.Time)
		want  News
	}{
		{"online", w.Online, News{Kind: NewsOnline, Now: 100, At: 100, Within: ProveWithin}},
		{"visited", w.Visited, News{Kind: NewsVisit, Now: 100, At: 100, Within: ProveWithin}},
		{"visited again", w.Visited, News{Kind: NewsVisit, Now: 100, At: 100 + visitEvery, Within: ProveWithin}},
		{"shown", w.Shown, News{Kind: NewsShown, Now: 100, At: 100, Within: ProveShown}},
		{"woke", func(now engine.Time) { w.Woke(now, 7) },
			News{Kind: NewsWoke, Now: 100, At: 100, Gap: 7, Within: ProveWithin}},
	} {
		if row.input(100); first.last != row.want || second.last != row.want {
			t.Errorf("%s: %+v and %+v", row.name, first.last, second.last)
		}
	}
	w.Offline(100)
	if !w.IsOffline {
		t.Error("it does not know that it is offline")
	}
	if w.Online(100); w.IsOffline {
		t.Error("it does not know that it is online")
	}
}
