package journal_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// allocated says how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Of 100,000 questions or answers, 256 are kept, and neither takes long.
func TestManyQuestions(t *testing.T) {
	var asked, answers []byte
	for i := range 100000 {
		id := fmt.Appendf(nil, "%d", i)
		asked = AppendEntry(asked, AskedEntry(id, []byte("q")))
		answers = AppendEntry(answers, AnswerEntry(id, []byte("a")))
	}
	r := recorded.New(Head{Method: "m"}, 0)
	start := time.Now()
	for _, plain := range [][]byte{asked, answers} {
		if err := r.Apply(plain, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if len(r.Asked) != 0 || len(r.Outbox) != 256 || string(r.Outbox[0].ID) != "0" ||
		string(r.Outbox[255].ID) != "255" {
		t.Errorf("%d asked, %d answers", len(r.Asked), len(r.Outbox))
	}
	// What was refused room is asked again once there is some.
	if err := apply(r, AskedEntry([]byte("900"), nil)); err != nil || len(r.Asked) != 1 {
		t.Errorf("%v, %d asked", err, len(r.Asked))
	}
}

func TestPositionsEndBeforeTheyRepeat(t *testing.T) {
	for name, rows := range map[string][][]Entry{
		"in one row":  {{number(Checkpoint, 1<<32-1), event("x")}},
		"in two":      {{number(Checkpoint, 1<<32-1)}, {event("x")}},
		"event first": {{event("x"), number(Checkpoint, 1<<32-2), event("y"), event("z")}},
	} {
		r := recorded.New(Head{Method: "m"}, 0)
		var err error
		for _, entries := range rows {
			before := dump(r)
			if err = apply(r, entries...); err != nil && dump(r) != before {
				t.Errorf("%s: changed to %s", name, dump(r))
			}
		}
		if err != ErrCorrupt {
			t.Errorf("%s: %v, %s", name, err, dump(r))
		}
	}
}

// Lengths are claims: no reader allocates by one.
func TestHugeLengths(t *testing.T) {
	length := AppendUvarint(nil, MaxSafe)
	for kind := Sent; kind <= LastKind; kind++ {
		b := append([]byte{Version, Oldest, byte(kind)}, length...)
		r := recorded.New(Head{Method: "m"}, 0)
		if n := allocated(func() {
			if err := r.Apply(b, nil, nil); err != ErrCorrupt {
				t.Errorf("kind %d: %v", kind, err)
			}
		}); n > 1<<16 {
			t.Errorf("kind %d: %d bytes allocated", kind, n)
		}
	}
	for tag := byte(1); tag < 20; tag++ {
		b := append([]byte{Version, Oldest, tag}, length...)
		if n := allocated(func() {
			_, err1 := ParseHead(b)
			_, err2 := ParseServer(b, nil)
			_, err3 := ParseFailure(b)
			if err1 != ErrCorrupt || err2 != ErrCorrupt || err3 != ErrCorrupt {
				t.Error(tag, err1, err2, err3)
			}
		}); n > 1<<16 {
			t.Errorf("tag %d: %d bytes allocated", tag, n)
		}
	}
}

// The same entry over and over leaves one of it.
func TestManyOfOne(t *testing.T) {
	for _, e := range everyKind() {
		b := bytes.Repeat(AppendEntry([]byte{Version, Oldest}, e)[2:], 20000)
		r := recorded.New(Head{Method: "m"}, 0)
		if err := r.Apply(append([]byte{Version, Oldest}, b...), nil, nil); err != nil {
			t.Fatalf("kind %d: %v", e.Kind, err)
		}
		if held(r) > len(e.Data) {
			t.Errorf("kind %d: %d bytes held", e.Kind, held(r))
		}
	}
}

func TestNumbersOfAHostilePolicy(t *testing.T) {
	r := fold(t, []Entry{{Kind: Policy, N: [3]uint64{MaxSafe, MaxSafe, MaxSafe}}, number(Retry, MaxSafe)})
	if p := r.Policy; p.MinWait != MaxSafe || p.MaxWait != MaxSafe || r.Retry != MaxSafe {
		t.Errorf("%+v", p)
	}
}
