package journal_test

import (
	"slices"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// draft is a row in the making, as every writer has to make it: entries are
// folded plain part first, whatever order they came in, and add keeps the two
// parts such that this comes to the same.
type draft struct{ plain, secret []byte }

// isSecret reports whether entries of kind k belong in the secret part of a row.
func isSecret(k Kind) bool {
	switch k {
	case Cursor, Seen, Token, State, TaskID, TaskState, Answer, Responses, Draft:
		return true
	}
	return false
}

// add appends e to the part in which it belongs.
func (d *draft) add(e Entry) {
	// What was sealed for what is over now goes: left in the row, it would be folded last.
	if isVoid := recorded.Voids(e, true); isVoid != nil {
		d.drop(isVoid)
	}
	switch e.Kind {
	case Cursor, Token, State, TaskState:
		d.drop(func(sealed Entry) bool { return sealed.Kind == e.Kind })
	case Policy:
		d.drop(func(sealed Entry) bool { return sealed.Kind == Token })
	case Answer:
		id, _ := ReadReply(e)
		d.plain = AppendEntry(d.plain, AnsweredEntry(id, 0))
	case Responses:
		d.plain = AppendEntry(d.plain, AnsweredEntry(nil, 0))
	}
	if isSecret(e.Kind) {
		d.secret = AppendEntry(d.secret, e)
	} else {
		d.plain = AppendEntry(d.plain, e)
	}
}

// reset empties d and keeps its memory.
func (d *draft) reset() { d.plain, d.secret = d.plain[:0], d.secret[:0] }

// drop takes such entries out of the secret part.
func (d *draft) drop(of func(sealed Entry) bool) {
	row := ReadRow(d.secret)
	for {
		start := len(d.secret) - row.Rest()
		e, ok := row.Next()
		switch {
		case !ok:
			if len(d.secret) == 2 { // the header alone
				d.secret = d.secret[:0]
			}
			return
		case of(e):
			rest := row.Rest()
			d.secret = slices.Delete(d.secret, start, len(d.secret)-rest)
			row = ReadRow(d.secret)
			for row.Rest() > rest {
				row.Next()
			}
		}
	}
}

// A draft keeps the last secret of each sort, and nothing of what it replaced.
func TestDraftDropsWhatIsReplaced(t *testing.T) {
	var d draft
	for _, e := range []Entry{
		data(Cursor, "c1"), policy(1, 2, 3), data(Token, "t1"), data(Cursor, "c2"), stated("r1"),
		data(State, "s1"),
		stated("r2"), data(State, "s2"), data(Cursor, "c3"),
	} {
		d.add(e)
	}
	got, err := readAll(d.secret)
	if err != nil || len(got) != 3 || string(got[0].Data) != "t1" || string(got[1].Data) != "s2" ||
		string(got[2].Data) != "c3" {
		t.Errorf("%v, %v", got, err)
	}
	d.add(policy(4, 5, 6))
	d.add(sent(1, 1))
	d.add(data(Round, "r3"))
	if len(d.secret) != 0 {
		t.Errorf("an empty secret part is %v", d.secret)
	}
	for _, e := range everyKind() {
		if _, sealed := row(e); isSecret(e.Kind) != (len(sealed) > 0) {
			t.Errorf("kind %d is in the wrong part", e.Kind)
		}
	}
}
