package durable

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

func TestIsDraft(t *testing.T) {
	for draft, want := range map[string]bool{
		"":               true,
		`{"name":"Ada"}`: true,
		`{"name":`:       false,
		`[[[[[]]]]]`:     false,
		`"` + strings.Repeat("x", journal.MaxDraft-2) + `"`: true,
		`"` + strings.Repeat("x", journal.MaxDraft-1) + `"`: false,
	} {
		if got := isDraft([]byte(draft), 4); got != want {
			t.Errorf("a draft of %d bytes, %.20s: %v", len(draft), draft, got)
		}
	}
}

// draftLog is a record that is written to an open store.
func draftLog() *Log {
	w := NewWriter(true)
	l := NewLog(&w, nil, 1, 1, 0)
	return &l
}

// TestDraftsAreWrittenAtAPace: however much is typed, no more than draftRate bytes a millisecond are written.
func TestDraftsAreWrittenAtAPace(t *testing.T) {
	for typed, want := range map[int]int64{0: 0, 400: 100, 60 << 10: 15360} {
		var d Drafts
		text := `"` + strings.Repeat("x", max(0, typed-2)) + `"`
		if typed > 0 && !d.Save([]byte("1"), []byte(text), 4, true) {
			t.Fatalf("a draft of %d bytes is not kept", typed)
		}
		d.Write(1000, draftLog())
		d.Save([]byte("2"), []byte(`1`), 4, true)
		if got := d.Due().Since(1000); got != want {
			t.Errorf("after %d bytes the next is written %d ms later", typed, got)
		}
	}
}

// TestDraftsAreTheLastOfEach: what is saved again, or withdrawn, takes the place of the one before, and what
// is answered is gone.
func TestDraftsAreTheLastOfEach(t *testing.T) {
	var d Drafts
	a, b := []byte("a"), []byte("b")
	for _, step := range []struct {
		id   []byte
		text string
		news bool
	}{{a, `1`, true}, {a, `1`, false}, {a, `2`, true}, {b, ``, false}, {b, `{`, false}, {b, `3`, true}, {b, ``, true}} {
		if news := d.Save(step.id, []byte(step.text), 4, true); news != step.news {
			t.Errorf("%s %s is news: %t", step.id, step.text, news)
		}
	}
	if string(d.Of(a)) != `2` || d.Of(b) != nil {
		t.Errorf("%s and %s", d.Of(a), d.Of(b))
	}
	log := draftLog()
	d.Write(0, log)
	var written []string
	row := journal.ReadRow(log.secret)
	for e, ok := row.Next(); ok; e, ok = row.Next() {
		id, text := journal.ReadReply(e)
		written = append(written, string(id)+string(text))
	}
	if got := strings.Join(written, " "); got != "a2 b" {
		t.Errorf("written: %s", got)
	}
	if d.Drop(a); d.Due() != engine.Never || d.Of(a) != nil {
		t.Error("what is answered has a draft")
	}
}
