package segments

import (
	"fmt"
	"testing"
)

// What is held of segments has a bound, however small each of them is.
func TestSegmentsAreBounded(t *testing.T) {
	for _, step := range []int{1, 2} { // each told, and each behind a gap
		var s Tracker
		told, verdict := 0, Fresh
		for n := step; verdict == Fresh && n < 1<<21; n++ {
			verdict = s.Add(fmt.Appendf(nil, `{"seqNr":%d}`, n), func([]byte) { told++ })
		}
		if held := len(s.ordered) + len(s.held); held > 1<<20 || step == 2 && held > window {
			t.Errorf("%d segments are held", held)
		}
		if want := map[int]Verdict{1: TooMuch, 2: TooFar}[step]; verdict != want {
			t.Errorf("the verdict is %d, want %d", verdict, want)
		}
		if (told > 0) != (step == 1) {
			t.Errorf("%d are told", told)
		}
	}
}

// What is missing is named from the first number to the last before what is held.
func TestSegmentsMissing(t *testing.T) {
	var s Tracker
	for _, n := range []int{1, 2, 7, 9} {
		s.Add(fmt.Appendf(nil, `{"seqNr":%d}`, n), func([]byte) {})
	}
	if from, to := s.Missing(); from != 3 || to != 6 || s.Gapless() || s.Last() != 2 {
		t.Errorf("%d to %d are missing after %d", from, to, s.Last())
	}
	for _, n := range []int{3, 4, 5, 6, 8} {
		s.Add(fmt.Appendf(nil, `{"seqNr":%d}`, n), func([]byte) {})
	}
	if !s.Gapless() || s.Last() != 9 || len(s.held) != 0 {
		t.Error("something is missing still")
	}
	if got, want := string(s.AppendResult(nil)), `{"content":[{},{},{},{},{},{},{},{},{}]}`; got != want {
		t.Errorf("got %s", got)
	}
}
