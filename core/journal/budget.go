package journal

import (
	"cmp"
	"slices"
)

// Over returns which calls to forget so that what is stored fits budget bytes:
// finished ones, those made first before others, and no more than it takes.
// Unfinished calls stay, since nobody has had their outcome yet; fits is false
// where they alone are too much.
func Over(records map[uint64]*Record, budget int) (forget []uint64, fits bool) {
	left := 0
	var finished []uint64
	for call, r := range records {
		left += r.Bytes
		if r.Outcome != 0 {
			finished = append(finished, call)
		}
	}
	if left <= budget {
		return nil, true
	}
	slices.SortFunc(finished, func(a, b uint64) int {
		// Calls that were made in the same millisecond have rising numbers.
		return cmp.Or(cmp.Compare(records[a].Head.CreatedAt, records[b].Head.CreatedAt), cmp.Compare(a, b))
	})
	for i, call := range finished {
		if left <= budget {
			return finished[:i], true
		}
		left -= records[call].Bytes
	}
	return finished, left <= budget
}
