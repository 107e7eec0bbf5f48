package journal_test

import (
	"slices"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
)

// draft is a row in the making, as every writer has to make it: entries are
// folded plain part first, whatever order they came in, and add keeps the two
// parts such that this comes to the same.
type draft struct{ plain, secret []byte }

// isSecret reports whether entries of kind k belong in the secret part of a row.
func isSecret(k Kind) bool { return k == Cursor || k == Token || k == State || k == TaskState }

// add appends e to the part in which it belongs.
func (d *draft) add(e Entry) {
	// A stream's cursor goes with it, a policy's token and a round's state too:
	// left in the row, they would be taken for the next one's.
	switch e.Kind {
	case Sent:
		d.drop(Cursor)
		d.drop(TaskState)
	case Cursor:
		d.drop(Cursor)
	case Policy, Token:
		d.drop(Token)
	case Round, State:
		d.drop(State)
	case Task, TaskState:
		d.drop(TaskState)
	}
	if isSecret(e.Kind) {
		d.secret = AppendEntry(d.secret, e)
	} else {
		d.plain = AppendEntry(d.plain, e)
	}
}

// reset empties d and keeps its memory.
func (d *draft) reset() { d.plain, d.secret = d.plain[:0], d.secret[:0] }

// drop takes the entry of kind k out of the secret part; there is one at most.
func (d *draft) drop(k Kind) {
	row := ReadRow(d.secret)
	for {
		start := len(d.secret) - row.Rest()
		e, ok := row.Next()
		if !ok {
			return
		}
		if e.Kind != k {
			continue
		}
		d.secret = slices.Delete(d.secret, start, len(d.secret)-row.Rest())
		if len(d.secret) == 2 { // the header alone
			d.secret = d.secret[:0]
		}
		return
	}
}

// A draft keeps the last secret of each sort, and nothing of what it replaced.
func TestDraftDropsWhatIsReplaced(t *testing.T) {
	var d draft
	for _, e := range []Entry{
		data(Cursor, "c1"), policy(1, 2, 3), data(Token, "t1"), data(Cursor, "c2"), stated("r1"), data(State, "s1"),
		stated("r2"), data(State, "s2"), data(Cursor, "c3"),
	} {
		d.add(e)
	}
	got, err := readAll(d.secret)
	if err != nil || len(got) != 3 || string(got[0].Data) != "t1" || string(got[1].Data) != "s2" || string(got[2].Data) != "c3" {
		t.Errorf("%v, %v", got, err)
	}
	d.add(policy(4, 5, 6))
	d.add(sent(1, 1))
	d.add(data(Round, "r3"))
	if len(d.secret) != 0 {
		t.Errorf("an empty secret part is %v", d.secret)
	}
	for _, e := range everyKind() {
		if p, _ := row(e); isSecret(e.Kind) != (len(p) == 0) {
			t.Errorf("kind %d is in the wrong part", e.Kind)
		}
	}
}
