package durable

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// draftRate bounds what is written while a person types, in bytes per ms: each draft is a
// row more of the record's log, and a small form is written at each key.
const draftRate = 4

// Drafts are the answers that a person has begun to what was asked in one record. They are not for the other
// side, and gone with the answer. The zero value has none.
type Drafts struct {
	all []*draft    // in the order of their saving
	at  engine.Time // when the next may be written
}

// draft is one of them, by the id that the journal has for what was asked. It is JSON, and empty where it was
// withdrawn.
type draft struct {
	id, text []byte
	unsent   bool // it is not written yet
}

// Save keeps a draft in the place of the one before; none withdraws that. Reports whether it is news: not
// where it is the same, or cannot be kept. With unsent it is to be written.
func (d *Drafts) Save(id, text []byte, depth int, unsent bool) bool {
	if !isDraft(text, depth) || bytes.Equal(d.Of(id), text) {
		return false
	}
	d.Drop(id)
	if len(text) > 0 || unsent {
		d.all = append(d.all, &draft{bytes.Clone(id), append([]byte(nil), text...), unsent})
	}
	return true
}

// isDraft reports whether the answer that a person has begun can be kept: JSON nested no
// deeper than depth and no longer than journal.MaxDraft, or nothing, which withdraws one.
func isDraft(text []byte, depth int) bool {
	return len(text) == 0 || len(text) <= journal.MaxDraft && jsonrpc.Valid(text, depth) == nil
}

// Of returns the draft of the answer to the question with that id, nil for none.
func (d *Drafts) Of(id []byte) []byte {
	if i := d.find(id); i >= 0 {
		return d.all[i].text
	}
	return nil
}

// Drop forgets the draft of what is answered.
func (d *Drafts) Drop(id []byte) {
	if i := d.find(id); i >= 0 {
		d.all = append(d.all[:i], d.all[i+1:]...)
	}
}

func (d *Drafts) find(id []byte) int {
	for i, one := range d.all {
		if bytes.Equal(one.id, id) {
			return i
		}
	}
	return -1
}

// Due returns when Write has something to write.
func (d *Drafts) Due() engine.Time {
	for _, one := range d.all {
		if one.unsent {
			return d.at
		}
	}
	return engine.Never
}

// Write writes those that are not written yet, the last of each; nowhere where the log is nil. The next are
// due by how much that was.
func (d *Drafts) Write(now engine.Time, log *Log) {
	written := 0
	for _, one := range d.all {
		if one.unsent && log != nil {
			written += log.WriteDraft(one.id, one.text)
		}
		one.unsent = false
	}
	d.at = now.After(int64(written / draftRate))
}

// Rewrite writes all of them, into a log that begins again.
func (d *Drafts) Rewrite(log *Log) {
	for _, one := range d.all {
		if one.unsent = false; len(one.text) > 0 {
			log.WriteDraft(one.id, one.text)
		}
	}
}

// Restore brings back what is stored of the answer to a question. What is no JSON would spoil the event that
// it goes into.
func (d *Drafts) Restore(id, text []byte, depth int) {
	if d.Drop(id); jsonrpc.Valid(text, depth) == nil {
		d.all = append(d.all, &draft{id: id, text: text})
	}
}
