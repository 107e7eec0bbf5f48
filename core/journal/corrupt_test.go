package journal_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// damages yields b with each byte changed in several ways, and cut at each.
func damages(b []byte, yield func([]byte)) {
	for i := range b {
		for _, c := range []byte{0, 1, 0x7f, 0x80, 0xff, b[i] ^ 1, b[i] ^ 0x80, b[i] + 1} {
			bad := bytes.Clone(b)
			bad[i] = c
			yield(bad)
		}
		yield(bytes.Clone(b[:i]))
		yield(slices.Delete(bytes.Clone(b), i, i+1))
		yield(slices.Insert(bytes.Clone(b), i, 0))
	}
}

// checkApply applies a row of any bytes to a record with a past. It may fold or
// fail, and in failing changes nothing and tells of nothing.
func checkApply(t *testing.T, plain, secret []byte) {
	t.Helper()
	r := fold(t, everyKind())
	before, had, position := dump(r), held(r), r.Position
	events := 0
	err := r.Apply(plain, secret, func(kind engine.EventKind, at uint32, data []byte) {
		if events++; at <= position || kind == 0 {
			t.Fatalf("position %d after %d, kind %d", at, position, kind)
		}
		position = at
	})
	if err != nil {
		if after := dump(r); err != ErrCorrupt && err != ErrNewer || after != before || events > 0 {
			t.Fatalf("%v, %d events\n%s\n%s", err, events, before, after)
		}
		return
	}
	switch {
	case held(r) > had+len(plain)+len(secret):
		t.Fatalf("%d bytes became %d", len(plain)+len(secret), held(r)-had)
	case r.Position < position, r.Acked > r.Position, r.Checkpoint > r.Position:
		t.Fatalf("positions: %s", dump(r))
	case len(r.Asked) > 256 || len(r.Outbox) > 256:
		t.Fatalf("%d asked, %d answered", len(r.Asked), len(r.Outbox))
	case r.Outcome > engine.OutcomeFailure, (r.Outcome == engine.OutcomeFailure) != (r.Failure != nil):
		t.Fatalf("outcome: %s", dump(r))
	}
}

func TestDamagedRows(t *testing.T) {
	for _, last := range someOutcomes() {
		plain, secret := row(append(everyKind(), last)...)
		damages(plain, func(bad []byte) { checkApply(t, bad, secret) })
		damages(secret, func(bad []byte) { checkApply(t, plain, bad) })
	}
}

// Bytes taken off the end are noticed but where an entry ends: a row is as long
// as its transaction made it, and a host that cuts one cuts it in two.
func TestTruncatedRows(t *testing.T) {
	entries := everyKind()
	plain := []byte(nil)
	ends := map[int]bool{}
	for _, e := range entries {
		plain = AppendEntry(plain, e)
		ends[len(plain)] = true
	}
	for n := 3; n < len(plain); n++ {
		if _, err := readAll(plain[:n]); (err == nil) != ends[n] {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

func TestDamagedHeads(t *testing.T) {
	h := fullHead()
	damages(AppendHead(nil, &h), func(bad []byte) { checkHead(t, bad) })
}

func TestDamagedServers(t *testing.T) {
	s := goldenServers()[1]
	plain, secret := AppendServer(&s)
	damages(plain, func(bad []byte) { checkServer(t, bad, secret) })
	damages(secret, func(bad []byte) { checkServer(t, plain, bad) })
}

func TestDamagedFailures(t *testing.T) {
	damages(someOutcomes()[2].Data, func(bad []byte) { checkFailure(t, bad) })
}

// checkHead reads any bytes as a head. What reads is what the writer's form of
// it reads as, and that form is no longer.
func checkHead(t *testing.T, b []byte) {
	t.Helper()
	h, err := ParseHead(b)
	if err != nil {
		if err != ErrCorrupt && err != ErrNewer || h.Method != "" {
			t.Fatalf("%+v, %v", h, err)
		}
		return
	}
	form := AppendHead(nil, &h)
	again, err := ParseHead(form)
	// Fields that are written though empty are those of a header's value.
	if err != nil || dump(recorded.New(again, 0)) != dump(recorded.New(h, 0)) ||
		len(form) > len(b)+2*len(h.Header) {
		t.Fatalf("%+v from %d bytes\nbecame %+v in %d, %v", h, len(b), again, len(form), err)
	}
}

func checkServer(t *testing.T, plain, secret []byte) {
	t.Helper()
	s, err := ParseServer(plain, secret)
	if err != nil {
		if err != ErrCorrupt && err != ErrNewer || s.Revision != "" {
			t.Fatalf("%+v, %v", s, err)
		}
		return
	}
	p, q := AppendServer(&s)
	again, err := ParseServer(p, q)
	p2, q2 := AppendServer(&again)
	if err != nil || !bytes.Equal(p, p2) || !bytes.Equal(q, q2) || len(p) > len(plain)+2 ||
		len(q) > len(secret) {
		t.Fatalf("%+v became %+v, %v", s, again, err)
	}
}

func checkFailure(t *testing.T, b []byte) {
	t.Helper()
	e, err := ParseFailure(b)
	if err != nil {
		if err != ErrCorrupt && err != ErrNewer || e != nil {
			t.Fatalf("%+v, %v", e, err)
		}
		return
	}
	form := AppendFailure(nil, e)
	again, err := ParseFailure(form)
	if err != nil || len(form) > len(b) || !bytes.Equal(AppendFailure(nil, again), form) {
		t.Fatalf("%s became %s, %v", dumpFailure(e), dumpFailure(again), err)
	}
}
