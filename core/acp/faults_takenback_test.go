//go:build !js

package acp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// TestFault647_WorkBesideOneTakenBack: version 1: the agent is at work on a prompt, and its server refuses a
// second one for want of authorization. The page is loaded again: the agent is still at work on the first.
func TestFault647_WorkBesideOneTakenBack(t *testing.T) {
	m, asked := v1agent()
	s, handle, a := signedIn(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	m.unauthorized = "session/prompt"
	s.prompt(handle, "second")
	s.settle(1_000)
	s.expect(len(*asked) == 1, "%d prompts", len(*asked))
	m.unauthorized = ""
	s.load()
	s.token("t2", nil)
	s.settle(1_000)
	s.expect(strings.Contains(s.lastTurn(), `"running"`), "the agent is at work, and the page is told %s",
		s.lastTurn())
	v1ends(s, a, (*asked)[0], "end_turn")
	s.expect(len(s.events(engine.EventPhase, `"ended":true`)) == 1 &&
		strings.Contains(s.lastTurn(), `"end_turn"`), "its turn ends %d times, with %s",
		len(s.events(engine.EventPhase, `"ended":true`)), s.lastTurn())
}

// TestFault648_TakenBackForATabThatLooksOn: version 1: the prompt of a tab that looks on is refused for want
// of authorization, and leaves with the next token. It settles with its answer.
func TestFault648_TakenBackForATabThatLooksOn(t *testing.T) {
	m, asked := v1agent()
	s, _, a := signedIn(t, m)
	l := s.lookOn()
	m.unauthorized = "session/prompt"
	prompt := l.waits.prompt(1, "hi")
	drain(l)
	s.settle(1_000)
	drain(l)
	m.unauthorized = ""
	s.token("t2", nil)
	s.settle(0)
	drain(l)
	s.expect(len(*asked) == 1 && !prompt.settled, "%d prompts, settled: %t", len(*asked), prompt.settled)
	v1ends(s, a, (*asked)[0], "end_turn")
	drain(l)
	s.expect(prompt.answers == 1 && prompt.settled, "it has %d answers, and waits for a turn", prompt.answers)
	ends := 0
	for _, e := range l.told {
		if e.Event == engine.EventPhase && strings.Contains(string(e.Data), `"ended":true`) {
			ends++
		}
	}
	s.expect(ends == 1, "its turn ends %d times", ends)
}

// TestFault649_LeftAgainInOneRow: version 1: a prompt leaves, is refused, and leaves again with the next
// token, while another commit is under way: one row of the log has all of that, and is read as three are. A
// tab that looks on is not told that it was not sent.
func TestFault649_LeftAgainInOneRow(t *testing.T) {
	m, _ := v1agent()
	s, _, _ := opened(t, m)
	l := s.look(77)
	record, id, content := s.Store.Calls()[0], uint64(777), `[{"type":"text","text":"hi"}]`
	prompt := journal.Entry{Kind: journal.Prompt, N: [3]uint64{id}, Data: []byte(content)}
	leaving := []journal.Entry{
		{Kind: journal.Event, N: [3]uint64{uint64(engine.EventItem)},
			Data: []byte(`{"sessionUpdate":"user_message","messageId":"prompt-777","content":` + content +
				`}`)},
		{Kind: journal.Placed, N: [3]uint64{id}, Data: []byte("left")},
	}
	back := []journal.Entry{{Kind: journal.Placed, N: [3]uint64{id}, Data: []byte("unsent")}, prompt}
	for _, row := range [][]journal.Entry{{prompt}, slices.Concat(leaving, back, leaving)} {
		var plain []byte
		for _, e := range row {
			plain = journal.AppendEntry(plain, e)
		}
		before := len(s.Store.Rows(record))
		s.Store.Append(record, plain)
		l.tell(s.Store.Rows(record)[before:]...)
	}
	var told string
	for _, e := range l.told {
		told += string(e.Data)
	}
	s.expect(strings.Contains(told, `{"op":"placed","prompt":777}`) &&
		!strings.Contains(told, `{"op":"unsent"`), "it is told as unsent, and was sent: %s", told)
}

// TestFault650_TakenBackAndStoredAgain: version 1: a prompt was refused and waits for a token, and the log is
// written again. The page is loaded again: nobody is at work.
func TestFault650_TakenBackAndStoredAgain(t *testing.T) {
	m, asked := v1agent()
	s := unloaded(t, acp.Config{HasTokenProvider: true}, m)
	s.load()
	s.token("t1", nil)
	handle, id := s.session()
	s.prompt(handle, "earlier")
	s.settle(0)
	v1ends(s, m.sessions[id], (*asked)[0], "end_turn")
	m.unauthorized = "session/prompt"
	s.prompt(handle, "hi")
	s.settle(1_000)
	s.storedAgain()
	m.unauthorized = ""
	s.load()
	s.token("t2", nil)
	s.settle(60_000)
	s.expect(!strings.Contains(s.lastTurn(), `"running"`), "nobody is at work, and the page is told %s",
		s.lastTurn())
	s.expect(len(s.events(engine.EventItem, `{"op":"unsent"`)) == 1, "it is not handed back")
}

// TestFault651_TakenBackBeforeAReload: version 1: a prompt was refused, and the page is loaded again while it
// waits for a token. A tab that looks on hears that nobody is at work, too.
func TestFault651_TakenBackBeforeAReload(t *testing.T) {
	m, _ := v1agent()
	s := unloaded(t, acp.Config{HasTokenProvider: true}, m)
	s.load()
	s.token("t1", nil)
	handle, _ := s.session()
	l := s.lookOn()
	m.unauthorized = "session/prompt"
	s.prompt(handle, "hi")
	s.settle(1_000)
	drain(l)
	s.expect(l.waits.turns(1).state == "running", "it is told %s", l.waits.turns(1).state)
	m.unauthorized = ""
	s.load()
	stored := unsealed(s.Store.Followed())
	l.do(func(c *acp.Client) { c.Restore(l.Now, stored) })
	s.token("t2", nil)
	s.settle(60_000)
	drain(l)
	s.expect(l.waits.turns(1).state == "idle", "nobody is at work, and it is told %s", l.waits.turns(1).state)
}
