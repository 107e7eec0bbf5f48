package journal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// someEntry returns an entry of any kind; ids are few, so that they meet.
func someEntry(rng *rand.Rand) Entry {
	id := fmt.Appendf(nil, "%d", rng.IntN(4))
	text := fmt.Appendf(nil, "%x", rng.Uint64()>>rng.IntN(64))
	switch k := Kind(rng.IntN(int(LastKind)+8) + 1); k {
	case Sent:
		return sent(rng.Uint64N(9), rng.Uint64N(3))
	case Asked:
		return AskedEntry(id, text)
	case Answer:
		return AnswerEntry(id, text)
	case Taken:
		return Entry{Kind: k, Data: id}
	case Retry, Acked, Checkpoint:
		return number(k, rng.Uint64N(30))
	case Policy:
		return policy(rng.Int64N(9), rng.Int64N(9), rng.Int64N(9))
	case Outcome:
		if rng.IntN(4) > 0 {
			return event("rather")
		}
		failure := AppendFailure(nil, &engine.Error{Code: engine.CodeLost, Message: string(text)})
		return Entry{Kind: k, N: [3]uint64{1 + rng.Uint64N(3), rng.Uint64N(9)}, Data: failure}
	case Round:
		return Entry{Kind: k, N: [3]uint64{rng.Uint64N(2)}, Data: text}
	case Cursor, Token, State, Responses:
		return Entry{Kind: k, Data: text[:rng.IntN(len(text)+1)]}
	case Resuming:
		return Entry{Kind: k}
	}
	return event(string(text))
}

// someHistory makes entries up in an order in which a call may write them: only what is asked is answered.
func someHistory(rng *rand.Rand) []Entry {
	var history []Entry
	asked := map[string]bool{}
	for range rng.IntN(40) {
		e := someEntry(rng)
		switch e.Kind {
		case Sent:
			clear(asked)
		case Asked:
			id, _ := ReadAsked(e)
			asked[string(id)] = true
		case Answer:
			id, _ := ReadReply(e)
			if !asked[string(id)] {
				continue
			}
			delete(asked, string(id))
		case Taken:
			delete(asked, string(e.Data))
		}
		history = append(history, e)
	}
	return history
}

// Whatever rows a history of entries is cut into, it folds to the same record
// and tells of the same events.
func TestRowsFoldAsOne(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 3000 {
		entries := someHistory(rng)
		one := foldInRows(t, entries, func() bool { return false })
		each := foldInRows(t, entries, func() bool { return true })
		some := foldInRows(t, entries, func() bool { return rng.IntN(4) == 0 })
		if one != each || one != some {
			t.Fatalf("seed %d, history %d: %v\none row:      %s\nrow an entry: %s\nrandom rows:  %s", seed, n,
				entries, one, each, some)
		}
	}
}

// foldInRows folds entries, a new row wherever cut says so, and dumps it all.
func foldInRows(t *testing.T, entries []Entry, cut func() bool) string {
	t.Helper()
	r := recorded.New(Head{Method: "m"}, 0)
	var events bytes.Buffer
	each := func(kind engine.EventKind, position uint32, data []byte) {
		fmt.Fprintf(&events, " %d:%d:%s", kind, position, data)
	}
	var d draft
	flush := func() {
		if err := r.Apply(d.plain, d.secret, each); err != nil {
			t.Fatal(err)
		}
		d.reset()
	}
	for _, e := range entries {
		d.add(e)
		if cut() {
			flush()
		}
	}
	flush()
	r.Bytes = 0 // rows have headers
	return dump(r) + events.String()
}
