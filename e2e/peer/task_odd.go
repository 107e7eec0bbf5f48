//go:build !js

package peer

import (
	"encoding/json"
	"slices"
)

// A SegmentOddity is what a server of segments must not do (faults 95 to 103).
type SegmentOddity int

const (
	// SegmentTwice repeats each segment of the response in it.
	SegmentTwice SegmentOddity = iota + 1
	// SegmentChanged repeats each with other bytes under the same seqNr.
	SegmentChanged
	// SegmentsReversed turns their order around.
	SegmentsReversed
	// SegmentsMissing takes them out: nobody knows why.
	SegmentsMissing
	// SegmentsOdd adds one for each seqNr that is none: see OddSeqNrs.
	SegmentsOdd
	// SegmentJump adds one with the seqNr 2^53-1.
	SegmentJump
	// SegmentAhead adds one with a seqNr that is 1,000,000 further on.
	SegmentAhead
	// TaskForeign names another task in _meta.
	TaskForeign
	// CompleteEarly says isComplete whatever is missing.
	CompleteEarly
	// CompleteLate takes isComplete back, or leaves it out of the last response.
	CompleteLate
	// CompleteOdd makes isComplete a string.
	CompleteOdd
)

// OddSeqNrs are values of seqNr that are not positive integers a client can
// count with; "" stands for none at all.
var OddSeqNrs = []string{
	"0", "-1", "1.5", `"3"`, "null", "", "true", "[1]", "9007199254740992", "9007199254740993", "1e400",
}

// Spoiling makes a Streaming.Spoil that does all of that to the responses of one
// mechanism ("first", "stream", "result"; "" means all), to the n-th only unless
// n is 0.
func Spoiling(by string, n int, odd ...SegmentOddity) func(string, int, map[string]any) {
	return func(which string, i int, response map[string]any) {
		if by != "" && by != which || n != 0 && n != i {
			return
		}
		for _, o := range odd {
			o.spoil(response)
		}
	}
}

func (o SegmentOddity) spoil(response map[string]any) {
	all, _ := response["partial-content"].([]json.RawMessage)
	extra := func(seqs ...string) {
		for _, seq := range seqs {
			all = append(all, numbered(seq, json.RawMessage(`{"type":"text","text":"odd"}`)))
		}
	}
	switch o {
	case SegmentTwice:
		all = append(all, all...)
	case SegmentChanged:
		for _, s := range slices.Clone(all) {
			all = append(all, numbered(string(field(s, "seqNr")),
				json.RawMessage(`{"type":"text","text":"changed"}`)))
		}
	case SegmentsReversed:
		slices.Reverse(all)
	case SegmentsMissing:
		all = []json.RawMessage{}
	case SegmentsOdd:
		extra(OddSeqNrs...)
	case SegmentJump:
		extra("9007199254740991")
	case SegmentAhead:
		extra("1000000")
	case TaskForeign:
		response["_meta"] = map[string]any{
			metaTask: map[string]any{"taskId": "00000000-dead-beef-0000-000000000000"}}
	case CompleteEarly:
		response["isComplete"] = true
	case CompleteLate:
		if response["isComplete"] = false; len(all) == 0 {
			delete(response, "isComplete")
		}
	case CompleteOdd:
		response["isComplete"] = "true"
	}
	if response["partial-content"] != nil {
		response["partial-content"] = all
	}
}
