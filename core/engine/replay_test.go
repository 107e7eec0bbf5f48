package engine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestReplay: what goes in comes out, in its order among the other effects, whatever
// its size, and in one effect for what belongs together.
func TestReplay(t *testing.T) {
	var q Queue
	var want []string
	note := func(e Effect) string {
		return fmt.Sprintf("%d %d c%d #%d %d:%.9s", e.Kind, e.Event, e.C, e.Position, len(e.Data), e.Data)
	}
	for round := range 3 {
		q.Reset()
		want = want[:0]
		add := func(e Effect) {
			q.Add(e)
			want = append(want, note(e))
		}
		replay := func(c CallID, position uint32, text string) {
			q.Replay(c, EventProgress, position, []byte(text))
			want = append(want,
				note(Effect{Kind: Deliver, Event: EventProgress, C: c, Position: position,
					Data: []byte(text)}))
		}
		add(Effect{Kind: Recall, C: 1})
		for position := range uint32(100) {
			replay(1, position+1, strings.Repeat("x", int(position)*round))
		}
		replay(2, 1, "")
		add(Effect{Kind: Deliver, Event: EventTask, C: 2, Position: 1})
		replay(2, 2, strings.Repeat("y", 200_000*round))
		replay(2, 3, "z")
		var got []string
		effects := 0
		for e, ok := q.Next(); ok; e, ok = q.Next() {
			effects++
			e.Data = bytes.Clone(e.Data)
			for one := range Unpacked(e) {
				got = append(got, note(one))
			}
		}
		if effects != 5 {
			t.Errorf("round %d: %d effects, want 5", round, effects)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("round %d:\n%s\nwant:\n%s", round, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestReplayAfterWasTaken: an effect that the host has is not added to.
func TestReplayAfterWasTaken(t *testing.T) {
	var q Queue
	q.Replay(1, EventLog, 1, []byte("a"))
	first, _ := q.Next()
	q.Replay(1, EventLog, 2, []byte("b"))
	second, ok := q.Next()
	if !ok || first.Position != 1 || second.Position != 2 || len(first.Data) != len(second.Data) {
		t.Errorf("%+v, %+v, %v", first, second, ok)
	}
}
