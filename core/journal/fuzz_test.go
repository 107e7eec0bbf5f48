//go:build !js

package journal_test

// In a browser there is no corpus folder. What the fuzz tests check is also run
// over all damages of good records by corrupt_test.go, there too.

import (
	"bytes"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

func FuzzApply(f *testing.F) {
	for _, last := range someOutcomes() {
		plain, secret := row(append(everyKind(), last)...)
		f.Add(plain, secret)
	}
	for _, e := range everyKind() {
		plain, secret := row(e)
		f.Add(plain, secret)
	}
	f.Fuzz(func(t *testing.T, plain, secret []byte) {
		checkApply(t, plain, secret)
		checkCanonical(t, plain)
		checkDraft(t, plain, secret)
	})
}

// checkCanonical: entries have one form, so that a row which reads without skips
// is what the writer makes of its entries.
func checkCanonical(t *testing.T, b []byte) {
	t.Helper()
	var again []byte
	row := ReadRow(b)
	for {
		start := len(b) - row.Rest()
		e, ok := row.Next()
		if !ok {
			break
		}
		again = AppendEntry(again[:0], e)
		if end := len(b) - row.Rest(); !bytes.HasSuffix(b[start:end], again[2:]) {
			t.Fatalf("%x read as %+v, written as %x", b[start:end], e, again[2:])
		}
	}
}

// checkDraft: one row made of any entries folds as a row for each.
func checkDraft(t *testing.T, parts ...[]byte) {
	t.Helper()
	var entries []Entry
	for _, b := range parts {
		more, err := readAll(b)
		if err != nil {
			return
		}
		entries = append(entries, more...)
	}
	one, each := recorded.New(Head{Method: "m"}, 0), recorded.New(Head{Method: "m"}, 0)
	if err := apply(one, entries...); err != nil {
		return
	}
	for _, e := range entries {
		if err := apply(each, e); err != nil {
			t.Fatal(err)
		}
	}
	one.Bytes = each.Bytes
	if dump(one) != dump(each) {
		t.Fatalf("%v\none row %s\nrow each %s", entries, dump(one), dump(each))
	}
}

func FuzzParseHead(f *testing.F) {
	h := fullHead()
	f.Add(AppendHead(nil, &h))
	f.Fuzz(func(t *testing.T, b []byte) { checkHead(t, b) })
}

func FuzzReadOps(f *testing.F) {
	var b []byte
	for _, op := range someOps() {
		b = AppendOp(b, op)
		f.Add(AppendOp(nil, op))
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { checkOps(t, b) })
}

func FuzzParseServer(f *testing.F) {
	for _, s := range goldenServers() {
		plain, secret := AppendServer(&s)
		f.Add(plain, secret)
	}
	f.Fuzz(func(t *testing.T, plain, secret []byte) { checkServer(t, plain, secret) })
}

func FuzzParseFailure(f *testing.F) {
	f.Add(someOutcomes()[2].Data)
	f.Fuzz(func(t *testing.T, b []byte) { checkFailure(t, b) })
}
