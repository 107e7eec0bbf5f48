//go:build !js

package acp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// TestFault618_AskedAgainAfterManyPrompts: a tab that looks on has prompted, and so has this page, forty
// times. The log is written again, this page is loaded again, and that tab, which has slept, asks once more.
// Its prompt is not sent twice.
func TestFault618_AskedAgainAfterManyPrompts(t *testing.T) {
	s, handle, a := opened(t, newModel())
	l := s.look(77)
	l.request("session/prompt", hello)
	s.ask(l.forwarded()[0])
	s.settle(0)
	for i := range 40 {
		s.prompt(handle, fmt.Sprint("p", i))
		s.settle(0)
	}
	s.storedAgain()
	s.load()
	s.settle(60_000)
	s.ask(l.forwarded()[0])
	s.settle(0)
	n := 0
	for _, r := range a.m.of("session/prompt") {
		if bytes.Contains(r.Params, []byte(`"hello"`)) {
			n++
		}
	}
	s.expect(n == 1, "it was sent %d times", n)
}

// TestFault618_ManyPromptsInOneRow: forty prompts of another page are in the history at once, by a row of the
// log. None is told as unsent in a tab that looks on; one that was not sent is.
func TestFault618_ManyPromptsInOneRow(t *testing.T) {
	s, _, _ := opened(t, quiet())
	l := s.look(77)
	record := s.Store.Calls()[0]
	write := func(entries func(i uint64) journal.Entry) {
		var plain []byte
		for i := range uint64(300) {
			plain = journal.AppendEntry(plain, entries(i))
		}
		before := len(s.Store.Rows(record))
		s.Store.Append(record, plain)
		l.tell(s.Store.Rows(record)[before:]...)
	}
	id := func(i uint64) [3]uint64 { return [3]uint64{99<<24 + i} }
	write(func(i uint64) journal.Entry {
		return journal.Entry{Kind: journal.Prompt, N: id(i), Data: []byte(`[{"type":"text","text":"hi"}]`)}
	})
	write(func(i uint64) journal.Entry {
		what := "placed"
		if i == 7 {
			what = "unsent"
		}
		return journal.Entry{Kind: journal.Placed, N: id(i), Data: []byte(what)}
	})
	var unsent []string
	for _, e := range l.told {
		if e.Event == engine.EventItem && strings.HasPrefix(string(e.Data), `{"op":"unsent"`) {
			unsent = append(unsent, string(e.Data))
		}
	}
	s.expect(len(unsent) == 1 && strings.Contains(unsent[0], fmt.Sprint(99<<24+7)),
		"told as unsent: %d %.200q", len(unsent), unsent)
}
