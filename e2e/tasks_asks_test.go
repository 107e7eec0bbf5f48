//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// answering is the request that carries the answers to what a task asks.
func (d dialect) answering() string {
	switch d.name {
	case "continue":
		return "tasks/continue"
	case "extension":
		return "tasks/update"
	}
	return "RESPONSE"
}

// asks makes a call whose task asks one thing halfway, with nobody there, and
// waits until the page has put it to the person.
func (s *taskStory) asks() {
	s.t.Helper()
	s.eval(`void (localStorage.away = "1")`)
	s.tell(telling{N: 4, Ask: 1})
	s.wait(`forms["a.1.q1"]`)
	s.durable()
}

// polledAgain waits for n more polls, which may repeat what is asked.
func (s *taskStory) polledAgain(n int) {
	s.t.Helper()
	before := len(s.p.Of(s.d.polls))
	eventually(s.t, "more polls", func() bool { return len(s.p.Of(s.d.polls)) >= before+n })
}

// asked is how often the person was, over all pages.
func (s *taskStory) asked() string {
	s.t.Helper()
	return s.eval(`localStorage["asked a.1.q1"] ?? "0"`)
}

// tookOnce checks that the server has the one answer, once.
func (s *taskStory) tookOnce(want string) {
	s.t.Helper()
	all := s.p.Oracle().Questions(storyCall)
	if len(all) != 1 || len(all[0].Answers) != 1 || !strings.Contains(all[0].Answers[0].Outcome, want) {
		s.t.Errorf("questions %+v", all)
	}
}

// TestFault107_AnsweredAndReloadedInChrome: polls repeat what a task asks, the
// person answers, and the page goes before the answer has left. The next page
// sends it, and asks nobody.
func TestFault107_AnsweredAndReloadedInChrome(t *testing.T) {
	t.Parallel()
	dialectList(dialects).each(t, func(t *testing.T, d dialect) {
		s := newTaskStory(t, d, d.policy)
		s.open()
		s.asks()
		s.polledAgain(2)
		if n := s.asked(); n != `"1"` {
			t.Errorf("asked %s times by one page", n)
		}
		// Not the polls of tasks/continue, which the answer would wait for.
		s.p.DelayWith(d.answering(), `"mine"`, "hold")
		s.eval(`forms["a.1.q1"]("mine")`)
		s.p.Waiting("hold")
		// The next page begins once the answer of this one cannot be taken any more.
		s.eval(`void (localStorage.later = "1")`)
		s.page.Reload()
		s.wait(`window.ready`)
		s.p.Left("hold")
		s.p.Release("hold")
		s.eval(`begin()`)
		if has := s.ends("", 4); len(has.Answers) != 1 || has.Answers[0] != "mine" {
			t.Errorf("answers %v", has.Answers)
		}
		s.tookOnce(`"mine"`)
		if n := s.asked(); n != `"1"` {
			t.Errorf("asked %s times", n)
		}
	})
}

// TestFault107_TwoTabsInChrome: a question is put in the tab that carries the
// call. When that is closed without an answer, the other one puts it.
func TestFault107_TwoTabsInChrome(t *testing.T) {
	t.Parallel()
	dialectList{coreDialect, extensionDialect, streamedDialect}.each(t, func(t *testing.T, d dialect) {
		s := newTaskStory(t, d, d.policy)
		profile := chrome.NewProfile(t)
		open := func() *chrome.Page {
			page := profile.Open(s.url)
			page.WaitFor(`window.begun`)
			return page
		}
		owner := open()
		s.screen = onPage(owner)
		s.asks()
		other := open()
		other.WaitFor(`trails.a`)
		s.polledAgain(2)
		if chrome.Eval[bool](other, `forms["a.1.q1"] !== undefined`) {
			t.Error("the tab that looks on asks, too")
		}
		owner.Close()
		s.screen = onPage(other)
		s.wait(`forms["a.1.q1"]`)
		s.polledAgain(2)
		s.eval(`forms["a.1.q1"]("ours")`)
		if has := s.ends("", 4); len(has.Answers) != 1 || has.Answers[0] != "ours" {
			t.Errorf("answers %v", has.Answers)
		}
		s.tookOnce(`"ours"`)
		if n := s.asked(); n != `"2"` {
			t.Errorf("asked %s times by two tabs", n)
		}
	})
}

// TestFault107_AnswerLostInChrome: the server takes the answer, and its
// acknowledgement never comes, twice. The same answer goes until it does.
func TestFault107_AnswerLostInChrome(t *testing.T) {
	t.Parallel()
	dialectList(dialects).each(t, func(t *testing.T, d dialect) {
		d.options.NoReuse = true
		s := newTaskStory(t, d, d.policy)
		s.open()
		s.asks()
		if method := d.answering(); method == "RESPONSE" {
			s.p.CutReplies(peer.FIN, peer.Reset)
		} else {
			s.p.CutAnswers(method, peer.FIN, peer.Reset)
		}
		s.eval(`forms["a.1.q1"]("mine")`)
		s.ends("", 4)
		if n := s.asked(); n != `"1"` {
			t.Errorf("asked %s times", n)
		}
		for _, a := range s.p.Oracle().Questions(storyCall)[0].Answers {
			if !strings.Contains(a.Outcome, `"mine"`) {
				t.Errorf("answer %s", a.Outcome)
			}
		}
	})
}

// TestFault111_CancelledWhileAskedInChrome: the app cancels while a question is
// open. The form is told to close, and the server is told once.
func TestFault111_CancelledWhileAskedInChrome(t *testing.T) {
	t.Parallel()
	dialectList(dialects).each(t, func(t *testing.T, d dialect) {
		s := newTaskStory(t, d, d.policy)
		s.open()
		s.asks()
		s.eval(`carried.a.cancel()`)
		s.ends("cancelled", 2)
		eventually(t, "the task cancelled",
			func() bool { return s.p.Oracle().Tasks(storyCall)[0].Status == "cancelled" })
		s.wait(`localStorage["aborted a.1.q1"] === "1"`)
		if n := s.p.Oracle().Cancels(storyCall); n != 1 {
			t.Errorf("tasks/cancel came %d times", n)
		}
	})
}
