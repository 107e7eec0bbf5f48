package durable

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Log is what is stored of one record, a call or a session with an agent, and the row
// of it that waits for the next commit. A protocol's record embeds one, and says in
// AppendRow and Landed what else is to be done.
type Log struct {
	Position
	Guarantees
	ID     uint64 // names the record for ever
	Made   int64  // ms since 1970
	Bytes  int    // stored of it
	Memory bool   // the store has failed it: nothing more is written

	writer  *Writer
	of      Recorder
	plain   []byte // entries of the row that waits
	backing []byte // what plain lies in, where that is large (large_row.go)
	secret  []byte // those of its sealed part
	lent    bool   // the app is handed what lies in plain, once that is stored
	waits   bool   // for the next commit
	flying  bool   // a row is in the commit under way
	sealed  bool   // that row has a secret part
	behind  bool   // the secrets that were written last are not stored: there was no cipher
}

// NewLog returns the log of a record that nothing is stored of yet.
func NewLog(w *Writer, of Recorder, id uint64, epoch uint32, made int64) Log {
	return Log{writer: w, of: of, ID: id, Position: Position{Epoch: epoch}, Made: made}
}

// Await has a row of the log in the next commit, false where nothing is stored.
func (l *Log) Await() bool {
	if !l.writer.Open() || l.Memory {
		return false
	}
	if !l.waits {
		l.waits = true
		l.writer.Touch(l.of)
	}
	return true
}

// Write puts an entry into the next row.
func (l *Log) Write(e journal.Entry) {
	if !l.Await() {
		return
	}
	before := len(l.plain)
	l.room(len(e.Data))
	l.plain = journal.AppendEntry(l.plain, e)
	l.writer.Grow(len(l.plain) - before)
}

// WriteSecret puts an entry into the sealed part of the next row.
func (l *Log) WriteSecret(e journal.Entry) {
	if !l.Await() {
		return
	}
	before := len(l.secret)
	l.secret = journal.AppendEntry(l.secret, e)
	l.writer.Grow(len(l.secret) - before)
}

// Void takes those entries back out of the sealed part of the row that waits: they were
// written before a plain entry that makes them void.
func (l *Log) Void(isVoid func(journal.Entry) bool) {
	before := len(l.secret)
	if before == 0 {
		return
	}
	var left []byte
	row := journal.ReadRow(l.secret)
	for e, ok := row.Next(); ok; e, ok = row.Next() {
		if !isVoid(e) {
			left = journal.AppendEntry(left, e)
		}
	}
	l.secret = left
	l.writer.Grow(len(left) - before)
}

// WriteAnswer writes the answer to a question: what a person has said is sealed, and
// that there is an answer the pages that look on have to know. by is the number under
// which another page has given it, 0 for this one.
func (l *Log) WriteAnswer(id, message []byte, by uint64) {
	l.Write(journal.AnsweredEntry(id, by))
	l.WriteSecret(journal.AnswerEntry(id, message))
}

// WriteDraft writes the draft of an answer in the place of the one before, and returns
// how many bytes it has. Without a cipher it lasts as long as the page.
func (l *Log) WriteDraft(id, draft []byte) int {
	if l.behind || !l.Await() {
		return 0
	}
	before := len(l.secret)
	l.secret = journal.WithoutDraft(l.secret, id)
	l.writer.Grow(len(l.secret) - before)
	l.WriteSecret(journal.DraftEntry(id, draft))
	return len(draft)
}

// Lend returns the last n bytes that were written in plain, where they are most of the
// row's memory: that is not written to again. nil where they are not.
func (l *Log) Lend(n int) []byte {
	if 2*n <= cap(l.plain) {
		return nil
	}
	l.lent = true
	return l.plain[len(l.plain)-n:]
}

// AppendRow ends the row that waits, and appends it. With journal.OpEnded nothing but
// an ack follows.
func (l *Log) AppendRow(b []byte, flags journal.OpFlags) []byte {
	if l.sealed = len(l.secret) > 0; l.sealed {
		l.plain = journal.AppendEntry(l.plain, journal.Entry{Kind: journal.Sealed})
	} else if l.behind {
		l.promised = min(l.promised, l.Stored) // it brings none of what is missing
	}
	l.N++
	l.flying = true
	l.Bytes += len(l.plain) + len(l.secret)
	l.writer.Held += len(l.plain) + len(l.secret)
	b, taken := l.appendRow(b, journal.Op{Kind: journal.OpLog, Flags: flags, Call: l.ID, Epoch: l.Epoch,
		N: l.N, Plain: l.plain, Secret: l.secret})
	last := flags&journal.OpEnded != 0
	if l.lent || taken {
		l.plain, l.lent = nil, false
	} else {
		l.plain = l.writer.Done(l.plain, last)
	}
	if l.secret = l.secret[:0]; last {
		l.secret = nil // it may be kept for long
	}
	l.waits = false
	return b
}

// AppendApart ends the row that waits and appends it without its secrets, which take a
// moment to be sealed: a page that is being left has none. It counts as stored.
func (l *Log) AppendApart(b []byte, flags journal.OpFlags) []byte {
	l.writer.Untouch(l.of, len(l.plain)+len(l.secret))
	l.secret = l.secret[:0]
	b = l.AppendRow(b, flags)
	l.flying, l.promised = false, l.Stored
	return b
}

// Landed notes that the commit under way is stored.
func (l *Log) Landed(sealed bool) {
	l.flying = false
	if sealed {
		l.Stored = l.promised
		l.behind = l.behind && !l.sealed
		return
	}
	l.promised = l.Stored
	l.behind = l.behind || l.sealed
}

// Unstored reports whether something that was written is not stored yet.
func (l *Log) Unstored() bool { return l.waits || l.flying }

// Unwritten reports whether a row waits for the next commit.
func (l *Log) Unwritten() bool { return l.waits }

// MayGoApart reports whether the row that waits can be stored beside the commit under way: it
// has no secrets, and the row before it is not in that commit. That one may wait for its secrets to be sealed
// and never begin, and no page could read the record without it (fault 385).
func (l *Log) MayGoApart() bool { return l.waits && !l.flying && !l.behind && len(l.secret) == 0 }

// Seals reports whether the row that waits has secrets.
func (l *Log) Seals() bool { return len(l.secret) > 0 }

// Unsealed reports whether secrets were written that are not stored: there is no cipher.
func (l *Log) Unsealed() bool { return l.behind }

// Loaded notes a row as it was read.
func (l *Log) Loaded(row journal.Op) {
	size := len(row.Plain) + len(row.Secret)
	l.Bytes += size
	l.writer.Held += size
	l.Advance(row)
}

// Drop drops the row that waits.
func (l *Log) Drop() {
	if l.waits {
		l.writer.Untouch(l.of, len(l.plain)+len(l.secret))
		l.forget()
	}
}

func (l *Log) forget() { l.plain, l.backing, l.secret, l.lent, l.waits = nil, nil, nil, false, false }

// Restart begins the log again, under the epoch of its owner: those before are of other
// owners, and what one of them still writes must not count (fault 76).
func (l *Log) Restart(epoch uint32) {
	l.Drop()
	l.writer.Held -= l.Bytes
	announced := l.Announced
	*l = NewLog(l.writer, l.of, l.ID, epoch, l.Made)
	l.Announced = announced
}

// Begin stores the head of a record.
func (l *Log) Begin(head []byte) {
	l.writer.Put(journal.Op{Kind: journal.OpCall, Call: l.ID, Epoch: l.Epoch, Plain: head})
}

// BeginAgain stores a record once more: the head takes the place of all that was stored
// of it.
func (l *Log) BeginAgain(head []byte) {
	l.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: l.ID})
	l.Begin(head)
}

// Fail notes that the store has failed the record.
func (l *Log) Fail() {
	l.Memory = true
	l.forget()
}

// Disown writes nothing more: what is stored of the record is nothing of this page's.
func (l *Log) Disown() {
	l.Drop()
	l.writer.Held -= l.Bytes
	l.Memory, l.Bytes = true, 0
}

// Delete deletes the record from the store.
func (l *Log) Delete(flags journal.OpFlags) {
	l.Disown()
	l.writer.Put(journal.Op{Kind: journal.OpForget, Flags: flags, Call: l.ID})
}

// DeleteLater does so with the first commit from ridesAt on, or at that time (Writer.PutLater).
func (l *Log) DeleteLater(flags journal.OpFlags, ridesAt, by engine.Time) {
	l.Disown()
	l.writer.PutLater(journal.Op{Kind: journal.OpForget, Flags: flags, Call: l.ID}, ridesAt, by)
}
