//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
)

// Streaming is how the results of a tool are incremental (SEP-1905, case 3): as
// partial-content, in any mixture of the three mechanisms. The zero value sends a
// CreateTaskResult with nothing in it, then every segment as it is made.
type Streaming struct {
	// Opening is the form of the first answer.
	Opening Opening
	// First is how many segments the first answer waits for, the end of the tool
	// permitting; 0 means that it leaves before the tool runs.
	First int
	// Lanes tells by which way each segment of a call goes; nil means Push. See
	// RandomLanes.
	Lanes func(c Call) func(seq int) Lane
	// Resume is what comes of lastSeqNr.
	Resume Resumption
	// LastWord sends a last response when the client cancels.
	LastWord bool
	// NoComplete leaves the last response out: the status alone says so.
	NoComplete bool
	// Merge changes the content of the final result; nil does not.
	Merge func(content []json.RawMessage) []json.RawMessage
	// Spoil changes a response with segments before it leaves. by is "first",
	// "stream" or "result"; n counts those of the task from 1. See Spoiling.
	Spoil func(by string, n int, response map[string]any)
}

// An Opening is one of the three initial response options.
type Opening int

const (
	// OpenBoth has the task and partial-content.
	OpenBoth Opening = iota
	// OpenTask has the task alone, like any CreateTaskResult.
	OpenTask
	// OpenParts has partial-content alone, and names the task in _meta.
	OpenParts
)

// A Lane is a mechanism by which a segment goes.
type Lane int

const (
	// Push sends the segment at once, and what waits with it.
	Push Lane = iota
	// Wait keeps it for the next response on the stream.
	Wait
	// Hold keeps it for tasks/result, at the latest for the last response.
	Hold
	// Fetch keeps it for tasks/result alone: the stream has a gap.
	Fetch
	// Never keeps it for the merged result alone: the gap stays.
	Never
)

// A Resumption is what a server makes of lastSeqNr.
type Resumption int

const (
	// FromThere sends what comes after it.
	FromThere Resumption = iota
	// FromOne sends everything from 1.
	FromOne
	// NoResumption answers with -32603.
	NoResumption
)

// RandomLanes draws Push, Wait and Hold by a seed; what befalls a call depends on
// that and its label only. gaps adds Fetch.
func RandomLanes(seed uint64, gaps bool) func(Call) func(int) Lane {
	return func(c Call) func(int) Lane {
		h := fnv.New64a()
		io.WriteString(h, c.Label)
		from := []Lane{Push, Push, Wait, Hold}
		if gaps {
			from = append(from, Fetch)
		}
		return func(seq int) Lane {
			return from[rand.New(rand.NewPCG(seed, h.Sum64()+uint64(seq))).IntN(len(from))]
		}
	}
}

// A part is one segment that a task has made.
type part struct {
	seq   int
	block json.RawMessage
	lane  Lane
	given bool // it left by some mechanism
	sent  int  // on the stream
	got   int  // by tasks/result
}

// An item waits for the next response: a segment, or what is none.
type item struct {
	part *part
	text string
}

// numbered is a content block with its seqNr, written as it is.
func numbered(seq string, block json.RawMessage) json.RawMessage {
	all := make(map[string]any)
	for k, v := range members(block) {
		all[k] = v
	}
	if seq != "" {
		all["seqNr"] = json.RawMessage(seq)
	}
	return json.RawMessage(quote(all))
}

func (s *part) String() string { return string(numbered(fmt.Sprint(s.seq), s.block)) }

// segment adds one to the task. Only in mode streaming does it travel.
func (task *task) segment(r *run, block json.RawMessage) {
	task.mu.Lock()
	s := &part{seq: len(task.parts) + 1, block: block}
	if task.lanes != nil {
		s.lane = task.lanes(s.seq)
	}
	task.parts = append(task.parts, s)
	if s.lane == Push || s.lane == Wait {
		task.waiting = append(task.waiting, item{part: s})
	}
	enough := task.opened || task.mode == "streaming" && len(task.parts) >= task.policy.Streams.First
	now := task.mode == "streaming" && enough && (s.lane == Push || !task.opened)
	task.mu.Unlock()
	task.p.changed.signal()
	if now {
		task.push(r, false, false)
	}
}

// batch takes what the next response on the stream consists of. A task whose
// stream is a JSON answer keeps everything for tasks/result after that.
func (task *task) batch(last bool) (all []json.RawMessage, ok bool) {
	if task.opened && task.origin.json {
		return nil, false
	}
	waiting := task.waiting
	task.waiting = nil
	if last {
		for _, s := range task.parts {
			if s.lane == Hold && !s.given {
				waiting = append(waiting, item{part: s})
			}
		}
		slices.SortStableFunc(waiting, func(a, b item) int {
			if a.part == nil || b.part == nil {
				return 0
			}
			return a.part.seq - b.part.seq
		})
	}
	all = []json.RawMessage{}
	for _, i := range waiting {
		if i.part == nil {
			all = append(all, json.RawMessage(i.text))
			continue
		}
		if i.part.given && i.text == "" {
			continue // tasks/result was faster
		}
		i.part.given = true
		i.part.sent++
		all = append(all, json.RawMessage(i.part.String()))
	}
	return all, true
}

// merged is the final content: "sort all segments by their seqNr, remove the
// seqNr field".
func merged(blocks []json.RawMessage, how *Streaming) []json.RawMessage {
	all := append([]json.RawMessage{}, blocks...)
	if how != nil && how.Merge != nil {
		return how.Merge(all)
	}
	return all
}
